import { systemClock } from '@cls/shared/clock';
import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { warnOfOwnerRole } from '@cls/shared/service/owner-role';
import { SqlError } from '@cls/shared/sql/database';
import { type Engine, postgresAsService, requireServer } from '@cls/testing/engines';
import { eventually, postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { sweepAudit } from '../src/audit/sql-audit-months.ts';
import { asOperator } from '../src/cli/as-operator.ts';
import { resealWith } from '../src/crypto/seal.ts';
import { sweepSessions } from '../src/sessions/sql-session-store.ts';
import { sweepThrottle } from '../src/throttle/sql-throttle.ts';
import { KEY, startTestAuthServer, type TestAuthServer, totpCode } from './support/auth-server.ts';

type PostgresLocation = Extract<DatabaseLocation, { kind: 'postgres' }>;

describe('auth-server under a role that does not own its schema [PostgreSQL]', () => {
  const environment = { ...process.env };
  let location: PostgresLocation;
  let server: TestAuthServer;
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
    const engine = postgresAsService('cls_auth_service');
    location = (await engine.createLocation()) as PostgresLocation;
    const made: Engine = { ...engine, createLocation: async () => location };
    server = await startTestAuthServer(made);
    Object.assign(process.env, {
      AUTH_DATABASE_URL: location.url.expose(),
      RUN_MIGRATIONS: '0',
      KEY_ENCRYPTION_KEY: KEY,
      ISSUER: server.issuer,
      CLS_DATA_DIR: server.config.dataDir,
    });
  });
  after(async () => {
    process.env = environment;
    await server?.stop();
  });

  it('gives tokens to services and people, counts wrong passwords, and keeps the audit', async () => {
    const { client, person, guarded } = server;
    const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64');
    const ofService = await server.post('grant_type=client_credentials', {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${basic}`,
    });
    const { email, password, totpSecret } = guarded;
    const answers = [
      ofService,
      await server.postJson(person),
      await server.postJson({ ...person, password: 'wrong' }),
      await server.postJson({ email, password, otp: totpCode(totpSecret) }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 400, 200]);
    await eventually(async () => {
      const events = await server.database.query('SELECT type FROM audit_event');
      expect(events.length).to.be.at.least(3);
    });
  });

  it('lets the operator’s tools work, and sweeps what has ended', async () => {
    await asOperator(async (operator) => {
      await operator.customers.create('iran', 'Iran', false);
      const staged = await operator.keys.stage();
      expect(staged).to.have.property('key');
      expect(await operator.keys.promote({ early: true })).to.have.property('key');
      const { id } = await operator.serviceAccounts.create({
        name: 'Nightly',
        customer: 'iran',
        permissions: ['cls-deal.view'],
      });
      await operator.secrets.replace({ clientId: id }, 60, {});
      const account = await operator.accounts.findByEmail(server.guarded.email);
      if (account === undefined) throw new Error('there is no such person');
      await operator.totpFactors.remove(account.id);
      await operator.access.endAll(account.id);
      operator.tell('account.factors_reset', account);
    });
    const { keyEncryptionKey } = server.config;
    if (keyEncryptionKey === undefined) throw new Error('no key');
    const { values: anew } = await resealWith(
      server.database,
      new Secret('B'.repeat(43)),
      keyEncryptionKey,
    );
    expect(anew).to.be.at.least(2);
    await sweepThrottle(server.database, systemClock);
    await sweepSessions(server.database, 1, 1);
    await sweepAudit(server.database, systemClock, 1);
  });

  for (const statement of [
    `UPDATE audit_event SET type = 'other'`,
    'DELETE FROM audit_event',
    'TRUNCATE audit_event',
    'DROP TABLE audit_event',
    'ALTER TABLE account ADD COLUMN note text',
    'ALTER TABLE account DISABLE TRIGGER USER',
    'DROP TRIGGER announce ON customer',
    'CREATE OR REPLACE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    'CREATE TABLE mine ()',
    'UPDATE schema_migration SET checksum = checksum',
    'DELETE FROM schema_migration',
    'SET ROLE cls',
    'SET session_replication_role = replica',
  ]) {
    it(`cannot ${statement}`, async () => {
      const refused = await server.database.execute(statement).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(SqlError);
      expect(refused).to.have.property('code', '42501');
    });
  }

  it('says so in production where the service is the owner or a superuser, and only there', async () => {
    const admin = new URL(location.url.expose());
    admin.username = 'postgres';
    for (const [url, words] of [
      [location.url, []],
      [location.ownerUrl ?? location.url, ['owns its schema']],
      [new Secret(admin.href), ['is a superuser']],
    ] as const) {
      const said: string[] = [];
      const log = { ...silentLog, warn: (_: object, message: string) => void said.push(message) };
      const database = await openDatabaseAsOperator({ ...location, url }, 'test', silentLog);
      await warnOfOwnerRole(database, location, log);
      await database.close();
      expect(said.length).to.equal(words.length);
      for (const word of words) expect(said.join()).to.include(word);
    }
  });
});
