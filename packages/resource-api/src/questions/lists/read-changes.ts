import type { Caller } from '@cls/shared/access/caller';
import { groupBy } from '@cls/shared/group-by';
import type { BalanceStore, ReaderAccess } from '../ask/balance-store.ts';
import type { CopyTimes, ResolvedSnapshot, Snapshots, WalkSnapshot } from '../ask/snapshot.ts';
import {
  accessOf,
  type BalancePage,
  type BalanceQuestion,
  everyPage,
  type ReadBalances,
} from '../page/read-balances.ts';
import type { BalanceReading } from '../page/read-items.ts';

/** A reading, and the page that says how it is shown. */
export interface ReadingOfPage {
  readonly reading: BalanceReading;
  readonly page: BalancePage;
}

/** The items of one deal, as the question finds them now and as it found them for the copy. */
export interface DealChange {
  readonly key: bigint;
  readonly now: readonly ReadingOfPage[];
  readonly before: readonly ReadingOfPage[];
}

export interface ChangeBatch {
  readonly snapshot: ResolvedSnapshot;
  /** What the copy has; undefined before the book. */
  readonly copied: ResolvedSnapshot | undefined;
  /** In the order of their keys; deals that cannot have changed are left out. */
  readonly deals: readonly DealChange[];
  /** The next batch begins with the first of them; none after the last batch. */
  readonly following: readonly ChangedDeal[];
}

export interface ChangedDeal {
  readonly key: bigint;
  readonly id: string;
}

export interface ChangesRequest {
  readonly copy: CopyTimes;
  /** Continues a walk. */
  readonly walk: WalkSnapshot | undefined;
  readonly fromKey: bigint;
  readonly deals: number;
  /** What the batch before said. */
  readonly following: readonly ChangedDeal[];
}

/**
 * Asks one question of two snapshots, for the deals whose answers may differ. The caller
 * compares the readings. @throws {Refusal} of the question's times.
 */
export type ReadChanges = (
  caller: Caller,
  question: BalanceQuestion,
  request: ChangesRequest,
) => Promise<ChangeBatch>;

const PAGE_ITEMS = 1_000;
/** One more than a page compares. Each look-up reads all that became known since the copy. */
const LOOKED_UP = 1_001;

export function changesReader(
  store: BalanceStore,
  times: Snapshots,
  readBalances: ReadBalances,
): ReadChanges {
  return async (caller, question, { copy, walk, fromKey, deals: limit, following }) => {
    const access = accessOf(caller);
    const snapshot = await times.resolve({ ...question, position: walk }, access);
    const copied = await times.copied(copy, access, snapshot);
    const range = { snapshot, copied, fromKey, limit: Math.max(limit + 1, LOOKED_UP) };
    const changed =
      following.length > limit ? following : await candidates(store, access, question, range);
    const deals = changed.slice(0, limit);
    const read = async (at: ResolvedSnapshot | undefined) =>
      at === undefined || deals.length === 0
        ? new Map<string, readonly ReadingOfPage[]>()
        : groupBy(
            await readAll(readBalances, caller, question, at, deals),
            ({ reading }) => reading.item.deal.id,
          );
    // One after the other: of two that refuse, always the same one words the error.
    const now = await read(snapshot);
    const before = await read(copied);
    return {
      snapshot,
      copied,
      deals: deals.map(({ key, id }) => ({
        key,
        now: now.get(id) ?? [],
        before: before.get(id) ?? [],
      })),
      following: changed.slice(limit),
    };
  };
}

function candidates(
  store: BalanceStore,
  access: ReaderAccess,
  { filter: { dealIds }, reporting }: BalanceQuestion,
  range: {
    readonly snapshot: ResolvedSnapshot;
    readonly copied: ResolvedSnapshot | undefined;
    readonly fromKey: bigint;
    readonly limit: number;
  },
) {
  const { snapshot, copied, fromKey, limit } = range;
  const dateMoved = copied !== undefined && copied.asOf !== snapshot.asOf;
  // An exchange rate changes the answer of every deal.
  const ratesMoved =
    reporting !== undefined && (dateMoved || copied?.fxNumber !== snapshot.fxNumber);
  const afterSeq =
    copied === undefined
      ? 0n
      : // On another date other postings are restatements.
        dateMoved
        ? least(copied.ledgerSeq, copied.reportedSeq, snapshot.reportedSeq)
        : copied.ledgerSeq;
  return store.changedDeals(access, {
    now: snapshot,
    before: ratesMoved ? undefined : copied,
    afterSeq,
    dealIds,
    fromKey,
    limit: limit + 1,
  });
}

function least(...numbers: readonly bigint[]): bigint {
  return [...numbers].sort((a, b) => Number(a - b))[0] ?? 0n;
}

/** Every item of some deals at a snapshot. */
async function readAll(
  readBalances: ReadBalances,
  caller: Caller,
  question: BalanceQuestion,
  snapshot: ResolvedSnapshot,
  deals: readonly { readonly id: string }[],
): Promise<readonly ReadingOfPage[]> {
  const filter = { ...question.filter, dealIds: deals.map(({ id }) => id) };
  const limited = { limit: PAGE_ITEMS, totals: 'none' as const, sort: undefined };
  const whole = { ...question, filter, ...limited };
  const found: ReadingOfPage[] = [];
  for await (const page of everyPage(readBalances, caller, whole, snapshot)) {
    found.push(...page.readings.map((reading) => ({ reading, page })));
  }
  return found;
}
