import { type Clock, epochSeconds } from '@cls/shared/clock';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../access/caller.ts';
import { type Balance, COMPONENTS } from '../ledger/balance.ts';
import { dayBefore } from '../ledger/business-date.ts';
import type {
  BalanceFilter,
  BalanceItem,
  BalanceStore,
  CurrencyTotal,
  ItemBalances,
  Level,
  PageEnd,
  PastDue,
  ReaderAccess,
  Snapshot,
  Sort,
} from './balance-store.ts';
import type { CurrentLedger } from './current-ledger.ts';
import { CURSOR_TTL_S, type CursorCodec } from './cursor.ts';
import { resolveIds } from './external-ids.ts';
import type { QuestionTimes, ResolvedSnapshot, Snapshots } from './snapshot.ts';

export interface BalanceQuestion extends QuestionTimes {
  readonly level: Level;
  /** Ids may be `ext:SOURCE:ID`. */
  readonly filter: BalanceFilter;
  /** RFC 3339: only what changed by postings after it. */
  readonly updatedSince: string | undefined;
  readonly sort: Sort | undefined;
  readonly limit: number;
  readonly withTotals: boolean;
  /** Goes on with a walk: its snapshot, and the end of the page before. */
  readonly position: (Snapshot & { readonly after: PageEnd }) | undefined;
  /** The question in its canonical form, for the next cursor. */
  readonly canonical: string;
}

/** An item with what is told of it beyond its balances. */
export interface BalanceReading {
  readonly item: BalanceItem;
  /** At the end of the day before the period; undefined without a period. */
  readonly opening: ItemBalances | undefined;
  /** What was reported of the same date before, where that was something else. */
  readonly former: { readonly balances: ItemBalances; readonly knownAt: string } | undefined;
  readonly pastDue: readonly PastDue[];
  readonly lastPostedAt: string | undefined;
}

export interface BalancePage {
  readonly question: BalanceQuestion;
  /** The question's, with external ids resolved. */
  readonly filter: BalanceFilter;
  readonly snapshot: ResolvedSnapshot;
  readonly readings: readonly BalanceReading[];
  readonly totals: readonly CurrencyTotal[] | undefined;
  readonly nextCursor: string | undefined;
}

/** @throws {Refusal} of the question's times. */
export type ReadBalances = (caller: Caller, question: BalanceQuestion) => Promise<BalancePage>;

const TOTALS_KEPT = 500;
const POSTING_TIMES_KEPT = 10_000;

export function balancesReader(
  store: BalanceStore,
  ledger: CurrentLedger,
  times: Snapshots,
  cursors: CursorCodec,
  clock: Clock,
): ReadBalances {
  const totalsOf = keptTotals(store, ledger);
  const readingsOf = readingsReader(store);
  return async (caller, question) => {
    const { level, sort, limit, position } = question;
    const access = accessOf(caller);
    const [snapshot, filter] = await Promise.all([
      position === undefined ? times.resolve(question) : times.resume(position, question.knownAt),
      filterOf(question, store, times),
    ]);
    const request = { level, filter, snapshot, sort, after: position?.after, limit };
    const [found, totals] = await Promise.all([
      store.page(access, request),
      question.withTotals ? totalsOf(readerName(caller), access, request) : undefined,
    ]);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const nextCursor =
      found.length <= limit || last === undefined
        ? undefined
        : cursors.encode({
            question: question.canonical,
            reader: readerName(caller),
            asOf: snapshot.asOf,
            ledgerSeq: snapshot.ledgerSeq,
            after: last.end,
            // By the day: the same question has the same bytes, and the cursor a day at least.
            expiresAtS: (Math.floor(epochSeconds(clock) / CURSOR_TTL_S) + 2) * CURSOR_TTL_S,
          });
    const readings = await readingsOf(access, question, snapshot, items);
    return { question, filter, snapshot, readings, totals, nextCursor };
  };
}

async function filterOf(
  { filter, updatedSince }: BalanceQuestion,
  store: BalanceStore,
  times: Snapshots,
): Promise<BalanceFilter> {
  const resolved = await resolveIds(filter, store);
  if (updatedSince === undefined) return resolved;
  const updatedAfterSeq = await times.sequenceAt('updatedSince', updatedSince);
  return { ...resolved, updatedAfterSeq };
}

