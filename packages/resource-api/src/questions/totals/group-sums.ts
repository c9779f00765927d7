import { addTotals, ZERO_BALANCE } from '../../ledger/balance.ts';
import type { BookedGroup, GroupKey } from '../ask/balance-store.ts';

export interface GroupTotal extends BookedGroup {
  readonly withAccruals: boolean;
}

/** A group of an answer. */
export interface ToldGroup extends GroupTotal {
  /** The same group at the other time; undefined where nothing is compared, and before the book. */
  readonly compared?: GroupTotal;
}

/**
 * Groups with what they were. After those that there are come groups that there were, at zero, as far
 * as there is place; all others are in the rest. So the groups of a currency and its rest add up to
 * all that there is, and to all that there was.
 *
 * @param were at the other time, with those that there are first.
 * @param top groups of each currency that are told one by one.
 */
export function besideThen(
  are: readonly GroupTotal[],
  were: readonly GroupTotal[],
  top: number,
): readonly ToldGroup[] {
  const currencies = [...new Set([...are, ...were].map(({ currency }) => currency))].sort();
  return currencies.flatMap((currency) => {
    const [now, then] = [ofCurrency(are, currency), ofCurrency(were, currency)];
    const gone = then.told.filter((was) => !now.told.some((is) => isSame(is, was)));
    const places = now.rest === undefined ? top - now.told.length : 0;
    const others = [...gone.slice(places), ...(then.rest === undefined ? [] : [then.rest])];
    const [restThen] = addedUp(others);
    const rest = now.rest ?? (restThen && nothingOf(restThen));
    return [
      ...now.told.map((is) => ({
        ...is,
        compared: then.told.find((was) => isSame(is, was)) ?? nothingOf(is),
      })),
      ...gone.slice(0, places).map((was) => ({ ...nothingOf(was), compared: was })),
      ...(rest === undefined
        ? []
        : [{ ...rest, rest: true, compared: restThen ?? nothingOf(rest) }]),
    ];
  });
}

function ofCurrency(groups: readonly GroupTotal[], currency: string) {
  const own = groups.filter((group) => group.currency === currency);
  return { told: own.filter(({ rest }) => !rest), rest: own.find(({ rest }) => rest) };
}

function isSame(one: GroupKey, other: GroupKey): boolean {
  return one.currency === other.currency && one.group === other.group;
}

function nothingOf(group: GroupTotal): GroupTotal {
  const details = { commitment: 0n, available: 0n, pastDue: 0n, warnings: 0 };
  return { ...group, count: 0, balance: ZERO_BALANCE, details, withAccruals: true };
}

/** Per currency, what groups come to. */
export function addedUp(groups: readonly GroupTotal[]): readonly GroupTotal[] {
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
