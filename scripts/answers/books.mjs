// The books that `scripts/answers.mjs` asks, in a PostgreSQL with a folder of its own, and the service of
// this checkout on a copy of them. The seeds are fixed; times of posting, and ids of imported records, are not.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { generateBook } from '../../packages/book-generator/dist/src/generate-book.js';
import { Random } from '../../packages/book-generator/dist/src/random.js';
import { billAccruals } from '../../packages/resource-api/dist/src/billing/bill-accruals.js';
import { startResourceApi } from '../../packages/resource-api/dist/src/compose.js';
import { daysAfter } from '../../packages/resource-api/dist/src/ledger/business-date.js';
import { MIGRATIONS } from '../../packages/resource-api/dist/src/store/migrations.js';
import { sqlBilling } from '../../packages/resource-api/dist/src/store/sql-billing.js';
import { sqlEntitlements } from '../../packages/resource-api/dist/src/store/sql-entitlements.js';
import { sqlFxRates } from '../../packages/resource-api/dist/src/store/sql-fx-rates.js';
import { mostlyInOrder } from '../../packages/resource-api/dist/test/support/any-order.js';
import { apiConfig, viewer } from '../../packages/resource-api/dist/test/support/api.js';
import {
  importWorldBank,
  postPrincipal,
} from '../../packages/resource-api/dist/test/support/book.js';
import { datedFacts } from '../../packages/resource-api/dist/test/support/dated-facts.js';
import { loadRecords } from '../../packages/resource-api/dist/test/support/generated.js';
import { History } from '../../packages/resource-api/dist/test/support/history.js';
import {
  goodClaims,
  newKey,
  signToken,
  startJwksServer,
} from '../../packages/resource-api/dist/test/support/issuer.js';
import { silentLog } from '../../packages/shared/dist/src/log.js';
import { Secret } from '../../packages/shared/dist/src/secret.js';
import { openDatabaseAsOwner } from '../../packages/shared/dist/src/service/open-database.js';
import { migrate, readMigrations } from '../../packages/shared/dist/src/sql/migrate.js';
import { startPostgresInstance } from '../../packages/testing/dist/src/postgres-instance.js';
import { eventually, temporaryDirectory } from '../../packages/testing/dist/src/servers.js';

const BOOKS = { world_bank: worldBank, generated, histories };
export const BOOK_NAMES = Object.keys(BOOKS);
/** Who asks; `*` has full control. `makeBook` grants the parts. */
export const CUSTOMERS = [
  '*',
  'agency',
  'lender',
  'few',
  'borrower',
  'countries',
  'mixed',
  'late',
  'nobody',
];
const LOANS = Array.from({ length: 30 }, (_, number) => `L${number}`);
const DAYS = ['2020-06-30', '2021-03-31', '2021-09-30', '2022-05-31', '2023-05-31', '2024-06-30'];
const DESCRIPTION = 'books.json';
const TIMEOUT_MS = 600_000;
const CURSOR_KEY = 'c'.repeat(43);

/** Makes the books in a new folder. */
export async function makeBooks(folder) {
  if (existsSync(join(folder, 'data'))) throw new Error(`${folder} has books already`);
  mkdirSync(folder, { recursive: true });
  const instance = await startPostgresInstance({ directory: folder });
  for (const name of BOOK_NAMES) {
    const startedMs = Date.now();
    await instance.createDatabase(name);
    const database = await openDatabaseAsOwner(locationOf(instance, name), name, silentLog, true);
    await migrate(database, readMigrations(MIGRATIONS));
    await BOOKS[name](database, new Random(BOOK_NAMES.indexOf(name) + 1));
    const [counts] = await database.query(
      `SELECT (SELECT count(*) FROM deal)::int AS deals, (SELECT count(*) FROM journal)::int AS journals,
         (SELECT count(DISTINCT posted_at) FROM journal)::int AS instants`,
    );
    await database.close();
    await instance.query('VACUUM (ANALYZE)', name);
    console.log(name, counts, `${Math.round((Date.now() - startedMs) / 1_000)} s`);
  }
  const described = { id: randomUUID(), clock: new Date().toISOString() };
  writeFileSync(join(folder, DESCRIPTION), JSON.stringify(described));
  await instance.stop('fast');
}

