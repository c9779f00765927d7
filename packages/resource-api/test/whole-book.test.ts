import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { Random } from '@cls/book-generator/random';
import { silentLog } from '@cls/shared/log';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { makeStore } from '@cls/testing/embedded-template';
import { describeOnEngines, pglite } from '@cls/testing/engines';
import { eventually, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { sqlWholeBook } from '../src/chain/sql-whole-book.ts';
import { startResourceApi } from '../src/compose.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { sqlFxRates } from '../src/fx/sql-fx-rates.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { apiConfig, startTestApi, viewer } from './support/api.ts';
import { date } from './support/book.ts';
import { History, randomlyTold } from './support/history.ts';
import { runWith } from './support/tool.ts';

const SEEDS = (process.env['MOVE_SEEDS'] ?? '1').split(',').map(Number);
const STEPS = 14;
const LOANS = ['A1', 'B2', 'C3', 'D4', 'E5'];
const DATES = ['2020-06-30', '2021-03-31', '2022-05-31', '2023-05-31', '2024-06-30'] as const;
const ENV = { CURSOR_KEY: randomBytes(32).toString('base64url') };

/** Statements, take-backs, drawings, reversals, rates and grants, in any order. */
async function randomHistory(database: Database, random: Random): Promise<void> {
  const history = new History(database);
  const grants = sqlEntitlements(database);
  for (let step = 0; step < STEPS; step += 1) {
    const standing = history.standingImports.at(-1);
    const drawn = history.done.filter(({ journal }) => journal !== undefined);
    const loan = history.loans[random.between(0, Math.max(0, history.loans.length - 1))];
    const choice = random.between(1, 10);
    if (choice <= 2 && standing !== undefined) await history.revert(standing);
    else if (choice <= 4 && loan !== undefined) {
      await history.draw(loan, random.pick(DATES), random.between(1, 9) * 100);
    } else if (choice === 5 && drawn[0] !== undefined) await history.turn(drawn[0]);
    else if (choice === 6) {
      const rate = { from: 'USD', to: 'EUR', rate: `0.${random.between(80, 99)}`, source: 'x' };
      await sqlFxRates(database).add({ date: date(random.pick(DATES)), ...rate });
    } else if (choice === 7) {
      const customer = `c${step}`;
      const country = random.pick(['IN', 'BR'] as const);
      await grants.grant({ customer, role: 'borrower', lenderId: undefined, deals: { country } });
    } else {
      const open = DATES.filter((day) => standing === undefined || day >= standing.date);
      await history.import(random.pick(open as unknown as typeof DATES), told(random));
    }
  }
  await grants.grant({
    customer: 'one',
    role: 'borrower',
    lenderId: undefined,
    deals: { country: 'IN' },
  });
}

const told = (random: Random) => randomlyTold(random, LOANS, ['Project 1', 'Über 2', '']);

/** A book of the embedded store, what its service answered, and its file. */
async function exportedBook(random: Random) {
  const old = await startTestApi(pglite, ENV);
  const read = async (baseUrl: string, { path, claims }: Question) => {
    const token = await old.token(claims);
    const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'asked-twice' };
    const response = await fetch(`${baseUrl}${path}`, { headers });
    const { status } = response;
    const [etag, link] = ['etag', 'link'].map((name) => response.headers.get(name));
    return { status, etag, link, text: await response.text() };
  };
  await randomHistory(old.database, random);
  const asked: { question: Question; answer: Awaited<ReturnType<typeof read>> }[] = [];
  for (let n = 0; n < 60; n += 1) {
    const question = await randomQuestion(old.database, random);
    const answer = await read(old.baseUrl, question);
    asked.push({ question, answer });
    const next = /"nextCursor":"([^"]+)"/.exec(answer.text)?.[1];
    if (next === undefined) continue;
    const path = `${question.path.replace(/&?limit=\d+/, '')}&cursor=${next}`;
    const following = { ...question, path };
    asked.push({ question: following, answer: await read(old.baseUrl, following) });
  }
  const lines: string[] = [];
  const { head } = await sqlWholeBook(old.database).export(async (text) => {
    lines.push(...text.trimEnd().split('\n'));
  });
  await old.stopService();
  return { old, read, asked, lines, head };
}

