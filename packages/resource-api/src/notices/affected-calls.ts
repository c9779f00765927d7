import { groupBy } from '@cls/shared/group-by';
import type { Rule } from '../lifecycle/release.ts';
import type { CallerUse } from '../usage/version-usage.ts';
import type { DueNotice } from './notice-stage.ts';

/** An operation that a customer calls, and the changes that touch it. */
export interface AffectedCall {
  readonly operation: string;
  readonly requests: number;
  readonly lastDay: string;
  readonly callers: readonly AffectedCaller[];
  /** Callers that are not listed. */
  readonly moreCallers: number;
  readonly changes: readonly CallChange[];
}

export type AffectedCaller = Pick<CallerUse, 'clientId' | 'subject' | 'requests' | 'lastDay'>;

export interface CallChange {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly summary: string;
}

const MOST_CALLERS = 20;

/** What each customer called, of what the notice is about; by customer, in the order of names. */
export function affectedCalls(
  uses: readonly CallerUse[],
  { asked, changes }: Pick<DueNotice, 'asked' | 'changes'>,
): ReadonlyMap<string, readonly AffectedCall[]> {
  const byCustomer = groupsInOrder(
    uses.filter(({ requested }) => requested === asked),
    ({ customer }) => customer,
  );
  const calls = [...byCustomer].map(([customer, own]): [string, readonly AffectedCall[]] => [
    customer,
    [...groupsInOrder(own, ({ operation }) => operation)].map(([operation, callers]) => ({
      operation,
      requests: callers.reduce((sum, { requests }) => sum + requests, 0),
      lastDay: lastDayOf(callers),
      callers: [...callers].sort(byRequests).slice(0, MOST_CALLERS).map(callerOf),
      moreCallers: Math.max(0, callers.length - MOST_CALLERS),
      changes: changes.flatMap(({ name, summary, covers }) => {
        const rules = covers.filter((one) => one.operation === operation).map(({ rule }) => rule);
        return rules.length === 0 ? [] : [{ name, rules: [...new Set(rules)].sort(), summary }];
      }),
    })),
  ]);
  return new Map(calls);
}

/** The latest of these days. */
export function lastDayOf(uses: readonly { readonly lastDay: string }[]): string {
  const days = uses.map(({ lastDay }) => lastDay).sort();
  return days.at(-1) ?? '';
}

function byRequests(a: CallerUse, b: CallerUse): number {
  return b.requests - a.requests || (a.clientId < b.clientId ? -1 : 1);
}

function callerOf({ clientId, subject, requests, lastDay }: CallerUse): AffectedCaller {
  return { clientId, subject, requests, lastDay };
}

function groupsInOrder<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  return new Map([...groupBy(items, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1)));
}
