// The books that `scripts/answers.mjs` asks, in a PostgreSQL with a folder of its own, and the service of this
// checkout on a copy of them. Seeds are fixed; times of posting, and ids of imported records, are not.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateBook } from '../../packages/book-generator/dist/src/generate-book.js';
import { Random } from '../../packages/book-generator/dist/src/random.js';
import { sqlEntitlements } from '../../packages/resource-api/dist/src/access/sql-entitlements.js';
import { billAccruals } from '../../packages/resource-api/dist/src/billing/bill-accruals.js';
import { sqlBilling } from '../../packages/resource-api/dist/src/billing/sql-billing.js';
import { MIGRATIONS } from '../../packages/resource-api/dist/src/database/migrations.js';
import { sqlFxRates } from '../../packages/resource-api/dist/src/fx/sql-fx-rates.js';
import { daysAfter } from '../../packages/resource-api/dist/src/ledger/business-date.js';
import { mostlyInOrder } from '../../packages/resource-api/dist/test/support/any-order.js';
import { startTestApi, viewer } from '../../packages/resource-api/dist/test/support/api.js';
import * as worldBankBook from '../../packages/resource-api/dist/test/support/book.js';
import { datedFacts } from '../../packages/resource-api/dist/test/support/dated-facts.js';
import { loadRecords } from '../../packages/resource-api/dist/test/support/generated.js';
import { act, History } from '../../packages/resource-api/dist/test/support/history.js';
import { silentLog } from '../../packages/shared/dist/src/log.js';
import { Secret } from '../../packages/shared/dist/src/secret.js';
import { openDatabaseAsOperator } from '../../packages/shared/dist/src/service/open-database.js';
import { readSchema } from '../../packages/shared/dist/src/sql/migrate.js';
import { startPostgresInstance } from '../../packages/testing/dist/src/postgres-instance.js';
import { temporaryDirectory } from '../../packages/testing/dist/src/servers.js';

const BOOKS = { world_bank: worldBank, generated, histories };
export const BOOK_NAMES = Object.keys(BOOKS);
/** Who asks: `*` has full control, `late` gets its grant last, and `nobody` has none. */
export const CUSTOMERS = [
  '*',
  ...['agency', 'lender', 'few', 'borrower', 'countries', 'mixed', 'late', 'nobody'],
];
const DESCRIPTION = 'books.json';
const STATEMENTS = {
  loans: Array.from({ length: 20 }, (_, number) => `L${number}`),
  dates: ['2020-06-30', '2021-03-31', '2021-09-30', '2022-05-31', '2023-05-31', '2024-06-30'],
};
const TIMEOUT_MS = 600_000;

/** Makes the books in a new folder. */
export async function makeBooks(folder) {
  if (existsSync(join(folder, 'data'))) throw new Error(`${folder} has books already`);
  mkdirSync(folder, { recursive: true });
  const instance = await startPostgresInstance({ directory: folder });
  for (const [index, name] of BOOK_NAMES.entries()) {
    await instance.createDatabase(name);
    const schema = readSchema(MIGRATIONS);
    const database = await openDatabaseAsOperator(
      locationOf(instance, name),
      name,
      silentLog,
      schema,
    );
    await BOOKS[name](database, new Random(index + 1));
    const [counts] = await database.query(
      `SELECT (SELECT count(*) FROM deal)::int AS deals, count(*)::int AS journals,
         count(DISTINCT posted_at)::int AS instants FROM journal`,
    );
    console.log(name, counts);
    await database.close();
    await instance.query('VACUUM (ANALYZE)', name);
  }
  const described = { id: randomUUID(), clock: new Date().toISOString() };
  writeFileSync(join(folder, DESCRIPTION), JSON.stringify(described));
  await instance.stop('fast');
}

/** As the bench has it, with late movements. */
async function worldBank(database, random) {
  await worldBankBook.importWorldBank(database);
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
    await worldBankBook.postPrincipal(database, random.pick(loans).name, kind, day, amount);
  }
  await addRates(database, random);
}

/** As a bank has it: in order at first, billed, and a part of it late. */
async function generated(database, random) {
  const plan = { contracts: 300, years: 3, seed: 1, from: '2022-01-15', sublimits: true };
  await postGenerated(database, random, plan, { chance: 0, sizes: [200, 900], granted: true });
  await bill(database, '2025-06-20');
  await addRates(database, random);
  const late = { ...plan, contracts: 40, seed: 2, from: '2024-10-01' };
  await postGenerated(database, random, late, { chance: 0.02, sizes: [1, 20] });
  await bill(database, '2026-10-15');
  await grantParts(database, ['late']);
}

