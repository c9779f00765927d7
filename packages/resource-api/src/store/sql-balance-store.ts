import type { Database } from '@cls/shared/sql/database';
import type {
  BalanceStore,
  BookedTotal,
  DealFacts,
  FacetValue,
  FilterRequest,
  FormerLine,
  GrantFacts,
  ItemBalances,
  ItemTerms,
  KnownSequence,
  LedgerState,
  LostTime,
  MarkedItem,
  Movement,
  PageRequest,
  ReaderAccess,
  ReportingRate,
  ValuedItem,
} from '../balances/balance-store.ts';
import type { TotalBalance } from '../ledger/balance.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { type Memories, openMemories } from '../memory/memories.ts';
import { accrualStatement } from './accrual-statement.ts';
import { type StreamRow, toStreams } from './accrual-streams.ts';
import {
  asksWholeBook,
  balancesStatement,
  bookTotalsStatement,
  foundPageStatement,
  instant,
  totalsStatement,
} from './balance-statements.ts';
import { changedDealsStatement } from './changed-deals.ts';
import { facetsStatement } from './facets.ts';
import { FEW_DEALS, fewDeals } from './few-deals.ts';
import { grantedItems } from './granted-items.ts';
import { grantsStatement } from './grants-statement.ts';
import { type GroupRow, groupTotalsStatement, toGroup } from './group-totals.ts';
import { ratedOn, totalsOn } from './item-columns.ts';
import { journaledDeals } from './journaled-deals.ts';
import { keptAccruals } from './kept-accruals.ts';
import { type KeptDeals, keptItems, SMALL_BOOK } from './kept-items.ts';
import { accruingStatement, owingStatement } from './marked-items.ts';
import { itemMovementsStatement, readMovements } from './movement-page.ts';
import { bookDate, GENERATION, type GenerationRow, readKnowledge } from './on-the-way.ts';
import { dealStatement, readItem } from './one-item.ts';
import { type PageRow, toBalance, toItems } from './page-rows.ts';
import { WALK_BOUNDS, type WalkBounds } from './page-walk.ts';
import { type DueRow, dueStatement, toPastDue } from './past-due-statement.ts';
import { JOURNAL_LOCK } from './post-journals.ts';
import { type SeriesRow, seriesStatement, toStep } from './principal-series.ts';
import { lastQuery, lookUp, readAll, readAs } from './read-as.ts';
import { hadMoreItems, type PageDeps, readPage } from './read-page.ts';
import type { ReplicatedDatabase } from './read-replicas.ts';
import { termsStatement } from './terms-statement.ts';
import { valuesStatement } from './worked-out-values.ts';

/** Where reads are shared out to replicas, it knows which state of the primary they must have. */
type Facts = Database & Partial<Pick<ReplicatedDatabase, 'generation'>>;

/**
 * Balances in SQL, read under row-level security. A page is two statements that are sent together: one
 * finds its items, one reads them. `facts` answers what is a look-up of the book itself, which questions
 * of several callers share.
 */
