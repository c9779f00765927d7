/** Notices over a database, with a mail server, a receiver of webhooks, and a clock that tests set. */
import type { Clock } from '@cls/shared/clock';
import { type Log, silentLog } from '@cls/shared/log';
import { emailSender } from '@cls/shared/mail/email-sender';
import { openMailSender } from '@cls/shared/mail/open-mail-sender';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { webhookSender } from '@cls/shared/webhook/webhook-sender';
import { newWebhookSecret } from '@cls/shared/webhook/webhook-signature';
import type { Registry } from '../../src/lifecycle/registry.ts';
import type { Release } from '../../src/lifecycle/release.ts';
import type { SendNotice } from '../../src/notices/deliver-notices.ts';
import { noticeLetter } from '../../src/notices/notice-letter.ts';
import {
  type Channel,
  type ClaimedNotice,
  secretContext,
} from '../../src/notices/notice-outbox.ts';
import { noticeStep, retirementStep } from '../../src/notices/notice-worker.ts';
import { openNoticeSecret } from '../../src/notices/open-webhook-sealer.ts';
import { retirements } from '../../src/notices/retirement.ts';
import { sqlNoticeContacts } from '../../src/notices/sql-notice-contacts.ts';
import { sqlNotices } from '../../src/notices/sql-notices.ts';
import { sqlRetirements } from '../../src/notices/sql-retirements.ts';
import {
  type CallerUse,
  callerUses,
  type UsageCount,
  type UsageSummaries,
} from '../../src/usage/version-usage.ts';
import { ENDING, registryOf } from '../versions/v2/index.ts';
import type { MailServer, WebhookReceiver } from './receivers.ts';

export const SEALER = aesGcmSealer(new Secret('s'.repeat(43)));
export const LETTERS = { letterOf: noticeLetter, host: 'cls.example' };
export const POLICY_URL = 'https://cls.example/docs/versioning';

export function use(
  customer: string,
  requested: string,
  operation: string,
  day: string,
  requests = 1,
): UsageCount {
  const name = `svc_${customer}`;
  const served = requested === 'latest' ? 'v1' : requested;
  return { customer, clientId: name, subject: name, requested, served, operation, day, requests };
}

/** What a test has counted, added up as the stores do. */
export function summaryOf(counts: readonly UsageCount[]): readonly CallerUse[] {
  const sums = callerUses();
  for (const { day: lastDay, ...count } of counts) sums.add({ ...count, lastDay });
  return sums.list();
}

/** Counts that a test writes, or a store that does not answer. */
export function usageOf(counts: readonly UsageCount[]): UsageSummaries & { gone: boolean } {
  const store = {
    gone: false,
    summarize: async (day: string, requested: readonly string[]) => {
      if (store.gone) throw new Error('the store does not answer');
      return summaryOf(
        counts.filter((count) => count.day >= day && requested.includes(count.requested)),
      );
    },
  };
  return store;
}

export interface WorldOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly usage: UsageSummaries;
  readonly mail: MailServer;
  readonly receiver: WebhookReceiver;
  /** Changes how a replica sends. */
  readonly through?: (send: SendNotice) => SendNotice;
  readonly releases?: readonly Release[];
  readonly log?: Log;
}

/** One replica: its steps are made by hand. */
export function replica(options: WorldOptions) {
  const { database, clock, usage, mail, through = (send) => send } = options;
  const { releases = ENDING, log = silentLog } = options;
  const outbox = sqlNotices(database);
  const records = sqlRetirements(database);
  const ends = retirements({ records, outbox, usage, clock, log });
  const registry: Registry = registryOf(releases, ends.retiredAt);
  const smtpUrl = new Secret(mail.url);
  const settings = {
    smtpUrl,
    mailOutbox: '',
    mailFrom: 'CLS <cls@cls.example>',
    production: false,
  };
  const transport = openMailSender(settings);
  const senders: Record<Channel, SendNotice> = {
    email: through(emailSender({ ...LETTERS, open: () => transport })),
    webhook: through(
      webhookSender({
        allowLoopback: true,
        openSecret: (notice: ClaimedNotice) => openNoticeSecret(SEALER, notice),
      }),
    ),
  };
  const deps = {
    ...{ registry: () => registry, contacts: sqlNoticeContacts(database), outbox, usage, senders },
    ...{ retirements: ends, clock, log, random: () => 0, everyMs: 10 },
    policyUrl: POLICY_URL,
  };
  return {
    ...{ registry, ends, outbox, deps },
    notices: noticeStep(deps, () => false),
    retirement: retirementStep(deps),
    close: async () => (await transport).close(),
  };
}

/** @returns the target. */
export async function addContact(
  { database, clock, receiver }: WorldOptions,
  customer: string,
  channel: Channel,
): Promise<string> {
  const path = `/${customer}`;
  const target = channel === 'email' ? `api@${customer}.example` : receiver.origin + path;
  const contact = { customer, channel, target };
  const secret = newWebhookSecret();
  if (channel === 'webhook') receiver.secrets.set(path, secret);
  const sealed = channel === 'webhook' ? SEALER.seal(secret, secretContext(contact)) : null;
  await sqlNoticeContacts(database).add(contact, sealed, clock.now());
  return target;
}