/** Totals over a filter are read once for all pages of a walk. */
function keptTotals(store: BalanceStore, ledger: CurrentLedger) {
  const kept = new LRUCache<string, Promise<readonly CurrencyTotal[]>>({ max: TOTALS_KEPT });
  return (
    reader: string,
    access: ReaderAccess,
    { level, filter, snapshot }: { level: Level; filter: BalanceFilter; snapshot: Snapshot },
  ): Promise<readonly CurrencyTotal[]> => {
    const read = () => store.totals(access, { level, filter, snapshot });
    const { generation } = ledger;
    if (generation === undefined) return read();
    const values = Object.values(filter).map((value) => `${value}`);
    const key = JSON.stringify([
      reader,
      generation,
      level,
      snapshot.asOf,
      `${snapshot.ledgerSeq}`,
      ...values,
    ]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const totals = read();
    kept.set(key, totals);
    totals.catch(() => kept.delete(key));
    return totals;
  };
}

function readingsReader(store: BalanceStore) {
  const postingTimes = new LRUCache<bigint, string>({ max: POSTING_TIMES_KEPT });
  const postedAt = async (seqs: readonly bigint[]): Promise<void> => {
    const missing = seqs.filter((seq) => !postingTimes.has(seq));
    if (missing.length === 0) return;
    for (const [seq, at] of await store.postedAt(missing)) postingTimes.set(seq, at);
  };
  return async (
    access: ReaderAccess,
    { level, fromDate }: BalanceQuestion,
    snapshot: ResolvedSnapshot,
    items: readonly BalanceItem[],
  ): Promise<readonly BalanceReading[]> => {
    const keysOf = (some: readonly BalanceItem[]) => some.map(({ end }) => end.key);
    const reported = { asOf: snapshot.asOf, ledgerSeq: snapshot.reportedSeq };
    const later = items.filter(
      ({ lastSeq, bookedSeq }) => lastSeq > reported.ledgerSeq && bookedSeq <= reported.ledgerSeq,
    );
    const owing = items.filter(
      ({ global }) => global.interest_due + global.fees_due + global.principal_due !== 0n,
    );
    const before = fromDate && { asOf: dayBefore(fromDate), ledgerSeq: snapshot.ledgerSeq };
    const [openings, formers, pastDue] = await Promise.all([
      before && store.balancesOf(access, level, keysOf(items), before),
      store.balancesOf(access, level, keysOf(later), reported),
      store.pastDueOf(access, level, keysOf(owing), snapshot),
      postedAt([...items.map(({ lastSeq }) => lastSeq), reported.ledgerSeq]),
    ]);
    return items.map((item): BalanceReading => {
      const former = formers.get(item.end.key);
      const restated = former !== undefined && differs(item, former);
      const knownAt = postingTimes.get(reported.ledgerSeq) ?? '';
      return {
        item,
        opening: openings && (openings.get(item.end.key) ?? new Map()),
        former: restated ? { balances: former, knownAt } : undefined,
        pastDue: pastDue.get(item.end.key) ?? [],
        lastPostedAt: postingTimes.get(item.lastSeq),
      };
    });
  };
}

function differs(item: BalanceItem, former: ItemBalances): boolean {
  const same = (now: Balance, then: Balance | undefined) =>
    COMPONENTS.every((name) => now[name] === (then?.[name] ?? 0n));
  return (
    !same(item.global, former.get('')) ||
    item.lenders.some(({ lender, balance }) => !same(balance, former.get(lender.id)))
  );
}

/** Full control sees every deal; others what their customer was granted. */
export function accessOf(caller: Caller): ReaderAccess {
  return caller.permissions.has('external-api.fullcontrol')
    ? { fullControl: true }
    : { customer: caller.customer };
}

/** Callers of one name see the same; cursors and kept answers go by it. */
export function readerName(caller: Caller): string {
  const access = accessOf(caller);
  return 'fullControl' in access ? '*' : access.customer;
}