export function sqlBalanceStore(
  database: PageDeps['database'],
  facts: Facts = database,
  bounds: WalkBounds = WALK_BOUNDS,
  memories: Memories = openMemories(),
): BalanceStore {
  // A replica may be behind what the primary has.
  const tellsGeneration = facts.generation === undefined;
  const granted = grantedItems(memories.book);
  const pages = { database, facts, granted, bounds, tellsGeneration };
  const journaled = journaledDeals(database, memories);
  const itemsOf = keptItems(database, facts, journaled, granted, memories);
  const dealsOf = async (
    access: ReaderAccess,
    { narrowing = {}, ...request }: Pick<FilterRequest, 'level' | 'filter' | 'narrowing'>,
  ): Promise<readonly bigint[] | undefined> => {
    if ('fullControl' in access && asksWholeBook(request.filter)) return undefined;
    narrowing.deals ??= lookUp(database, access, (on) =>
      fewDeals(on, access, request, FEW_DEALS.toWalk),
    );
    return narrowing.deals;
  };
  /** Undefined where the reader sees a part of the book alone. */
  const keptTotals = async (
    access: ReaderAccess,
    request: Pick<PageRequest, 'level' | 'filter' | 'snapshot'>,
  ): Promise<readonly BookedTotal[] | undefined> => {
    const rows = await readAs<BookTotalRow>(database, access, bookTotalsStatement(request));
    if (!rows.some(({ seen }) => seen)) return undefined;
    return rows.flatMap(({ seen: _, ...row }) => (row.currency === null ? [] : toTotal(row)));
  };
  /** What the items of deals come to, by their histories where these are known. */
  const addedUp = async (
    access: ReaderAccess,
    request: FilterRequest,
    { known, unknown }: KeptDeals,
  ): Promise<readonly BookedTotal[]> => {
    if (unknown.length === 0) return totalsOn(known, request);
    const rows = await readAs<TotalRow>(database, access, totalsStatement(request, unknown));
    return totalsOn(known, request, rows.map(toTotal));
  };
  return {
    pagesTellGeneration: tellsGeneration,
    async page(access, request) {
      const { rows, next } = await readPage<PageRow>(pages, access, request);
      const found = toItems(rows);
      const items = found.slice(0, request.limit);
      return { items, next: found.length > request.limit ? items.at(-1)?.end : next };
    },
    async valuesOf(access, request, most) {
      const deals = await dealsOf(access, request);
      if (deals === undefined && (await hadMoreItems(facts, request, most))) return undefined;
      const statement = valuesStatement(request, most, deals);
      const rows = await readAs<ValuedItem>(database, access, statement);
      return rows.length > most ? undefined : rows;
    },
    async itemsOf(access, level, found, snapshot) {
      if (found.length === 0) return [];
      const statement = foundPageStatement(level, snapshot, found);
      return toItems(await lookUp(database, access, (on) => lastQuery<PageRow>(on, statement)));
    },
    item: (access, name, snapshot) => readItem(database, access, name, snapshot),
    async deal(access, id, snapshot) {
      const [row] = await readAs<{ deal: DealFacts }>(
        database,
        access,
        dealStatement(id, snapshot),
      );
      return row?.deal;
    },
    async granted(access, snapshot, most) {
      const [row] = await readAs<GrantFacts>(
        database,
        access,
        grantsStatement(access, snapshot, most),
      );
      return row ?? { roles: [], parties: [], deals: 0 };
    },
    async balancesOf(access, level, keys, snapshot) {
      const found = new Map<bigint, Map<string, FormerLine>>();
      if (keys.length === 0) return found;
      const statement = balancesStatement(level, keys, snapshot);
      for (const row of await readAs<ItemRow>(database, access, statement)) {
        const item = found.get(row.key) ?? new Map<string, FormerLine>();
        const line = { lenderName: row.lender_name, balance: toBalance(row.amounts) };
        found.set(row.key, item.set(row.lender_id ?? '', line));
      }
      return found satisfies ReadonlyMap<bigint, ItemBalances>;
    },
    async termsOf(access, level, keys, snapshot) {
      if (keys.length === 0) return new Map();
      const statement = termsStatement(level, keys, snapshot);
      const rows = await readAs<{ key: bigint; terms: ItemTerms }>(database, access, statement);
      return new Map(rows.map(({ key, terms }) => [key, terms]));
    },
    async pastDueOf(level, keys, snapshot) {
      if (keys.length === 0) return new Map();
      return toPastDue(await readAll<DueRow>(database, dueStatement(level, keys, snapshot)));
    },
    async groupTotals(access, request, most) {
      const isWhole = request.groupBy === undefined && asksWholeBook(request.filter);
      const kept =
        isWhole && (await hadMoreItems(facts, request, most))
          ? await keptTotals(access, request)
          : undefined;
      if (kept !== undefined) {
        const undivided = { group: null, rest: false, party: null, details: undefined };
        return kept.map((total) => ({ ...total, ...undivided }));
      }
      const statement = groupTotalsStatement(request, await dealsOf(access, request));
      const rows = await readAs<GroupRow>(database, access, statement);
      return rows.map((row) => toGroup(row, request));
    },
    async facets(access, request) {
      const statement = facetsStatement(request, await dealsOf(access, request));
      const rows = await readAs<FacetValue>(database, access, statement);
      return rows.map((row) => ({ ...row, value: row.party?.id ?? row.value }));
    },
    async totals(access, request, most) {
      const few = await itemsOf(access, request, 'few deals');
      if (few !== undefined) return addedUp(access, request, few);
      const whole = asksWholeBook(request.filter) ? await keptTotals(access, request) : undefined;
      if (whole !== undefined) return whole;
      if (most === undefined || most >= SMALL_BOOK) {
        const all = await itemsOf(access, request, 'all');
        if (all !== undefined) return addedUp(access, request, all);
      }
      const deals = await dealsOf(access, request);
      if (deals === undefined && most !== undefined) {
        if (await hadMoreItems(facts, request, most)) return undefined;
      }
      const rows = await readAs<TotalRow>(database, access, totalsStatement(request, deals));
      return rows.map(toTotal);
    },
    async accruing(access, request) {
      const kept =
        request.groupBy === undefined
          ? ((await itemsOf(access, request, 'few deals')) ??
            (await itemsOf(access, request, 'with rates')))
          : undefined;
      const asked = kept === undefined ? await dealsOf(access, request) : kept.unknown;
      const known = kept === undefined ? [] : ratedOn(kept.known, request);
      if (asked?.length === 0) return known;
      const statement = accruingStatement(request, asked);
      return [...known, ...(await readAs<MarkedItem>(database, access, statement))];
    },
    owing: async (access, request) =>
      readAs(database, access, owingStatement(request, await dealsOf(access, request))),
    async accrualsOf(level, keys, snapshot) {
      if (keys.length === 0) return new Map();
      const statement = accrualStatement(level, keys, snapshot);
      return toStreams(await readAll<StreamRow>(database, statement));
    },
    accrualAmountsOf: keptAccruals(database, journaled, memories),
    async series(access, request) {
      const statement = seriesStatement(request, await dealsOf(access, request));
      return (await readAs<SeriesRow>(database, access, statement)).map(toStep);
    },
    async movements(access, request) {
      const { rows, next } = await readMovements<MovementRow>(
        database,
        facts,
        access,
        request,
        bounds,
      );
      return { movements: rows.map(toMovement), next };
    },
    async movementsOf(access, level, keys, { snapshot, fromDate, limit }) {
      const found = new Map<bigint, Movement[]>();
      if (keys.length === 0) return found;
      const statement = itemMovementsStatement(level, keys, snapshot, fromDate, limit);
      for (const row of await readAs<MovementRow & { item: bigint }>(database, access, statement)) {
        const movements = found.get(row.item) ?? [];
        movements.push(toMovement(row));
        found.set(row.item, movements);
      }
      return found;
    },
    async generation() {
      if (facts.generation !== undefined) return facts.generation();
      const [row] = await facts.query<GenerationRow>(GENERATION, [], { prepared: true });
      return row?.generation ?? 0n;
    },
    async ledgerState(today) {
      const state = await ledgerState(facts, today);
      await facts.generation?.();
      return state;
    },
    changedDeals: (access, request) => readAs(database, access, changedDealsStatement(request)),
    async grantsChangedAt(access) {
      // Full control sees every deal, whatever is granted to whom.
      if ('fullControl' in access) return undefined;
      const [row] = await facts.query<{ at: string }>(
        `SELECT ${instant('changed_at')} AS at FROM grant_change WHERE customer_id = $1`,
        [access.customer],
      );
      return row?.at;
    },
    knowledge: (snapshot) => readKnowledge(facts, snapshot),
    async sequenceAt(at) {
      const known = await sequenceAt(facts, at);
      await facts.generation?.();
      return known;
    },
    async postedAt(seqs) {
      const rows = await database.query<{ seq: bigint; posted_at: string }>(
        `SELECT seq, ${instant('posted_at')} AS posted_at FROM journal WHERE seq = ANY($1)`,
        [[...new Set(seqs)]],
      );
      return new Map(rows.map(({ seq, posted_at }) => [seq, posted_at]));
    },
    async fxRates(from, to, day, lastNumber) {
      if (from.length === 0) return new Map();
      const rows = await database.query<ReportingRate & { from: string }>(
        `SELECT DISTINCT ON (from_currency) from_currency AS "from",
           trim_scale(rate)::text AS rate, rate_date::text AS date, source
         FROM fx_rate
         WHERE from_currency = ANY($1) AND to_currency = $2 AND rate_date <= $3
           AND number <= $4
         ORDER BY from_currency, rate_date DESC, number DESC`,
        [from, to, day, lastNumber],
      );
      return new Map(rows.map(({ from: currency, ...rate }) => [currency, rate]));
    },
    async fxStateAt(at) {
      const [row] = await database.query<{ number: bigint; knownAt: string }>(
        `SELECT number, ${instant('known_at')} AS "knownAt" FROM fx_rate
         WHERE known_at <= $1 ORDER BY number DESC LIMIT 1`,
        [at],
      );
      return row ?? { number: 0n, knownAt: undefined };
    },
    async resolveExternalIds(names) {
      if (names.length === 0) return new Map();
      await facts.generation?.();
      const rows = await database.query<{ name: string; id: string }>(
        `SELECT n.name, x.entity_id AS id
         FROM unnest($1::text[]) n(name)
         JOIN external_id x ON x.source = split_part(n.name, ':', 1)
           AND x.value = substr(n.name, strpos(n.name, ':') + 1)`,
        [names],
      );
      return new Map(rows.map(({ name, id }) => [name, id]));
    },
    ready: async () => {
      const sql = 'SELECT 1 FROM deal LIMIT 1';
      await readAs(facts, { fullControl: true }, { sql, parameters: [] });
    },
  };
}

