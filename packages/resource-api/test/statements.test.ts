import type { Database } from '@cls/shared/sql/database';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import {
  type BalanceFilter,
  type BalanceStore,
  COMPUTED_SORTS,
  FACETS,
  GROUPINGS,
  LEVELS,
  NO_FILTER,
  type ReaderAccess,
  STORED_SORTS,
} from '../src/questions/ask/balance-store.ts';
import {
  foundMovementsStatement,
  movementWalkStatement,
} from '../src/questions/lists/sql/movement-page.ts';
import { seriesStatement } from '../src/questions/lists/sql/principal-series.ts';
import { foundPageStatement } from '../src/questions/page/sql/page-rows.ts';
import { pageStatement, WALK_BOUNDS } from '../src/questions/page/sql/page-walk.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { facetsStatement } from '../src/questions/totals/sql/facets.ts';
import { accruingStatement, owingStatement } from '../src/questions/totals/sql/marked-items.ts';
import { groupTotalsStatement, totalsStatement } from '../src/questions/totals/sql/totals.ts';
import { date } from './support/book.ts';

const ACCESSES: readonly ReaderAccess[] = [{ fullControl: true }, { customer: 'somebody' }];
const IDS = ['deal_01J9ZQ5W1XG8K7N4T2M6P3R0SV'];
const PARTIES = ['pty_01J9ZQ5W1XG8K7N4T2M6P3R0SV'];
const FILTERS: readonly BalanceFilter[] = [
  NO_FILTER,
  { ...NO_FILTER, includeZero: true },
  { ...NO_FILTER, dealIds: IDS, facilityIds: IDS, contractIds: IDS, currencies: ['USD'] },
  { ...NO_FILTER, borrowerIds: PARTIES, lenderIds: PARTIES, countries: ['BR'] },
  { ...NO_FILTER, facilityTypes: ['term_loan'], statuses: ['active'] },
  { ...NO_FILTER, search: 'ärger 12', maturityTo: date('2025-03-31') },
  { ...NO_FILTER, search: 'a b c d', pastDue: true, changedAfter: 3n, itemKeys: [1n] },
  { ...NO_FILTER, minOutstandingMinor: 1n, maxOutstandingMinor: 100n },
];
const snapshot = { asOf: date('2025-03-31'), ledgerSeq: 7n };
const INSTANT = '2025-03-31T10:00:00Z';