for (const seed of SEEDS) {
  describe(`a book that moves from the embedded store, after any history (${seed})`, () => {
    let exported: Awaited<ReturnType<typeof exportedBook>>;
    before(async () => {
      exported = await exportedBook(new Random(seed));
    });
    after(() => exported?.old.stop());

    describeOnEngines('in another store', (engine) => {
      let target: DatabaseLocation;
      let database: Database;
      let moved: Awaited<ReturnType<typeof startResourceApi>>;

      before(async () => {
        target = await engine.createLocation(MIGRATIONS);
        database = await openDatabaseAsOperator(target, 'test', silentLog);
      });
      after(async () => {
        await database?.close();
        await moved?.stop();
      });

      async function* given(some: readonly string[]) {
        yield* some;
      }

      it('is refused where a journal of the file was changed and its digest made anew', async () => {
        const { createHash } = await import('node:crypto');
        const { lines } = exported;
        const at = lines.findIndex((line) => line.startsWith('{"table":"posting"')) + 1;
        const forged = lines.slice(0, -1).map((line, n) => (n === at ? forgedPosting(line) : line));
        const sha256 = createHash('sha256')
          .update(`${forged.join('\n')}\n`)
          .digest('hex');
        const { summary } = JSON.parse(lines.at(-1) ?? '');
        const all = [...forged, JSON.stringify({ summary: { ...summary, sha256 } })];
        const said = await sqlWholeBook(database)
          .import(given(all))
          .then(
            () => 'read',
            ({ message }) => message,
          );
        expect(said).to.include('the chain of hashes is broken at sequence');
        expect(await database.query('SELECT FROM journal')).to.deep.equal([]);
      });

      it('is refused where something follows its summary, such as another book', async () => {
        const { lines } = exported;
        const said = await sqlWholeBook(database)
          .import(given([...lines, ...lines]))
          .then(
            () => 'read',
            ({ message }) => message,
          );
        expect(said).to.equal('the file was changed: it goes on after its summary');
        expect(await database.query('SELECT FROM journal')).to.deep.equal([]);
      });

      it('has the same head and breaks no invariant', async () => {
        const copied = await sqlWholeBook(database).import(given(exported.lines));
        expect(copied.head).to.equal(exported.head).and.to.be.a('string');
        const report = await sqlReconciler(database).reconcile(3);
        expect(report.checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
      });

      it('answers every question with the same bytes, validator and cursor, and goes on with walks', async () => {
        await database.close();
        const config = apiConfig(target, exported.old.jwks.url, ENV);
        moved = await startResourceApi(config, silentLog);
        database = await openDatabaseAsOperator(target, 'test', silentLog);
        const baseUrl = `http://127.0.0.1:${moved.port}`;
        await eventually(async () => {
          if (!(await fetch(`${baseUrl}/readyz`)).ok) throw new Error('not ready');
        });
        const { asked, read } = exported;
        for (const { question, answer } of asked) {
          expect(await read(baseUrl, question), question.path).to.deep.equal(answer);
        }
        const ok = asked.filter(({ answer }) => answer.status === 200);
        expect(ok.length).to.be.greaterThan(asked.length / 2);
      });

      it('takes the next journals, chained to the ones that moved', async () => {
        const [last] = await database.query<{ seq: bigint }>('SELECT max(seq) AS seq FROM journal');
        await new History(database).import('2025-01-31', told(new Random(seed)));
        const [next] = await database.query<{ seq: bigint }>(
          'SELECT min(seq) AS seq FROM journal WHERE seq > $1',
          [last?.seq ?? 0n],
        );
        expect(next?.seq).to.equal((last?.seq ?? 0n) + 1n);
        const report = await sqlReconciler(database).reconcile(1);
        expect(report.checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
        const refused = await database.query('DELETE FROM posting').catch(({ code }) => code);
        expect(refused, 'triggers are on').to.be.a('string');
      });
    });
  });
}

/** Another amount, as somebody may write who edits the file. */
function forgedPosting(line: string): string {
  const cells = JSON.parse(line) as (string | null)[];
  const at = cells.findIndex((cell) => /^-?\d{4,}$/.test(cell ?? ''));
  cells[at] = `${BigInt(cells[at] ?? 0) + 1n}`;
  return JSON.stringify(cells);
}

const RESOURCES = ['balances', 'balances/principal', 'balances/principal/movements'] as const;

interface Question {
  readonly path: string;
  readonly claims: Record<string, unknown>;
}

async function randomQuestion(database: Database, random: Random): Promise<Question> {
  const instants = await database.query<{ at: string }>(
    `SELECT to_char(posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
     FROM journal ORDER BY seq`,
  );
  const resource = random.pick(RESOURCES);
  const parameters = new URLSearchParams({ limit: `${random.between(1, 3)}` });
  const maybe = (name: string, value: string) => {
    if (random.between(1, 3) === 1) parameters.set(name, value);
  };
  parameters.set('asOf', random.pick(DATES));
  if (resource !== 'balances/principal/movements') {
    maybe('level', random.pick(['deal', 'facility', 'contract', 'position'] as const));
    maybe('includeZero', 'true');
    maybe('sort', random.pick(['dealNumber', '-dealNumber', '-outstanding'] as const));
  }
  const known = instants[random.between(0, Math.max(0, instants.length - 1))]?.at;
  if (known !== undefined) maybe('knownAt', known);
  if (resource === 'balances') maybe('reportingCurrency', 'EUR');
  if (resource === 'balances/principal') maybe('fromDate', '2020-06-30');
  const claims = random.between(1, 3) === 1 ? viewer('one') : {};
  return { path: `/api/v1/cls/${resource}?${parameters}`, claims };
}

describeOnEngines('a book that 0.5.0 exported', (engine) => {
  it('is read with its head, and breaks no invariant', async () => {
    const file = new URL('../../test/fixtures/book-0.5.0.cls.gz', import.meta.url);
    const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
    const location = await engine.createLocation(MIGRATIONS);
    const database = await openDatabaseAsOperator(location, 'test', silentLog);
    try {
      const { rows, head } = await sqlWholeBook(database).import(Readable.from(lines));
      expect([rows, head]).to.deep.equal([
        234,
        'adf2f2cb26edbaf57e7902e3bff559a7830fea317dce6eca44131d21ce7878f6:8',
      ]);
      const { checks } = await sqlReconciler(database).reconcile(3);
      expect(checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
    } finally {
      await database.close();
    }
  });
});

describe('cls-api book', () => {
  it('writes a file that nobody else may read, and fills a new store with it', async () => {
    const folder = temporaryDirectory('cls-book-');
    const [source, target] = [
      { CLS_DATA_DIR: join(folder, 'a') },
      { CLS_DATA_DIR: join(folder, 'b') },
    ];
    const file = join(folder, 'book.cls');
    const example = new URL('../../../../docs/start/examples/book.ndjson', import.meta.url)
      .pathname;
    for (const name of ['a', 'b', 'c']) {
      await makeStore(join(folder, name, 'resource-api', 'database'), MIGRATIONS);
    }
    const run = async (words: string[], env = source) => runWith(env, ...words);
    expect((await run(['journals', 'import', example, '--apply'])).code).to.equal(0);
    const wrote = await run(['book', 'export', file]);
    expect(wrote.stdout).to.match(/^wrote 1 deals, \d+ journals .*\nhead [0-9a-f]{64}:\d+\n$/);
    expect(statSync(file).mode & 0o077, 'nobody else may read it').to.equal(0);
    const read = await run(['book', 'import', file], target);
    expect(read.stdout).to.equal(wrote.stdout.replace('wrote', 'read'));
    const again = await run(['book', 'import', file], target);
    expect(again.code).to.equal(1);
    expect(again.stderr).to.include('the store is not empty');
    writeFileSync(join(folder, 'cut'), readFileSync(file).subarray(0, -20));
    const empty = { CLS_DATA_DIR: join(folder, 'c') };
    const cut = await run(['book', 'import', join(folder, 'cut')], empty);
    expect(cut.stderr).to.include('refused, nothing was written: the file is cut');
  });
});
