import type { Caller } from '@cls/shared/access/caller';
import { addTotals, ZERO_BALANCE } from '../ledger/balance.ts';
import { accrualsOf, withAccruals } from './accruals.ts';
import type {
  BalanceFilter,
  BalanceItem,
  BalanceStore,
  BookedGroup,
  GroupRequest,
  MarkedItem,
  ReaderAccess,
} from './balance-store.ts';
import { decidedFilter } from './decided-by-reading.ts';
import { resolveIds } from './external-ids.ts';
import { accessOf, readingsReader } from './read-balances.ts';
import type { QuestionTimes, ResolvedSnapshot, Snapshots } from './snapshot.ts';

export interface GroupQuestion extends QuestionTimes, Omit<GroupRequest, 'snapshot'> {
  readonly filter: BalanceFilter;
}

export interface GroupTotal extends BookedGroup {
  readonly withAccruals: boolean;
}

export interface GroupsAnswer {
  readonly snapshot: ResolvedSnapshot;
  readonly groups: readonly GroupTotal[];
  /** Per currency, what the groups come to that are not told one by one. */
  readonly rest: readonly GroupTotal[];
  /** Per currency, what all groups come to. */
  readonly totals: readonly GroupTotal[];
}

/** @throws {Refusal} of the question's times. */
export type ReadGroups = (caller: Caller, question: GroupQuestion) => Promise<GroupsAnswer>;

/** Items that are worked out one by one, because their accruals or shares are. */
const WORKED_OUT = 10_000;
const BATCH = 500;
/** In larger books the totals of everything are those that the book keeps. */
const SMALL_BOOK = 20_000;

export function groupsReader(store: BalanceStore, times: Snapshots): ReadGroups {
  const readingsOf = readingsReader(store);
  return async (caller, question) => {
    const access = accessOf(caller);
    const [snapshot, filter] = await Promise.all([
      times.resolve(question, access),
      resolveIds(question.filter, store),
    ]);
    const { level, groupBy, top } = question;
    const asked = { level, filter, snapshot };
    const read = (items: readonly BalanceItem[]) => readingsOf(access, question, snapshot, items);
    const decided = await decidedFilter(store, access, asked, read);
    const request = { level, filter: decided, snapshot, groupBy, top, narrowing: {} };
    const booked = await store.groupTotals(access, request, SMALL_BOOK);
    const found = await withAccrued(
      store,
      access,
      request,
      await withLate(store, access, request, booked),
    );
    return {
      snapshot,
      groups: groupBy === undefined ? [] : found.filter(({ rest }) => !rest),
      rest: found.filter(({ rest }) => rest),
      totals: addedUp(found),
    };
  };
}

/** Adds to each group what is worked out for its items; undefined where there are too many. */
async function perItem<G extends BookedGroup>(
  groups: readonly G[],
  items: readonly MarkedItem[],
  work: (keys: readonly bigint[]) => Promise<(group: G, item: MarkedItem) => G>,
): Promise<readonly G[] | undefined> {
  if (items.length > WORKED_OUT) return undefined;
  const nameOf = (currency: string, group: string | null) => JSON.stringify([currency, group]);
  const found = new Map(
    groups.map((one) => [one.rest ? `rest ${one.currency}` : nameOf(one.currency, one.group), one]),
  );
  for (let start = 0; start < items.length; start += BATCH) {
    const batch = items.slice(start, start + BATCH);
    const add = await work(batch.map(({ key }) => key));
    for (const item of batch) {
      const own = nameOf(item.currency, item.group);
      const name = found.has(own) ? own : `rest ${item.currency}`;
      const group = found.get(name);
      if (group !== undefined) found.set(name, add(group, item));
    }
  }
  return [...found.values()];
}

async function withAccrued(
  store: BalanceStore,
  access: ReaderAccess,
  request: GroupRequest,
  groups: readonly BookedGroup[],
): Promise<readonly GroupTotal[]> {
  const { level, snapshot } = request;
  const items = await store.accruing(access, { ...request, limit: WORKED_OUT });
  const added = await perItem(groups, items, async (keys) => {
    const streams = await store.accrualsOf(level, keys, snapshot);
    return (group, { key, holder }) => ({
      ...group,
      balance: withAccruals(group.balance, holder, accrualsOf(streams.get(key))),
    });
  });
  return (added ?? groups).map((group) => ({ ...group, withAccruals: added !== undefined }));
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
  const none = groups.map((group) => withPastDue(group, 0n));
  const added = await perItem(none, items, async (keys) => {
    const late = await store.pastDueOf(level, keys, snapshot);
    return (group, { key, holder }) => {
      const own = late.get(key)?.find(({ lenderId }) => lenderId === holder);
      return own === undefined
        ? group
        : withPastDue(group, own.principal + own.interest + own.fees);
    };
  });
  return added ?? groups;
}

function withPastDue(group: BookedGroup, amount: bigint): BookedGroup {
  const { details } = group;
  if (details === undefined) return group;
  return { ...group, details: { ...details, pastDue: (details.pastDue ?? 0n) + amount } };
}

function addedUp(groups: readonly GroupTotal[]): readonly GroupTotal[] {
  const totals = new Map<string, GroupTotal>();
  for (const group of groups) {
    const before = totals.get(group.currency);
    totals.set(group.currency, before === undefined ? undivided(group) : sumOf(before, group));
  }
  return [...totals.values()];
}

function undivided(group: GroupTotal): GroupTotal {
  return {
    ...group,
    group: null,
    party: null,
    rest: false,
    balance: addTotals(ZERO_BALANCE, group.balance),
  };
}

function sumOf(one: GroupTotal, other: GroupTotal): GroupTotal {
  const [a, b] = [one.details, other.details];
  return {
    ...one,
    count: one.count + other.count,
    balance: addTotals(one.balance, other.balance),
    details:
      a === undefined || b === undefined
        ? undefined
        : {
            commitment: a.commitment + b.commitment,
            available: a.available + b.available,
            pastDue:
              a.pastDue === undefined || b.pastDue === undefined
                ? undefined
                : a.pastDue + b.pastDue,
            warnings: a.warnings + b.warnings,
          },
  };
}
