import { readdirSync } from 'node:fs';
import { type Log, silentLog } from '@cls/shared/log';
import { noMetrics } from '@cls/shared/metrics/metrics';
import { aesGcmSealer, UnsealFailed } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import type { PasswordVerifier } from '../src/accounts/password.ts';
import { startAuthServer } from '../src/compose.ts';
import { composeStores } from '../src/compose-stores.ts';
import { hashWith } from '../src/crypto/digest.ts';
import { recoveryKeyOf } from '../src/crypto/recovery-key.ts';
import { SEALED } from '../src/crypto/seal.ts';
import { sqlSecurityContacts } from '../src/notices/sql-security-contacts.ts';
import { KEY, startTestAuthServer, type TestAuthServer, totpCode } from './support/auth-server.ts';

const OLD = new Secret(KEY);
const NEW = new Secret('C'.repeat(43));
/** As people have saved it: of 60 bits, whose hash is keyed. */
const SHORT_CODE = '7k2m9qxvh0tz';

describeOnDatabase('a KEY_ENCRYPTION_KEY that another one replaces', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine);
    const hash = hashWith(recoveryKeyOf(OLD).bytes)(`${server.guarded.id}:${SHORT_CODE}`);
    await server.database.query(
      'INSERT INTO recovery_code (account_id, code_hash) VALUES ($1, $2)',
      [server.guarded.id, hash],
    );
    await sqlSecurityContacts(server.database, aesGcmSealer(OLD)).change('india', {
      webhook: { url: 'https://hooks.india.example/', secret: 'whsec_secret' },
    });
    await server.stop();
  });

  interface Replica {
    readonly database: Database;
    /** The status of the answer to the person's password and one-time code. */
    signIn(): Promise<number>;
    /** Whether the code of 60 bits opens, once. */
    useShortCode(attempt: string): Promise<boolean>;
  }

  /** A service as it is at one step of the replacement. */
  const withKeys = async (
    keyEncryptionKey: Secret,
    previousKeyEncryptionKey: Secret | undefined,
    log: Log,
    during: (replica: Replica) => Promise<void>,
  ) => {
    const { id, email, password, totpSecret } = server.guarded;
    const keys = { keyEncryptionKey, previousKeyEncryptionKey };
    const service = await startAuthServer({ ...server.config, ...keys }, log);
    const database = await openDatabaseAsOperator(server.config.database, 'test', silentLog);
    const clock = { now: () => new Date() };
    const passwords = {} as PasswordVerifier; // Nobody signs in through these.
    const { recoveryCodes } = composeStores({
      ...{ database, clock, passwords, metrics: noMetrics, ...keys },
    });
    try {
      await during({
        database,
        async signIn() {
          const response = await fetch(`http://127.0.0.1:${service.port}/oauth/token`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ email, password, otp: totpCode(totpSecret) }),
          });
          return response.status;
        },
        async useShortCode(attempt) {
          const used = await recoveryCodes.use(id, SHORT_CODE, attempt);
          await recoveryCodes.settle(id, attempt);
          return used;
        },
      });
    } finally {
      await database.close();
      await service.stop();
    }
  };

  it('opens everything at each step, and in the end nothing opens with the old key', async () => {
    await withKeys(OLD, NEW, silentLog, async ({ database }) => {
      const sealed = await openedWith(OLD, database);
      expect(sealed.all).to.be.at.least(3);
      expect(sealed.opened, 'a key that is accepted seals nothing').to.equal(sealed.all);
    });
    const warnings: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => warnings.push(fields) };
    // A row that was damaged, or that a third key sealed, is no reason to leave the others.
    const left = `INSERT INTO upstream_provider
      VALUES ('left.example', 'india', 'https://login.example', 'cls', $1, 'email', 'email_verified')`;
    await withKeys(OLD, NEW, silentLog, async ({ database }) => {
      await database.query(left, [aesGcmSealer(new Secret('E'.repeat(43))).seal('x', 'y')]);
    });
    await withKeys(NEW, OLD, log, async ({ database, signIn }) => {
      await eventually(async () => {
        const { opened, all } = await openedWith(NEW, database);
        expect(opened).to.equal(all - 1);
      });
      await eventually(async () => {
        expect(warnings).to.deep.include({ values: 1, rows: ['upstream_provider left.example'] });
      });
      await database.query(`DELETE FROM upstream_provider WHERE domain = 'left.example'`);
      expect(await signIn()).to.equal(200);
      await eventually(async () => {
        const type = 'key.resealed';
        const events = await database.query('SELECT FROM audit_event WHERE type = $1', [type]);
        expect(events).to.have.length(1);
      });
    });
    await withKeys(NEW, undefined, silentLog, async ({ database, useShortCode }) => {
      expect(await openedWith(OLD, database)).to.include({ opened: 0 });
      expect(await useShortCode('a')).to.equal(true);
      expect(await useShortCode('b')).to.equal(false);
    });
  });

  it('is refused when the start has neither of the two', async () => {
    let refusal: unknown;
    await withKeys(new Secret('D'.repeat(43)), undefined, silentLog, async () => undefined).catch(
      (error) => {
        refusal = error;
      },
    );
    expect(`${refusal}`).to.include('KEY_ENCRYPTION_KEY');
    expect(readdirSync(server.config.auditSpoolDir), 'an audit that is left open').to.be.empty;
  });
});

/** How many sealed values there are, and how many of them open with a key. */
async function openedWith(key: Secret, database: Database) {
  const sealer = aesGcmSealer(key);
  let [opened, all] = [0, 0];
  for (const [table, { column, owner, context }] of Object.entries(SEALED)) {
    const rows = await database.query<{ owner: string; sealed: string }>(
      `SELECT ${owner} AS owner, ${column} AS sealed FROM ${table}`,
    );
    for (const { owner: about, sealed } of rows) {
      all += 1;
      try {
        sealer.unseal(sealed, context(about));
        opened += 1;
      } catch (error) {
        if (!(error instanceof UnsealFailed)) throw error;
      }
    }
  }
  return { opened, all };
}
