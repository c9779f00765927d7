// Prints how PostgreSQL executes each statement of a read, on a generated book (Markdown).
// Takes the statements from the store itself as it runs, so the page cannot tell of others.
//   node scripts/explain.mjs [contracts, 1000] [years, 4]
import { writeSync } from 'node:fs';
import { generateBook } from '../packages/book-generator/dist/src/generate-book.js';
import { MIGRATIONS } from '../packages/resource-api/dist/src/database/migrations.js';
import { writeBook } from '../packages/resource-api/dist/src/posting/write-book.js';
import {
  LEVELS,
  NO_FILTER,
} from '../packages/resource-api/dist/src/questions/ask/balance-store.js';
import { sqlBalanceStore } from '../packages/resource-api/dist/src/questions/sql-balance-store.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { explainedDatabase } from '../packages/testing/dist/src/explained-database.js';
import { postgresServer } from '../packages/testing/dist/src/servers.js';

const contracts = Number(process.argv[2] ?? 1_000);
const years = Number(process.argv[3] ?? 4);
const CUSTOMER = 'customer';
const FEW_DEALS = 'few-deals';
const LINE_CHARS = 150;
/** What row-level security adds to each condition. */
const POLICY =
  /\(\(current_setting\('cls.full_control'::text, true\) = 'on'::text\)( OR (\$\d+|\((hashed )?SubPlan \d+\)|sees_\w+\([\w.]+\)))+\)/g;
const EXPLAIN = 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF';

const database = await openBook();
let plans = [];
const explained = explainedDatabase(database, {
  as: EXPLAIN,
  keptPlans: 'prepared',
  executed: (lines) => plans.push(legible(lines)),
});
const store = sqlBalanceStore({
  ...explained,
  query: (sql, params, options) =>
    explained.transaction((inside) => inside.query(sql, params), options),
});

const [{ seq, first, facts }] = await database.query(
  `SELECT max(seq) AS seq, min(effective_date) AS first, (SELECT count(*) FROM posting) AS facts
   FROM journal`,
);
const asOf = `${Number(first.slice(0, 4)) + Math.floor(years / 2)}-06-30`;
const snapshot = { asOf, ledgerSeq: seq };
const all = { fullControl: true };
const one = { customer: CUSTOMER };
const few = { customer: FEW_DEALS };
const page = (level, change = {}) => ({
  level,
  filter: NO_FILTER,
  snapshot,
  sort: undefined,
  after: undefined,
  limit: 100,
  ...change,
});
const keys = (await database.query('SELECT key FROM facility ORDER BY key LIMIT 100')).map(
  ({ key }) => key,
);
const someDeal = (await database.query('SELECT id FROM deal ORDER BY key LIMIT 1'))[0].id;

const QUESTIONS = [
  ...LEVELS.map((level) => [`A page of 100 at level ${level}`, () => store.page(all, page(level))]),
  [
    'A page sorted by borrower',
    () => store.page(all, page('facility', { sort: { by: 'borrower', descending: false } })),
  ],
  [
    'The next page, sorted by outstanding principal',
    () => {
      const sort = { by: 'outstanding', descending: true };
      const after = { sortValue: '1000000', key: keys[9] };
      return store.page(all, page('facility', { sort, after }));
    },
  ],
  ['A page of one deal', () => store.page(all, page('facility', { filter: filterOf(someDeal) }))],
  ['A page for a lender, under row-level security', () => store.page(one, page('facility'))],
  ['Balances of a page at another moment', () => store.balancesOf(all, 'facility', keys, snapshot)],
  ['What of a page is past due', () => store.pastDueOf('facility', keys, snapshot)],
  ['What accrues on a page', () => store.accrualsOf('facility', keys, snapshot)],
  [
    'What accrues on all days, to be kept for totals',
    async () => {
      const edition = { generation: await store.generation(), today: await today() };
      return store.accrualAmountsOf('facility', keys, { ...snapshot, edition });
    },
  ],
  ['Totals of the whole book', () => store.totals(all, page('facility'))],
  [
    'Totals of a part of the book',
    () => {
      const filter = { ...NO_FILTER, facilityTypes: ['revolver'] };
      return store.totals(all, page('facility', { filter }));
    },
  ],
  ['Totals of the few deals of a caller', () => store.totals(few, page('facility'))],
  ['Items of the whole book that accrue', () => store.accruing(all, page('facility'))],
  [
    'A page of movements',
    () => {
      const request = { filter: filterOf(someDeal), snapshot, limit: 100 };
      return store.movements(all, { ...request, fromDate: undefined, after: undefined });
    },
  ],
  [
    'A page of movements in the middle of the book',
    () => {
      const after = { seq: seq / 2n, number: 1 };
      return store.movements(all, {
        ...{ filter: NO_FILTER, snapshot, limit: 100 },
        ...{ fromDate: undefined, after },
      });
    },
  ],
  [
    'A page of movements of one currency',
    () => {
      const filter = { ...NO_FILTER, currencies: ['EUR'] };
      return store.movements(all, {
        ...{ filter, snapshot, limit: 100 },
        ...{ fromDate: undefined, after: undefined },
      });
    },
  ],
  ['When journals were posted', () => store.postedAt([1n, seq])],
  ['How far the book reaches', () => store.ledgerState('9999-12-31')],
  ['What a state of knowledge says of a date', () => store.knowledge(snapshot, '9999-12-31')],
  ['The sequence at an instant', () => store.sequenceAt(new Date().toISOString())],
];

