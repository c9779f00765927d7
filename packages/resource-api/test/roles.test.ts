import { inLedger } from '@cls/book-generator/cli/in-ledger';
import type { Finding } from '@cls/shared/check/finding';
import { type Log, silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { warnOfOwnerRole } from '@cls/shared/service/owner-role';
import { type Database, SqlError } from '@cls/shared/sql/database';
import { grantToService, migrate, readSchema } from '@cls/shared/sql/migrate';
import { type Engine, postgresAsService, requireServer } from '@cls/testing/engines';
import { eventually, postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { asOperator } from '../src/cli/as-operator.ts';
import type { Operator } from '../src/cli/operator.ts';
import { readProfile } from '../src/cli/read-profile.ts';
import { startResourceApi } from '../src/compose.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { importStatement } from '../src/import/import-statement.ts';
import { exportJournals } from '../src/journal-file/export-journals.ts';
import { importJournals } from '../src/journal-file/import-journals.ts';
import { apiConfig, startTestApi, type TestApi, viewer } from './support/api.ts';
import { date, statement, textSource } from './support/book.ts';
import { generated } from './support/generated.ts';
import { newKey, startJwksServer } from './support/issuer.ts';
import { runWith } from './support/tool.ts';

type PostgresLocation = Extract<DatabaseLocation, { kind: 'postgres' }>;

const { records, answers } = generated({ contracts: 6, years: 1 });
const LOAN = {
  'Loan Number': 'X1',
  Borrower: 'Ministry of Works',
  'Original Principal Amount': '100',
  'Disbursed Amount': '60',
  'Undisbursed Amount': '40',
  'Due to IBRD': '60',
  "Borrower's Obligation": '60',
  'Loans Held': '100',
};

describe('resource-api under a role that does not own its schema [PostgreSQL]', () => {
  const environment = { ...process.env };
  let location: PostgresLocation;
  let api: TestApi;
  let owner: Database;
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
    const engine = postgresAsService('cls_api_service');
    location = (await engine.createLocation()) as PostgresLocation;
    const asOwner = { ...location, url: location.ownerUrl ?? location.url };
    owner = await openDatabaseAsOperator(asOwner, 'test', silentLog);
    process.env['API_DATABASE_URL'] = location.url.expose();
  });
  after(async () => {
    process.env = environment;
    await api?.stop();
    await owner?.close();
  });

  it('is told to have the owner migrate, by the service and by each tool', async () => {
    const refused = await asOperator(async () => undefined).catch(String);
    expect(refused).to.match(
      /lacks migration 0050-baseline and \d+ more, and this role may not change it .*: run .migrate. of .*cls-api.* as the role that owns the schema/,
    );
  });

  it('lets the operator’s tools do all that they do', async () => {
    process.env['API_MIGRATIONS_DATABASE_URL'] = location.ownerUrl?.expose();
    await asOperator(async () => undefined);
    delete process.env['API_MIGRATIONS_DATABASE_URL'];
    process.env['RUN_MIGRATIONS'] = '0';
    await asOperator(useEverything);
  });

  it('is granted what it needs again while every table is read', async () => {
    const { grants } = readSchema(MIGRATIONS);
    await owner.transaction(async (transaction) => {
      await transaction.execute(`DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT quote_ident(relname) FROM pg_class
          WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace LOOP
          EXECUTE 'LOCK TABLE ' || name || ' IN ACCESS SHARE MODE';
        END LOOP; END $$`);
      await grantToService(owner, grants);
    });
  });

  it('serves balances, and to each customer its own', async () => {
    const engine: Engine = {
      ...postgresAsService('cls_api_service'),
      createLocation: async () => location,
    };
    api = await startTestApi(engine);
    for (const path of ['/api/v1/cls/balances', '/api/v1/cls/balances/principal/movements']) {
      const all = (await (await api.get(path)).json()) as { data: unknown[] };
      expect(all.data, path).not.to.have.length(0);
      const none = (await (await api.get(path, viewer('nobody'))).json()) as { data: unknown[] };
      expect(none.data, path).to.have.length(0);
    }
  });

  for (const statement of [
    'UPDATE posting SET amount_minor = amount_minor + 1',
    'DELETE FROM posting',
    'UPDATE journal SET reason = NULL',
    'DELETE FROM journal',
    'TRUNCATE journal CASCADE',
    'UPDATE balance SET principal_cash = 0',
    'UPDATE deal SET booked_on = booked_on - 1',
    'UPDATE contract_terms SET all_in_rate = 0',
    'DELETE FROM rate_period',
    'DELETE FROM accrual_settlement',
    'DELETE FROM period_close',
    'UPDATE entitlement SET customer_id = customer_id',
    'DELETE FROM entitlement',
    'UPDATE schema_migration SET checksum = checksum',
    `INSERT INTO schema_migration (number, name, checksum) VALUES (99, 'x', 'x')`,
    'ALTER TABLE journal DISABLE TRIGGER append_only',
    'DROP TRIGGER check_postings ON posting',
    'DROP POLICY reader ON deal',
    'ALTER TABLE deal DISABLE ROW LEVEL SECURITY',
    'ALTER TABLE posting DROP CONSTRAINT posting_amount_minor_check',
    'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    'CREATE TABLE mine ()',
    'CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'SET session_replication_role = replica',
    'SET ROLE cls',
    'SET ROLE postgres',
    'CREATE ROLE other SUPERUSER',
  ]) {
    it(`cannot ${statement}`, async () => {
      const refused = await api.database.execute(statement).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(SqlError);
      expect(refused).to.have.property('code', '42501');
    });
  }

  it('cannot make even temporary tables in the database of the shipped script', async () => {
    const url = new URL(location.url.expose());
    url.pathname = '/cls_api';
    const shipped = { ...location, url: new Secret(url.href) };
    const database = await openDatabaseAsOperator(shipped, 'test', silentLog);
    const refused = await database.execute('CREATE TEMPORARY TABLE t ()').catch((error) => error);
    expect(refused).to.have.property('code', '42501');
    await database.close();
  });

  it('says so where the service runs as the owner, or as a superuser, and only there', async () => {
    const said: unknown[] = [];
    const log: Log = { ...silentLog, warn: (fields, message) => void said.push([fields, message]) };
    await warnOfOwnerRole(api.database, location, log);
    expect(said).to.deep.equal([]);
    await warnOfOwnerRole(owner, location, log);
    expect(String(said)).to.include('owns its schema');
  });

  it('says at its start, when asked and to the check why it is not ready as an owner that may not read as cls_reader', async () => {
    const server = await postgresServer();
    const url = new URL((await server?.createDatabase()) ?? '');
    url.username = 'postgres';
    const admin = await openDatabaseAsOperator(
      { ...location, url: new Secret(url.href) },
      'test',
      silentLog,
    );
    await admin.execute(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO cls_api_owner`);
    url.username = 'cls_api_owner';
    const { ownerUrl: _, ...rest } = location;
    const jwks = await startJwksServer([(await newKey('role-key')).jwk]);
    const said: unknown[] = [];
    const log: Log = { ...silentLog, error: (...line) => void said.push(line) };
    const asOwner = { ...rest, url: new Secret(url.href) };
    const service = await startResourceApi(apiConfig(asOwner, jwks.url), log);
    const readiness = async () => {
      const answer = await fetch(`http://127.0.0.1:${service.port}/readyz`);
      return [answer.status, ((await answer.json()) as { checks: object }).checks];
    };
    const finding = async () => {
      const env = { API_DATABASE_URL: url.href, JWKS_URL: jwks.url, RUN_MIGRATIONS: '0' };
      const { stdout } = await runWith(env, 'check', '--json');
      const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
      const { result, found } = findings.find(({ check }) => check === 'reader') ?? {};
      return [result, found];
    };
    try {
      expect(said).to.have.length(1);
      expect(said[0]).to.deep.include({ role: 'cls_api_owner' });
      expect(String(said)).to.include('may not read as cls_reader, so the service is not ready');
      await eventually(async () =>
        expect(await readiness()).to.deep.equal([
          ...[503, { database: 'reader_role_refused', keys: 'ok', clock: 'ok' }],
        ]),
      );
      expect(await finding()).to.deep.equal([
        ...['failed', 'cls_api_owner may not read as cls_reader'],
      ]);
      await admin.execute('GRANT cls_reader TO cls_api_owner');
      expect(await readiness()).to.deep.equal([200, { database: 'ok', keys: 'ok', clock: 'ok' }]);
      expect(await finding()).to.deep.equal(['ok', 'cls_api_owner reads as cls_reader']);
    } finally {
      // Roles are the cluster's, which other suites share.
      await admin.execute('REVOKE cls_reader FROM cls_api_owner');
      await admin.close();
      await service.stop();
      await jwks.stop();
    }
  });

  it('takes over a book whose tables belong to the service, as the docs say', async () => {
    const server = await postgresServer();
    const url = new URL((await server?.createDatabase()) ?? '');
    const name = url.pathname.slice(1);
    const open = (as: string) => {
      url.username = as;
      return openDatabaseAsOperator({ ...location, url: new Secret(url.href) }, 'test', silentLog);
    };
    const admin = await open('postgres');
    await admin.execute(`CREATE ROLE old_service LOGIN CREATEROLE;
      ALTER DATABASE ${name} OWNER TO old_service`);
    const { migrations, grants } = readSchema(MIGRATIONS);
    const before = await open('old_service');
    await migrate(before, migrations, grants);
    await before.close();
    await admin.execute('REASSIGN OWNED BY old_service TO cls_api_owner');
    await admin.close();
    const schemaOwner = await open('cls_api_owner');
    await grantToService(schemaOwner, grants);
    await schemaOwner.close();
    const service = await open('cls_api_service');
    await service.query('SELECT FROM journal');
    const refused = await service.execute('DELETE FROM journal').catch((error) => error);
    expect(refused).to.have.property('code', '42501');
    await service.close();
  });
});