/** Many small books in turns with statements; the last one goes on beyond today. */
async function histories(database, random) {
  const statements = new History(database);
  for (let seed = 101; seed < 125; seed += 1) {
    for (let step = 0; step < 6; step += 1) await act(statements, random, STATEMENTS);
    const from =
      seed === 124 ? '2026-02-01' : random.pick(['2021-01-15', '2023-01-15', '2024-06-01']);
    const plan = { contracts: 26, years: 1, seed, from, sublimits: true, uneven: seed % 2 === 0 };
    const chance = random.pick([0.01, 0.05, 0.3]);
    const granted = seed === 102;
    await postGenerated(database, random, plan, { chance, sizes: [1, 1, 7, 60], granted });
    if (seed % 8 === 0)
      await bill(database, random.pick(['2022-08-20', '2024-06-20', '2026-06-20']));
    if (seed % 10 === 5) await addRates(database, random);
  }
  await grantParts(database, ['late']);
}

/** Names and terms change meanwhile. @param chance of a journal that comes late or is taken back */
async function postGenerated(database, random, plan, { chance, sizes, granted = false }) {
  const records = [...generateBook(plan, () => undefined)];
  const [journals, others] = [true, false].map((is) =>
    records.filter(({ object }) => (object === 'journal') === is),
  );
  const external = ({ id }) => [{ source: 'AGENCY', value: `${plan.seed}/${id.slice(-9)}` }];
  const isNamed = (one) => 'externalIds' in one && random.chance(0.3);
  const named = others.map((one) => (isNamed(one) ? { ...one, externalIds: external(one) } : one));
  await loadRecords(database, named);
  if (granted) await grantParts(database);
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

async function grantParts(database, customers = CUSTOMERS.filter((name) => name !== 'late')) {
  const most = (what, from) =>
    `(SELECT array_agg(v) FROM (SELECT ${what} AS v FROM ${from} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 4) one)`;
  const [{ lenders, borrowers, countries, deals }] = await database.query(
    `SELECT ${most('y.id', 'lender_position p JOIN party y ON y.key = p.lender_key')} AS lenders,
       ${most('y.id', 'deal d JOIN party y ON y.key = d.borrower_key')} AS borrowers,
       ${most('country', 'deal')} AS countries, ${most('id', 'deal')} AS deals`,
  );
  const all = { allDeals: true };
  const [country, another = 'FR'] = countries;
  const rules = [
    ['agency', 'agent', all],
    ['lender', 'lender', all, lenders[1]],
    ['late', 'lender', all, lenders[1]],
    ['few', 'agent', { dealId: deals[0] }],
    ['few', 'lender', { dealId: deals[1] }, lenders[0]],
    ['few', 'borrower', { dealId: deals[2] }],
    ['borrower', 'borrower', { borrowerId: borrowers[0] }],
    ['countries', 'borrower', { country }],
    ['countries', 'agent', { country: another }],
    ['mixed', 'lender', all, lenders[1]],
    ['mixed', 'agent', { country }],
  ];
  const entitlements = sqlEntitlements(database);
  for (const [customer, role, selection, lenderId] of rules) {
    if (!customers.includes(customer)) continue;
    await entitlements.grant({ customer, role, lenderId, deals: selection });
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
  return { kind: 'postgres', url, poolSize: 5, statementTimeoutMs: TIMEOUT_MS };
}

/** A copy of the folder: the books stay as they are, and several checkouts may ask them at once. */
export async function openBooks(folder) {
  const { id, clock } = JSON.parse(readFileSync(join(folder, DESCRIPTION), 'utf8'));
  const directory = temporaryDirectory('cls-answers-');
  execFileSync('cp', ['-a', join(folder, 'data'), directory]);
  const instance = await startPostgresInstance({ directory });
  return { id, serve: (name) => serve(locationOf(instance, name), clock) };
}

/** The service of this checkout, for which it is always the time at which the books were made. */
async function serve(location, time) {
  const engine = { createLocation: async () => location };
  const clock = { now: () => new Date(time) };
  const api = await startTestApi(engine, { CURSOR_KEY: 'c'.repeat(43) }, clock);
  const iat = Math.floor(Date.parse(time) / 1_000);
  const times = { iat, exp: iat + 3_600 };
  const tokens = new Map();
  for (const name of CUSTOMERS) {
    tokens.set(name, await api.token({ ...times, ...(name === '*' ? {} : viewer(name)) }));
  }
  const ask = async ({ caller, path, headers }) => {
    const own = { 'x-request-id': 'answers', 'accept-encoding': 'identity' };
    const authorization = `Bearer ${tokens.get(caller)}`;
    const answer = await fetch(`${api.baseUrl}${path}`, {
      headers: { authorization, ...own, ...headers },
    });
    const { status } = answer;
    return { status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  };
  return { ask, database: api.database, stop: () => api.stop() };
}