const sections = [];
for (const [title, ask] of QUESTIONS) {
  plans = [];
  await ask();
  sections.push(`## ${title}\n\n${plans.map((plan) => `\`\`\`\n${plan}\n\`\`\`\n`).join('\n')}`);
}
const head = `# How statements are executed

Made by \`node scripts/explain.mjs\` on PostgreSQL, from the statements that the store runs: a book of ${contracts} contracts over ${years} years with ${facts} postings, as of ${asOf}. A balance is read as \`Index Scan … balance_pkey\` with one row each time: the newest row at or before the date and the sequence, whatever the length of the history. A statement whose plan sessions keep is shown with this plan: \`$1\` is the date, \`$2\` the sequence. What row-level security adds to a condition reads (policy); what never ran is left out.
`;
writeSync(1, [head, ...sections].join('\n'));
process.exit(0);

/** Without what never ran, how much memory was used, and the ends of long conditions. */
function legible(lines) {
  const depth = (line) => line.length - line.trimStart().length;
  let skipped;
  const kept = lines.filter((line) => {
    if (skipped !== undefined && depth(line) > skipped) return false;
    skipped = line.includes('(never executed)') ? depth(line) : undefined;
    return (
      skipped === undefined &&
      !/^ *(SubPlan|Sort Method|Heap Blocks|Buckets|Batches|Cache|Hits)/.test(line)
    );
  });
  return kept
    .map((line) => line.replace(/ \(actual rows=(\d+) loops=(\d+)\)/, ' ($1 rows, $2 times)'))
    .map((line) => line.replaceAll(POLICY, '(policy)'))
    .map((line) => line.replace(/^ +/, (spaces) => ' '.repeat(Math.ceil(spaces.length / 3))))
    .map((line) => (line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line))
    .join('\n');
}

function filterOf(deal) {
  return { ...NO_FILTER, dealIds: [deal] };
}

async function openBook() {
  const server = await postgresServer();
  if (server === undefined) throw new Error('PostgreSQL is not installed on this machine');
  const opened = postgresDatabase({
    url: new Secret(await server.createDatabase()),
    poolSize: 2,
    statementTimeoutMs: 30 * 60_000,
    applicationName: 'explain',
    onError: (error) => console.error(error),
  });
  await migrate(opened, readMigrations(MIGRATIONS));
  const book = generateBook({ contracts, years, seed: 1, from: '2015-01-15' }, () => undefined);
  await opened.transaction((transaction) => writeBook(transaction, book));
  await opened.query(
    `INSERT INTO entitlement_rule (customer_id, role, lender_key, all_deals)
     SELECT $1, 'lender', min(lender_key), true FROM lender_position`,
    [CUSTOMER],
  );
  await opened.query(
    `INSERT INTO entitlement_rule (customer_id, role, deal_key)
     SELECT $1, 'borrower', key FROM deal ORDER BY key LIMIT 20`,
    [FEW_DEALS],
  );
  await opened.execute('VACUUM ANALYZE');
  return opened;
}

/** The day by which the database decides which grants have begun. */
async function today() {
  const [row] = await database.query(`SELECT (now() AT TIME ZONE 'UTC')::date::text AS today`);
  return row.today;
}