/** Each thing that a command of cls-api or cls-books does to the store. */
async function useEverything(operator: Operator): Promise<void> {
  const { book, billing, entitlements, directory, fxRates, journals } = operator;
  const written = await inLedger(
    ({ generatedBooks }) => generatedBooks.write(records, () => answers, true),
    false,
  );
  expect(written.outcome).to.equal('applied');
  const profile = readProfile('world-bank-ibrd');
  for (const day of ['03/31/2025', '06/30/2025']) {
    const text = statement(day, [
      { ...LOAN, 'Loan Status': day === '03/31/2025' ? 'Repaying' : 'Fully Repaid' },
    ]);
    const report = await importStatement(book, {
      source: textSource(text),
      profile,
      apply: true,
      expected: { sums: {} },
      withoutTotals: 'a test',
    });
    expect(report.outcome).to.equal('applied');
  }
  // Another borrower from a date on ends the grant by the first one; reverting it brings it back.
  const [ministry] = await directory.parties('Ministry of Works', 1);
  const byBorrower = await entitlements.grant({
    customer: 'ministry',
    role: 'borrower',
    lenderId: undefined,
    deals: { borrowerId: ministry?.id ?? '' },
  });
  const covered = byBorrower?.deals ?? 0;
  const text = statement('06/30/2025', [{ ...LOAN, Borrower: 'Ministry of Roads' }]);
  await importStatement(book, {
    source: textSource(text),
    profile,
    apply: true,
    expected: { sums: {} },
    withoutTotals: 'a test',
  });
  const dealsNow = async () => (await entitlements.list('ministry'))[0]?.deals;
  expect(await dealsNow()).to.equal(covered - 1);
  const [, , renamed] = await book.imports();
  expect((await book.revert(renamed?.id ?? '', true)).outcome).to.equal('reverted');
  expect(await dealsNow()).to.equal(covered);
  const name = { party: ministry?.id ?? '', name: 'Borrowers', from: date('2025-03-31') };
  const named = await operator.partyNames.rename({ ...name, reason: 'misspelt' }, true);
  expect(named.outcome).to.equal('renamed');
  const [, last] = await book.imports();
  expect((await book.revert(last?.id ?? '', true)).outcome).to.equal('reverted');
  const through = date('2025-06-30');
  const billed = await billAccruals(billing, { through, dueDate: through, apply: true });
  expect(billed.outcome).to.equal('billed');
  const rule = await entitlements.grant({
    customer: 'india',
    role: 'agent',
    lenderId: undefined,
    deals: { allDeals: true },
  });
  expect((await entitlements.list(undefined))[0]?.deals).to.be.greaterThan(0);
  expect(await entitlements.revoke(rule?.rule ?? '')).to.equal(true);
  expect(await directory.deals('', 5)).not.to.have.length(0);
  await fxRates.add({ date: through, from: 'EUR', to: 'USD', rate: '1.1', source: 'ECB' });
  const closed = await operator.periods.decide('reported', () => date('2025-01-31'));
  expect(closed.through).to.equal('2025-01-31');
  await operator.periods.decide('late notice', () => null);
  await useNotices(operator);
  const lines: string[] = [];
  await exportJournals(journals, async (text) => void lines.push(...text.trimEnd().split('\n')));
  const again = await importJournals(journals, {
    apply: true,
    lines: async function* () {
      yield* lines;
    },
  });
  expect([again.outcome, again.faults]).to.deep.equal(['applied_before', []]);
  const { checks } = await operator.reconciler.reconcile(1);
  expect(checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
}

async function useNotices({ contacts, notices, retirements }: Operator): Promise<void> {
  const now = new Date('2026-11-22T00:00:00Z');
  const contact = { customer: 'bank', channel: 'email', target: 'api@bank.example' } as const;
  expect(await contacts.add(contact, null, now)).to.equal(true);
  expect(await notices.retryFailed({}, now)).to.equal(0);
  expect(await notices.list({})).to.deep.equal([]);
  expect(await contacts.remove(contact)).to.equal(true);
  const instants = { retiresAt: '2028-12-01T00:00:00Z', effectiveAt: '2028-12-01T00:00:00Z' };
  const made = await retirements.decide({
    ...{ version: 'v1', ...instants, decision: 'forced', decidedAt: '2026-11-22T00:00:00Z' },
    ...{ decidedBy: 'Ada', reason: 'told by telephone', untold: ['bank'] },
  });
  expect(await retirements.list()).to.deep.equal([made]);
}
