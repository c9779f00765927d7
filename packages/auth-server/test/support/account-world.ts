import { silentLog } from '@cls/shared/log';
import { noMetrics } from '@cls/shared/metrics/metrics';
import { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import type { Engine } from '@cls/testing/engines';
import { temporaryDirectory } from '@cls/testing/servers';
import { TOTP, Secret as TotpSecret } from 'otpauth';
import type { Account } from '../../src/accounts/account.ts';
import { argon2Verifier } from '../../src/accounts/password.ts';
import type { Actor } from '../../src/audit/actor.ts';
import type { AuditEvent, AuditLog } from '../../src/audit/audit-log.ts';
import { sqlAuditLog } from '../../src/audit/sql-audit-log.ts';
import { composeAccounts } from '../../src/compose-accounts.ts';
import { sqlFactors } from '../../src/factors/sql-factors.ts';
import type { AccountMail } from '../../src/mail/account-mail.ts';
import { sqlCustomers } from '../../src/organisations/sql-customers.ts';
import { MIGRATIONS } from '../../src/server/migrations.ts';
import { sqlStateStore } from '../../src/state/sql-state-store.ts';
import { quickHash } from './quick-hash.ts';

export const ISSUER = 'https://id.cls.example';
export const PASSWORD = 'correct horse battery staple';
export const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const KEY = new Secret('A'.repeat(43));

/** What an authenticator with `TOTP_SECRET` shows then. */
export function codeAt(instant: Date): string {
  const totp = new TOTP({ secret: TotpSecret.fromBase32(TOTP_SECRET), digits: 6, period: 30 });
  return totp.generate({ timestamp: instant.getTime() });
}

/** A message that was handed to the mail port. */
export interface SentMail {
  readonly to: string;
  readonly kind: string;
  readonly name?: string;
  readonly token?: string;
}

export type AccountWorld = Awaited<ReturnType<typeof openAccountWorld>>;

/** The use cases on a real database, with a clock that a test moves and a post that it reads. */
export async function openAccountWorld(engine: Engine) {
  const database = await engine.open(MIGRATIONS);
  await sqlCustomers(database).create('india', 'India', false);
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const clock = { now: () => new Date(nowMs) };
  const events: AuditEvent[] = [];
  const audit: AuditLog = {
    record: (event) => void events.push(event),
    recordSafely: async () => undefined,
    synced: async () => undefined,
    catchUp: async () => undefined,
    flush: async () => undefined,
  };
  const sent: SentMail[] = [];
  const mail: AccountMail = {
    changed: (to, kind, name) => void sent.push({ to: to.email, kind, name }),
    newDevice: (to, name) => void sent.push({ to: to.email, kind: 'new_device', name }),
    passwordReset: (to, token) => void sent.push({ to: to.email, kind: 'password_reset', token }),
    invitation: (to, name, token) =>
      void sent.push({ to: to.email, kind: 'invitation', name, token }),
    invitationElsewhere: (to, name) =>
      void sent.push({ to: to.email, kind: 'invitation_elsewhere', name }),
    organisationInvitation: (to, name) =>
      void sent.push({ to: to.email, kind: 'organisation_invitation', name }),
  };
  const passwords = await argon2Verifier(2, 100);
  const state = sqlStateStore(database, () => undefined);
  const people = await composeAccounts(
    {
      issuer: ISSUER,
      mfaPolicy: 'enrolled',
      production: false,
      upstreamTimeoutS: 60,
      rememberDeviceS: 2_592_000,
      keyEncryptionKey: KEY,
      cookieKey: KEY,
    },
    { database, state, passwords, audit, mail, clock, log: silentLog, metrics: noMetrics },
  );
  const { accounts, records } = people;
  const notices = { audit, mail };
  const passwordHash = await quickHash(PASSWORD);
  let n = 0;
  return {
    ...people,
    ...{ database, clock, events, sent, notices, passwords, state },
    factors: sqlFactors(database),
    pass: (seconds: number) => {
      nowMs += seconds * 1000;
    },
    async newAccount(): Promise<Account> {
      n += 1;
      const email = `person-${n}@india.example`;
      const permissions = ['cls-deal.view'] as const;
      const id = await records.create({ email, customer: 'india', permissions, passwordHash });
      return this.reload(id);
    },
    async reload(id: string): Promise<Account> {
      const account = await accounts.find(id);
      if (account === undefined) throw new Error(`there is no account ${id}`);
      return account;
    },
    close: async () => {
      await state.close();
      await (database as Database).close();
    },
  };
}

/** The audit as the service keeps it. */
export function openAuditLog(
  { database, clock }: Pick<AccountWorld, 'database' | 'clock'>,
  directory = temporaryDirectory('cls-audit-'),
  fsync: 'all' | 'none' = 'none',
) {
  return sqlAuditLog(database, clock, silentLog, { directory, fsync });
}

export const BY: Actor = {
  address: '203.0.113.24',
  requestId: 'req-1',
  device: { browser: 'Firefox', system: 'Windows' },
};