/** As the bench has it, with late movements. */
async function worldBank(database, random) {
  await importWorldBank(database);
  await grantParts(database);
  await addRates(database, random);
  const loans = await database.query(
    'SELECT contract_number AS name FROM loan_contract ORDER BY key',
  );
  for (let number = 0; number < 150; number += 1) {
    const [kind, sign] = random.pick([
      ['advance', 1],
      ['scheduled_repayment', -1],
    ]);
    const day = random.pick(['2025-01-15', '2025-03-31', '2025-06-30', '2026-02-28']);
    const amount = BigInt(sign * random.between(1, 900_000_000));
    await postPrincipal(database, random.pick(loans).name, kind, day, amount);
  }
  await addRates(database, random);
}

async function generated(database, random) {
  const plan = { contracts: 300, years: 3, seed: 1, from: '2022-01-15', sublimits: true };
  await postGenerated(database, random, plan, { chance: 0, sizes: [200, 900] }, grantParts);
  await bill(database, '2025-06-20');
  await addRates(database, random);
  const late = { ...plan, contracts: 40, seed: 2, from: '2024-10-01' };
  await postGenerated(database, random, late, { chance: 0.02, sizes: [1, 20] });
  await bill(database, '2026-10-15');
  await grantLate(database);
}

/** Many small books in turns with statements; the last goes beyond today. */
async function histories(database, random) {
  const statements = new History(database);
  for (let seed = 101; seed < 125; seed += 1) {
    for (let step = 0; step < 6; step += 1) await act(statements, random);
    const from =
      seed === 124 ? '2026-02-01' : random.pick(['2021-01-15', '2023-01-15', '2024-06-01']);
    const plan = { contracts: 40, years: 1, seed, from, sublimits: true, uneven: seed % 2 === 0 };
    const chance = random.pick([0.01, 0.05, 0.3]);
    await postGenerated(database, random, plan, { chance, sizes: [1, 1, 7, 60] });
    if (seed === 102) await grantParts(database);
    if (seed % 8 === 0)
      await bill(database, random.pick(['2022-08-20', '2024-06-20', '2026-06-20']));
    if (seed % 10 === 5) await addRates(database, random);
  }
  await grantLate(database);
}

/** Names and terms change meanwhile. @param between what is done once the records are there */
async function postGenerated(database, random, plan, { chance, sizes }, between = () => undefined) {
  const records = [...generateBook(plan, () => undefined)];
  const named = records.map((record) =>
    'externalIds' in record && random.chance(0.3)
      ? {
          ...record,
          externalIds: [{ source: 'AGENCY', value: `${plan.seed}/${record.id.slice(-9)}` }],
        }
      : record,
  );
  await loadRecords(
    database,
    named.filter(({ object }) => object !== 'journal'),
  );
  await between(database);
  const journals = records.filter(({ object }) => object === 'journal');
  const rest = mostlyInOrder(journals, chance, random);
  const facts = [...datedFacts(records, random)];
  while (rest.length + facts.length > 0) {
    const some = [...rest.splice(0, random.pick(sizes)), ...facts.splice(0, random.between(0, 2))];
    await loadRecords(database, some);
  }
}

function bill(database, through) {
  const asked = { through, dueDate: daysAfter(through, 5), apply: true };
  return billAccruals(sqlBilling(database), asked);
}

/** A statement, or what takes one back; a record alone, a drawing, or what takes one back. */
async function act(history, random) {
  const last = history.standingImports.at(-1);
  const drawn = history.done.filter(({ journal }) => journal !== undefined);
  const choice = random.between(1, 10);
  if (choice === 1) return history.book(`R${history.loans.length}`, random.pick(DAYS));
  if (choice === 2 && last !== undefined) return history.revert(last);
  if (choice === 3 && drawn.length > 0) return history.turn(random.pick(drawn));
  if (choice <= 7 && history.loans.length > 0) {
    const amount = random.between(1, 9) * 100;
    return history.draw(random.pick(history.loans), random.pick(DAYS), amount);
  }
  const stated = random.some(LOANS, random.between(1, LOANS.length)).map((loan) => [
    loan,
    {
      disbursed: random.between(1, 5) * 10_000,
      status: random.pick(['Repaying', 'Fully Repaid']),
      name: random.pick(['Project of water', 'Project of roads', '']),
      borrower: random.pick(['Borrower of statements', 'Ministry of Finance', '']),
      country: random.pick(['IN', 'BR', 'DE']),
    },
  ]);
  const open = DAYS.filter((day) => last === undefined || day >= last.date);
  return history.import(random.pick(open), new Map(stated));
}