describeOnEngines('each statement of the balance store', (engine) => {
  let database: Database;
  let texts: Set<string>;
  let store: BalanceStore;
  let asked: Database;

  before(async () => {
    database = await engine.open(MIGRATIONS);
    texts = new Set();
    asked = preparing(database, texts);
    store = sqlBalanceStore(asked);
  });
  after(() => database?.close());

  // A part of the store that is not here does not compile.
  const uses: Record<keyof BalanceStore, () => Promise<unknown>> = {
    page: () =>
      everyQuestion(async (access, level, filter) => {
        const request = { level, filter, snapshot, limit: 10 };
        const after = { sortValue: null, key: 3n };
        const plain = { ...request, sort: undefined, after };
        await store.page(access, plain);
        // Asked where few deals are left.
        await asked.query(pageStatement(plain, WALK_BOUNDS, [1n]).sql);
        for (const by of STORED_SORTS) {
          for (const descending of [false, true]) {
            for (const place of [undefined, { ...after, sortValue: '1' }]) {
              const sorted = { ...request, sort: { by, descending }, after: place };
              await store.page(access, sorted);
              // Asked after a walk that finds little, and where few deals are left.
              for (const statement of [
                pageStatement(sorted, undefined),
                pageStatement(sorted, WALK_BOUNDS, [1n]),
              ])
                await asked.query(statement.sql);
            }
          }
        }
      }),
    valuesOf: () =>
      everyQuestion(async (access, level, filter) => {
        for (const by of COMPUTED_SORTS) {
          await store.valuesOf(access, { level, filter, snapshot, by }, 10);
        }
      }),
    itemsOf: () =>
      everyQuestion((access, level) =>
        store.itemsOf(access, level, [{ key: 3n, sortValue: '1' }], snapshot),
      ),
    item: () =>
      everyLevel(async (access, level) => {
        await store.item(access, { level, id: 'x', currency: 'USD' }, snapshot);
        // Asked after an item that is found.
        const end = { sortValue: null, key: 3n };
        await asked.query(foundPageStatement(level, snapshot, [end]).sql);
      }),
    granted: () => everyLevel((access) => store.granted(access, snapshot, 10)),
    deal: () => everyLevel((access) => store.deal(access, 'x', snapshot)),
    totals: () =>
      everyQuestion(async (access, level, filter) => {
        const request = { level, filter, snapshot };
        await store.totals(access, request);
        // Asked where few deals are left.
        await asked.query(totalsStatement(request, [1n]).sql);
      }),
    groupTotals: () =>
      everyQuestion(async (access, level, filter) => {
        for (const groupBy of [undefined, ...GROUPINGS]) {
          const request = { level, filter, snapshot, groupBy, top: 10 };
          await store.groupTotals(access, request, 10);
          // Asked where few deals are left, and where groups of another time come first.
          const first = [{ currency: 'USD', group: null }];
          await asked.query(groupTotalsStatement({ ...request, first }, [1n]).sql);
        }
      }),
    facets: () =>
      everyQuestion(async (access, level, filter) => {
        const request = { level, filter, snapshot, fields: FACETS, top: 10 };
        await store.facets(access, request);
        await asked.query(facetsStatement(request, [1n]).sql);
      }),
    series: () =>
      everyQuestion(async (access, level, filter) => {
        for (const interval of ['month', 'event'] as const) {
          const from = date('2025-01-01');
          const request = { level, filter, snapshot, interval, from, to: snapshot.asOf, limit: 10 };
          await store.series(access, request);
          await asked.query(seriesStatement(request, [1n]).sql);
        }
      }),
    owing: () =>
      everyQuestion(async (access, level, filter) => {
        const request = { level, filter, snapshot, groupBy: 'borrower', limit: 10 } as const;
        await store.owing(access, request);
        await asked.query(owingStatement(request, [1n]).sql);
      }),
    accruing: () =>
      everyQuestion(async (access, level, filter) => {
        const request = { level, filter, snapshot, limit: 10 };
        await store.accruing(access, request);
        await asked.query(accruingStatement(request, [1n]).sql);
      }),
    movements: () =>
      everyQuestion(async (access, _, filter) => {
        for (const fromDate of [undefined, date('2025-01-01')]) {
          for (const after of [undefined, { seq: 1n, number: 2 }]) {
            const request = { filter, snapshot, fromDate, after, limit: 10 };
            await store.movements(access, request);
            // Asked of few deals, of few days, and of many; then of what was found.
            await asked.query(foundMovementsStatement(snapshot, [{ seq: 1n, number: 2 }]).sql);
            const stretch = { from: 1n, through: 7n };
            for (const among of [[1n], stretch, { ...stretch, days: [snapshot.asOf] }]) {
              await asked.query(movementWalkStatement(request, among, 100).sql);
            }
          }
        }
      }),
    balancesOf: () =>
      everyLevel((access, level) => store.balancesOf(access, level, [1n], snapshot)),
    termsOf: () => everyLevel((access, level) => store.termsOf(access, level, [1n], snapshot)),
    pastDueOf: () => everyLevel((_, level) => store.pastDueOf(level, [1n], snapshot)),
    accrualsOf: () => everyLevel((_, level) => store.accrualsOf(level, [1n], snapshot)),
    accrualAmountsOf: () =>
      everyLevel(async (_, level) => {
        // Kept for the newest state of the book, looked up again after it, and not of one before.
        const edition = { generation: '1', today: snapshot.asOf };
        for (const ledgerSeq of [snapshot.ledgerSeq, snapshot.ledgerSeq + 1n, 1n]) {
          await store.accrualAmountsOf(level, [1n], { ...snapshot, ledgerSeq, edition });
        }
      }),
    movementsOf: () =>
      everyLevel(async (access, level) => {
        for (const fromDate of [undefined, date('2025-01-01')]) {
          await store.movementsOf(access, level, [1n], { snapshot, fromDate, limit: 10 });
        }
      }),
    changedDeals: () =>
      everyLevel(async (access) => {
        const question = { afterSeq: 1n, dealIds: IDS, fromKey: 1n, limit: 10 };
        for (const before of [undefined, { ...snapshot, ledgerSeq: 3n }]) {
          await store.changedDeals(access, { ...question, now: snapshot, before });
        }
      }),
    generation: () => store.generation(),
    ledgerState: () => store.ledgerState(snapshot.asOf),
    grantsChangedAt: () => everyLevel((access) => store.grantsChangedAt(access)),
    knowledge: () => store.knowledge(snapshot),
    postedAt: () => store.postedAt([1n]),
    sequenceAt: () => store.sequenceAt(INSTANT),
    fxRates: () => store.fxRates(['EUR'], 'USD', snapshot.asOf, 1n),
    fxStateAt: () => store.fxStateAt(INSTANT),
    resolveExternalIds: () => store.resolveExternalIds(['world-bank:IBRD1']),
    ready: () => store.ready(),
  };

  for (const [part, use] of Object.entries(uses)) {
    it(`fits the migrated schema: ${part}`, async () => {
      texts.clear();
      await use();
      expect(texts.size).to.be.greaterThan(0);
    });
  }
});

async function everyLevel(
  use: (access: ReaderAccess, level: (typeof LEVELS)[number]) => Promise<unknown>,
): Promise<void> {
  for (const access of ACCESSES) for (const level of LEVELS) await use(access, level);
}

function everyQuestion(
  use: (
    access: ReaderAccess,
    level: (typeof LEVELS)[number],
    filter: BalanceFilter,
  ) => Promise<unknown>,
): Promise<void> {
  return everyLevel(async (access, level) => {
    for (const filter of FILTERS) await use(access, level, filter);
  });
}

/** Prepares each text that has not been seen before, which looks up every name, and runs nothing. */
function preparing(database: Database, texts: Set<string>): Database {
  const query = async <Row>(sql: string): Promise<Row[]> => {
    if (!texts.has(sql)) {
      texts.add(sql);
      await database.execute(`PREPARE asked AS ${sql}; DEALLOCATE asked`);
    }
    return [];
  };
  return {
    ...database,
    query,
    transaction: (work) => work({ query, execute: async () => undefined, inTransaction: true }),
  };
}