async function ledgerState(database: Database, today: BusinessDate): Promise<LedgerState> {
  const [row] = await database.query<{
    generation: bigint;
    changed_at: string | null;
    seq: bigint;
    fx_number: bigint | null;
    fx_known_at: string | null;
    first: BusinessDate | null;
    last: BusinessDate | null;
    lost: readonly LostTime[];
  }>(
    `SELECT s.generation, CASE WHEN isfinite(s.changed_at) THEN ${instant('s.changed_at')} END
         AS changed_at,
       (SELECT coalesce(max(seq), 0) FROM journal) AS seq,
       fx.number AS fx_number, ${instant('fx.known_at')} AS fx_known_at,
       ${bookDate('ASC', '$1', '(SELECT max(seq) FROM journal)')} AS first,
       ${bookDate('DESC', '$1', '(SELECT max(seq) FROM journal)')} AS last,
       (SELECT coalesce(json_agg(json_build_object('after', ${instant('known_through')},
          'until', ${instant('restored_at')})), '[]') FROM book_restore) AS lost
     FROM book_state s
     LEFT JOIN LATERAL (SELECT number, known_at FROM fx_rate ORDER BY number DESC LIMIT 1) fx
       ON true`,
    [today],
  );
  return {
    generation: row?.generation ?? 0n,
    changedAt: row?.changed_at ?? undefined,
    fx: { number: row?.fx_number ?? 0n, knownAt: row?.fx_known_at ?? undefined },
    seq: row?.seq ?? 0n,
    firstDate: row?.first ?? undefined,
    lastDate: row?.last ?? undefined,
    lost: row?.lost ?? [],
  };
}