async function grantParts(database) {
  const column = async (sql) => (await database.query(sql)).map(({ v }) => v);
  const most = (of) => `GROUP BY ${of} ORDER BY count(*) DESC, ${of} LIMIT 3`;
  const [, lender] = await column(
    `SELECT y.id AS v FROM lender_position p JOIN party y ON y.key = p.lender_key ${most('y.id')}`,
  );
  const [borrowerId] = await column(
    `SELECT y.id AS v FROM deal d JOIN party y ON y.key = d.borrower_key ${most('y.id')}`,
  );
  const [first, second] = await column(`SELECT country AS v FROM deal ${most('country')}`);
  const deals = await column('SELECT id AS v FROM deal ORDER BY md5(id) LIMIT 4');
  await grant(database, [
    ['agency', 'agent', { allDeals: true }],
    ['lender', 'lender', { allDeals: true }, lender],
    ['few', 'agent', { dealId: deals[0] }],
    ['few', 'agent', { dealId: deals[1] }],
    ['few', 'borrower', { dealId: deals[2] }],
    ['borrower', 'borrower', { borrowerId }],
    ['countries', 'borrower', { country: first }],
    ['countries', 'agent', { country: second ?? 'FR' }],
    ['mixed', 'lender', { allDeals: true }, lender],
    ['mixed', 'agent', { country: first }],
  ]);
}

/** Its access is newer than most that is known. */
async function grantLate(database) {
  const [{ lender }] = await database.query(
    'SELECT y.id AS lender FROM lender_position p JOIN party y ON y.key = p.lender_key ORDER BY p.key DESC LIMIT 1',
  );
  await grant(database, [['late', 'lender', { allDeals: true }, lender]]);
}

async function grant(database, rules) {
  const entitlements = sqlEntitlements(database);
  for (const [customer, role, deals, lenderId] of rules) {
    await entitlements.grant({ customer, role, lenderId, deals });
  }
}

async function addRates(database, random) {
  const currencies = await database.query(
    'SELECT DISTINCT currency FROM facility ORDER BY currency',
  );
  for (const { currency: from } of currencies) {
    for (const to of ['USD', 'EUR'].filter((one) => one !== from)) {
      for (const date of ['2015-01-01', '2023-06-30', '2025-03-31']) {
        const rate = `${random.between(1, 99)}.${random.between(1, 999)}`;
        await sqlFxRates(database).add({ date, from, to, rate, source: 'answers' });
      }
    }
  }
}

function locationOf(instance, name) {
  const url = new Secret(instance.url(name));
  return {
    kind: 'postgres',
    url,
    poolSize: 5,
    statementTimeoutMs: TIMEOUT_MS,
    patienceMs: TIMEOUT_MS,
  };
}

/** A copy of the folder, so that the books stay as they are and several may ask them at once. */
export async function openBooks(folder) {
  const described = JSON.parse(readFileSync(join(folder, DESCRIPTION), 'utf8'));
  const directory = temporaryDirectory('cls-answers-');
  execFileSync('cp', ['-a', join(folder, 'data'), directory]);
  const instance = await startPostgresInstance({ directory });
  return { described, serve: (name) => serve(instance, name, described.clock) };
}

/** The service of this checkout, for which it is always the time at which the books were made. */
async function serve(instance, name, time) {
  const clock = { now: () => new Date(time) };
  const key = await newKey('answers');
  const jwks = await startJwksServer([key.jwk]);
  const location = locationOf(instance, name);
  const config = apiConfig(location, jwks.url, { CURSOR_KEY });
  const api = await startResourceApi(config, silentLog, clock);
  const iat = Math.floor(Date.parse(time) / 1_000);
  const times = { iat, exp: iat + 3_600, jti: 'answers' };
  const tokens = new Map();
  for (const customer of CUSTOMERS) {
    const claims = customer === '*' ? {} : viewer(customer);
    tokens.set(customer, await signToken(key, goodClaims({ ...times, ...claims })));
  }
  const agent = new Agent({ keepAlive: true });
  const ask = async ({ caller, path, headers = {} }) => {
    const authorization = `Bearer ${tokens.get(caller)}`;
    const sent = request(`http://127.0.0.1:${api.port}${path}`, {
      agent,
      headers: { authorization, 'x-request-id': 'answers', ...headers },
    });
    const response = await new Promise((resolve, reject) => {
      sent.once('response', resolve).once('error', reject).end();
    });
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  };
  await eventually(async () => {
    const { status, body } = await ask({ caller: '*', path: '/api/v1/cls/me' });
    if (status !== 200) throw new Error(body);
  });
  const database = await openDatabaseAsOwner(location, 'answers', silentLog, false);
  return {
    ask,
    database,
    async stop() {
      agent.destroy();
      await database.close();
      await api.stop();
      await jwks.stop();
    },
  };
}
