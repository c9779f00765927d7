import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { backupOf, describeOnDatabase, postgres, requireServer } from '@cls/testing/engines';
import { eventually, postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlBookRestores } from '../src/chain/sql-book-restores.ts';
import { startResourceApi } from '../src/compose.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { apiConfig, startTestApi, type TestApi } from './support/api.ts';
import { importWorldBank, statement } from './support/book.ts';

const CURSOR_KEY = 'a'.repeat(43);
const loan = (number: string, disbursed: number) => ({
  'Loan Number': number,
  'Disbursed Amount': `${disbursed}`,
  'Original Principal Amount': '900',
  'Undisbursed Amount': `${900 - disbursed}`,
  'Due to IBRD': `${disbursed}`,
  "Borrower's Obligation": `${disbursed}`,
  'Loans Held': '900',
});
const LOANS = ['A', 'B', 'C'];
const told = (disbursed: number) => LOANS.map((number) => loan(number, disbursed));

describeOnDatabase('a book that was restored from a backup', (engine) => {
  let first: TestApi;
  let api: Awaited<ReturnType<typeof startResourceApi>>;
  let database: Database;
  /** A walk and a copy from before the backup, and from after it. */
  const kept: { name: string; cursor: string; knownAt: string; second: string }[] = [];

  const readAt = async (baseUrl: string, query: string) => {
    const headers = { authorization: `Bearer ${await first.token()}` };
    const response = await fetch(`${baseUrl}/api/v1/cls/balances${query}`, { headers });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };
  const begin = async (name: string, baseUrl: string) => {
    const { body } = await readAt(baseUrl, '?limit=1&asOf=2025-01-31');
    const cursor = body.page.nextCursor as string;
    const second = await readAt(baseUrl, `?cursor=${cursor}&asOf=2025-01-31`);
    kept.push({ name, cursor, knownAt: body.meta.knownAt, second: second.text });
  };
  const at = () => `http://127.0.0.1:${api.port}`;
  const start = async (location: DatabaseLocation) => {
    api = await startResourceApi(apiConfig(location, first.jwks.url, { CURSOR_KEY }), silentLog);
    await eventually(async () => {
      if (!(await fetch(`${at()}/readyz`)).ok) throw new Error('not ready');
    });
  };

  before(async () => {
    first = await startTestApi(engine, { CURSOR_KEY });
    await importWorldBank(first.database, statement('01/31/2025', told(100)));
    await begin('before', first.baseUrl);
    await first.stopService();
    const restored = await backupOf(first.location);
    // What is known after the backup, and will be lost.
    await start(first.location);
    const lost = await openDatabaseAsOperator(first.location, 'test', silentLog);
    await importWorldBank(lost, statement('01/31/2025', told(200)));
    await begin('after', at());
    await lost.close();
    await api.stop();
    await start(restored);
    database = await openDatabaseAsOperator(restored, 'test', silentLog);
    await sqlBookRestores(database).record();
    await importWorldBank(database, statement('01/31/2025', told(300)));
  });
  after(async () => {
    await database?.close();
    await api?.stop();
    await first?.stop();
  });

  const named = (name: string) => kept.find((one) => one.name === name) as (typeof kept)[number];

  it('goes on with a walk from before the backup, byte by byte', async () => {
    const { cursor, second } = named('before');
    const page = await readAt(at(), `?cursor=${cursor}&asOf=2025-01-31`);
    expect(page.status, page.text).to.equal(200);
    expect(page.text).to.equal(second);
  });

  it('refuses a walk over what was lost, though its sequence has other journals now', async () => {
    const { cursor, second } = named('after');
    expect(second).to.include('200.00');
    const page = await readAt(at(), `?cursor=${cursor}&asOf=2025-01-31`);
    expect(page.status).to.equal(400);
    expect(page.body).to.include({ code: 'invalid_cursor' });
    expect(page.body.detail).to.include('restored from a backup');
  });

  it('gives a copy from before the backup its changes, and makes one of what was lost read anew', async () => {
    const since = (name: string) =>
      readAt(at(), `?asOf=2025-01-31&sinceAsOf=2025-01-31&updatedSince=${named(name).knownAt}`);
    const changes = await since('before');
    expect(changes.status, changes.text).to.equal(200);
    expect(changes.body.data).to.have.length(LOANS.length);
    const refused = await since('after');
    expect(refused.status).to.equal(410);
    expect(refused.body).to.include({ code: 'delta_unavailable' });
  });

  it('answers new questions and walks, and every invariant holds', async () => {
    await begin('new', at());
    expect(named('new').second).to.include('300.00');
    const { checks } = await sqlReconciler(database).reconcile(2);
    expect(checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
  });
});

describe('a service that runs on while a fail-over loses the last change of the book', () => {
  let api: TestApi;
  let admin: Database;
  before(async function () {
    const server = await postgresServer();
    requireServer(this, 'PostgreSQL', server);
    const url = new Secret(server.adminUrl());
    admin = await openDatabaseAsOperator({ kind: 'postgres', url, poolSize: 1 }, 'test', silentLog);
    api = await startTestApi(postgres);
  });
  after(async () => {
    await api?.stop();
    await admin?.close();
  });

  it('answers from the book of the new primary, though as many changes came to it since', async () => {
    const name = nameOf(api.location);
    const disconnect = async () => {
      await admin.execute(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
        [name],
      );
    };
    const bearer = await api.token();
    const outstanding = async () => {
      const answer = await api.getWith('/api/v1/cls/balances/totals?asOf=2025-01-31', bearer);
      const { totals } = (await answer.json()) as { totals: { principalOutstanding: string }[] };
      return totals.map(({ principalOutstanding }) => principalOutstanding);
    };
    const import_ = (disbursed: number) =>
      eventually(() => importWorldBank(api.database, statement('01/31/2025', told(disbursed))));
    await import_(100);
    await disconnect();
    const standby = nameOf(await backupOf(api.location));
    await admin.execute(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await import_(200);
    expect(await outstanding()).to.deep.equal(['600.00']);
    await disconnect();
    await admin.execute(`ALTER DATABASE ${name} RENAME TO ${name}_lost`);
    await admin.execute(`ALTER DATABASE ${standby} RENAME TO ${name}`);
    await import_(300);
    expect(await outstanding()).to.deep.equal(['900.00']);
    await api.stop();
    await admin.execute(`DROP DATABASE ${name}_lost`);
  });
});

function nameOf(location: DatabaseLocation): string {
  if (location.kind !== 'postgres') throw new Error('no database of PostgreSQL');
  return new URL(location.url.expose()).pathname.slice(1);
}