/**
 * A change takes its instant under the journal lock, and later than all instants before. So the
 * answer for an instant is final once a later instant was taken, or once the instant has passed while
 * nobody holds the lock.
 */
function sequenceAt(database: Database, at: string): Promise<KnownSequence> {
  return database.transaction(async (transaction): Promise<KnownSequence> => {
    const [lock] = await transaction.query<{ quiet: boolean; future: boolean }>(
      `SELECT pg_try_advisory_xact_lock_shared($1) AS quiet,
         $2::timestamptz > greatest(clock_timestamp(), changed_at) AS future
       FROM book_state`,
      [JOURNAL_LOCK, at],
    );
    if (lock?.future) return { refused: 'in_future' };
    const [row] = await transaction.query<{ seq: bigint | null; later: boolean }>(
      `SELECT (SELECT seq FROM journal WHERE posted_at <= $1
               ORDER BY posted_at DESC, seq DESC LIMIT 1) AS seq,
         changed_at >= $1 AS later
       FROM book_state`,
      [at],
    );
    if (!lock?.quiet && !row?.later) return { refused: 'posting' };
    return row?.seq == null ? { refused: 'before_book' } : { seq: row.seq };
  });
}

type TotalRow = TotalBalance & { readonly currency: string; readonly count: bigint };
/** Without a currency: nothing is in the book. */
type BookTotalRow = (TotalRow | { readonly currency: null }) & { readonly seen: boolean };

function toTotal({ currency, count, ...balance }: TotalRow): BookedTotal {
  return { currency, count: Number(count), balance };
}

interface ItemRow {
  readonly key: bigint;
  readonly lender_id: string | null;
  readonly lender_name: string | null;
  readonly amounts: string;
}

interface MovementRow {
  readonly seq: bigint;
  readonly number: number;
  readonly journal_id: string;
  readonly type: string;
  readonly effective_date: string;
  readonly posted_at: string;
  readonly reason: string | null;
  readonly reverses: string | null;
  readonly corrects: string | null;
  readonly deal_id: string;
  readonly facility_id: string;
  readonly contract_id: string | null;
  readonly contract_number: string | null;
  readonly lender_id: string | null;
  readonly lender_name: string | null;
  readonly movement: string;
  readonly account: string;
  readonly amount_minor: bigint;
  readonly currency: string;
}

function toMovement(row: MovementRow): Movement {
  return {
    seq: row.seq,
    number: row.number,
    journalId: row.journal_id,
    type: row.type,
    effectiveDate: row.effective_date,
    postedAt: row.posted_at,
    reason: row.reason,
    reverses: row.reverses,
    corrects: row.corrects,
    dealId: row.deal_id,
    facilityId: row.facility_id,
    contractId: row.contract_id,
    contractNumber: row.contract_number,
    lender: row.lender_id === null ? null : { id: row.lender_id, name: row.lender_name ?? '' },
    movement: row.movement,
    account: row.account,
    amountMinor: row.amount_minor,
    currency: row.currency,
  };
}
