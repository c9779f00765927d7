import type { Random } from '@cls/book-generator/random';
import type { Caller } from '@cls/shared/access/caller';
import { systemClock } from '@cls/shared/clock';
import { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import type { Engine } from '@cls/testing/engines';
import { sqlEntitlements } from '../../src/access/sql-entitlements.ts';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import type { BusinessDate } from '../../src/ledger/business-date.ts';
import {
  type BalanceFilter,
  type BalanceStore,
  NO_FILTER,
} from '../../src/questions/ask/balance-store.ts';
import { currentLedger } from '../../src/questions/ask/current-ledger.ts';
import { cursorCodec } from '../../src/questions/ask/cursor.ts';
import { snapshots } from '../../src/questions/ask/snapshot.ts';
import { type BalanceQuestion, balancesReader } from '../../src/questions/page/read-balances.ts';
import { sqlBalanceStore } from '../../src/questions/sql-balance-store.ts';
import { lenderOf } from './any-order.ts';
import { date } from './book.ts';
import { bookInAnyOrder, recordsInAnyOrder } from './book-in-any-order.ts';

/** Who asks: everything, everything as an agent, as a lender, and parts of the book. */
export const CUSTOMERS = ['*', 'agency', 'lender', 'germany', 'borrower', 'nobody'] as const;
/** More than any test's book has. */
export const WHOLE = 100_000;

export function callerOf(customer: string): Caller {
  const permission = customer === '*' ? 'external-api.fullcontrol' : 'cls-deal.view';
  const names = { subject: customer, clientId: customer, customer };
  return { ...names, accountType: 'service_account', permissions: new Set([permission]) };
}

/**
 * A random history with names and dates that change, its readers, and callers of every role. Opened
 * before the tests of the suite that calls this, and closed after them.
 */
export function openAskedBook(engine: Engine, random: Random): () => AskedBook {
  let database: Database | undefined;
  let book: AskedBook;
  before(async function () {
    this.timeout(0);
    database = await engine.open(MIGRATIONS, bookInAnyOrder);
    book = await askedBook(database, random);
  });
  after(() => database?.close());
  return () => book;
}

async function askedBook(database: Database, random: Random) {
  const store: BalanceStore = sqlBalanceStore(database);
  const records = recordsInAnyOrder();
  const lender = lenderOf(records);
  const deals = records.flatMap((one) => (one.object === 'deal' ? [one] : []));
  const { grant } = sqlEntitlements(database);
  const borrower = { customer: 'borrower', role: 'borrower', lenderId: undefined } as const;
  await grant({ ...borrower, deals: { dealId: deals[0]?.id ?? '' } });
  await grant({
    ...{ customer: 'borrower', role: 'lender', lenderId: lender },
    deals: { dealId: deals[1]?.id ?? '' },
  });
  const ledger = currentLedger(store, systemClock);
  const times = snapshots(store, ledger);
  const readBalances = balancesReader(store, times, cursorCodec(new Secret('k'.repeat(32))));
  const column = async <T>(sql: string) => (await database.query<{ v: T }>(sql)).map(({ v }) => v);
  const dates = await column<BusinessDate>(
    'SELECT DISTINCT effective_date::text AS v FROM journal ORDER BY v',
  );
  const instants = await column<string>(
    `SELECT to_char(posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS v
     FROM journal GROUP BY posted_at ORDER BY max(seq) DESC LIMIT 40`,
  );
  return {
    database,
    store,
    times,
    lender,
    records,
    /** Two times that a caller may ask for. */
    aTime: () => ({
      asOf: date(random.pick(['2023-06-01', '2026-01-01', ...dates])),
      knownAt: random.chance(0.5)
        ? undefined
        : random.pick(['2999', ...instants].slice(1) as [string]),
      fromDate: undefined,
    }),
    aFilter: (): BalanceFilter => {
      const change = random.pick<() => Partial<BalanceFilter>>([
        () => ({}),
        () => ({}),
        () => ({ currencies: ['USD', 'JPY'] }),
        () => ({ facilityTypes: ['revolver', 'swingline'] }),
        () => ({ statuses: [random.pick(['active', 'repaid', 'matured'])] }),
        () => ({ countries: ['DE', 'FR'] }),
        () => ({ lenderIds: [lender] }),
        () => ({ maturityFrom: date('2024-01-31'), maturityTo: date('2026-06-30') }),
        () => ({ pastDue: true }),
        () => ({ pastDueAges: ['31-60', 'over-90'] }),
        () => ({ restated: true }),
        () => ({ search: random.pick(['al', 'arg', 'te']) }),
        () => ({ dealIds: deals.slice(2).map(({ id }) => id) }),
      ]);
      return { ...NO_FILTER, includeZero: random.chance(0.4), ...change() };
    },
    /** Every item of a question as the list shows it. */
    readings: (caller: Caller, question: Partial<BalanceQuestion>) =>
      readBalances(caller, {
        level: 'facility',
        asOf: undefined,
        knownAt: undefined,
        fromDate: undefined,
        filter: NO_FILTER,
        sort: undefined,
        limit: WHOLE,
        totals: 'none',
        expand: new Set(),
        reporting: undefined,
        position: undefined,
        canonical: '',
        ...question,
      }),
  };
}

type AskedBook = Awaited<ReturnType<typeof askedBook>>;
