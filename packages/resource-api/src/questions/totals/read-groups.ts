import type { Caller } from '@cls/shared/access/caller';
import { nameOf, perItem, withAccrued, workByKey } from '../accruals/accruals.ts';
import {
  type BalanceFilter,
  type BalanceStore,
  type BookedGroup,
  type GroupKey,
  type GroupRequest,
  pastDueTo,
  type ReaderAccess,
} from '../ask/balance-store.ts';
import type { ComparedTimes, QuestionTimes, ResolvedSnapshot, Snapshots } from '../ask/snapshot.ts';
import { isDecidedByReading, storesFilter } from '../page/decided-by-reading.ts';
import { resolveQuestion } from '../page/read-balances.ts';
import { addedUp, besideThen, type GroupTotal, type ToldGroup } from './group-sums.ts';

export interface GroupQuestion extends QuestionTimes, Omit<GroupRequest, 'snapshot' | 'first'> {
  readonly filter: BalanceFilter;
  /** The other times that the groups are compared with. */
  readonly compare?: ComparedTimes | undefined;
}

export interface GroupsAnswer {
  readonly snapshot: ResolvedSnapshot;
  readonly groups: readonly ToldGroup[];
  /** Per currency, what the groups come to that are not told one by one. */
  readonly rest: readonly ToldGroup[];
  /** Per currency, what all groups come to. */
  readonly totals: readonly GroupTotal[];
  /** Undefined where nothing is compared. */
  readonly comparison: GroupComparison | undefined;
}

export interface GroupComparison {
  /** Undefined before the book, where there was nothing. */
  readonly snapshot: ResolvedSnapshot | undefined;
  /** Per currency, what all groups came to. */
  readonly totals: readonly GroupTotal[];
}

/** @throws {Refusal} of the question's times, and of the times that it compares with. */
export type ReadGroups = (caller: Caller, question: GroupQuestion) => Promise<GroupsAnswer>;

/** Items that are worked out one by one, because their accruals or shares are. */
const WORKED_OUT = 10_000;
/** In larger books the totals of everything are those that the book keeps. */
const SMALL_BOOK = 20_000;
/** Groups of each currency that are asked for at the other time before it is known which ones matter. */
const GUESSED = 1_000;

export function groupsReader(store: BalanceStore, times: Snapshots, guessed = GUESSED): ReadGroups {
  return async (caller, question) => {
    const { access, level, snapshot, filter } = await resolveQuestion(
      store,
      times,
      caller,
      question,
    );
    const { groupBy, top, compare } = question;
    const groupsAt = async (
      snapshot: ResolvedSnapshot,
      { top, first }: Pick<GroupRequest, 'top' | 'first'>,
    ) => {
      const asked = { level, filter, snapshot };
      const decided = await storesFilter(store, access, asked);
      const request = { level, filter: decided, snapshot, groupBy, top, first, narrowing: {} };
      const booked = await store.groupTotals(access, request, SMALL_BOOK);
      const late = await withLate(store, access, request, booked);
      return withAccrued(store, access, { ...request, limit: WORKED_OUT }, late);
    };
    const then = compare && (await times.compared(compare, access, snapshot, question));
    const now = () => groupsAt(snapshot, { top });
    const guess = async () => then && groupsAt(then, { top: Math.max(top, guessed) });
    // Where each item is read, one time after the other: no request asks for much at once.
    const [found, were] = isDecidedByReading(filter, level)
      ? [await now(), await guess()]
      : await Promise.all([now(), guess()]);
    const first = found.filter(({ rest }) => !rest);
    const was = then && were && !hasAll(were, first) ? await groupsAt(then, { top, first }) : were;
    const told: readonly ToldGroup[] = was === undefined ? found : besideThen(found, was, top);
    return {
      snapshot,
      groups: groupBy === undefined ? [] : told.filter(({ rest }) => !rest),
      rest: told.filter(({ rest }) => rest),
      totals: addedUp(found),
      comparison: compare && { snapshot: then, totals: addedUp(was ?? []) },
    };
  };
}

/** Whether none of the groups can be among those that are added up in the rest of its currency. */
function hasAll(told: readonly GroupTotal[], groups: readonly GroupKey[]): boolean {
  const cut = new Set(told.flatMap(({ currency, rest }) => (rest ? [currency] : [])));
  const names = new Set(told.filter(({ rest }) => !rest).map(nameOf));
  return groups.every((group) => !cut.has(group.currency) || names.has(nameOf(group)));
}

/** At level position the shares of what is past due are worked out as for items. */
async function withLate(
  store: BalanceStore,
  access: ReaderAccess,
  request: GroupRequest,
  groups: readonly BookedGroup[],
): Promise<readonly BookedGroup[]> {
  const { level, snapshot } = request;
  if (level !== 'position' || groups.every(({ details }) => details === undefined)) return groups;
  const items = await store.owing(access, { ...request, limit: WORKED_OUT });
  if (items.length > WORKED_OUT) return groups;
  const late = await workByKey(items, (keys) => store.pastDueOf(level, keys, snapshot));
  const none = groups.map((group) => withPastDue(group, 0n));
  return perItem(none, items, (group, { key, holder }) =>
    withPastDue(group, pastDueTo(holder, late.get(key))),
  );
}

function withPastDue(group: BookedGroup, amount: bigint): BookedGroup {
  const { details } = group;
  if (details === undefined) return group;
  return { ...group, details: { ...details, pastDue: (details.pastDue ?? 0n) + amount } };
}
