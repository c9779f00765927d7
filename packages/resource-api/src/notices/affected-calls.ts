import type { Rule } from '../lifecycle/release.ts';
import type { UsageCount } from '../usage/version-usage.ts';
import type { DueNotice } from './notice-stage.ts';

/** An operation that a customer calls, and the changes that touch it. */
export interface AffectedCall {
  readonly operation: string;
  readonly requests: number;
  readonly lastDay: string;
  readonly callers: readonly CallerUse[];
  /** Callers that are not listed. */
  readonly moreCallers: number;
  readonly changes: readonly CallChange[];
}

export interface CallerUse {
  readonly clientId: string;
  /** Id of the account or service account. */
  readonly subject: string;
  readonly requests: number;
  readonly lastDay: string;
}

export interface CallChange {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly summary: string;
}

const MOST_CALLERS = 20;

type Use = Pick<UsageCount, 'clientId' | 'subject' | 'operation' | 'day' | 'requests'>;

/** What each customer called, of what the notice is about; by customer, in the order of names. */
export function affectedCalls(
  counts: readonly UsageCount[],
  { asked, changes }: Pick<DueNotice, 'asked' | 'changes'>,
): ReadonlyMap<string, readonly AffectedCall[]> {
  const byCustomer = groupBy(
    counts.filter(({ requested }) => requested === asked),
    ({ customer }) => customer,
  );
  const calls = [...byCustomer].map(([customer, own]): [string, readonly AffectedCall[]] => [
    customer,
    [...groupBy(own, ({ operation }) => operation)].map(([operation, uses]) => {
      const callers = callersOf(uses);
      return {
        operation,
        ...totalOf(uses),
        callers: callers.slice(0, MOST_CALLERS),
        moreCallers: Math.max(0, callers.length - MOST_CALLERS),
        changes: changes.flatMap(({ name, summary, covers }) => {
          const rules = covers.filter((one) => one.operation === operation).map(({ rule }) => rule);
          return rules.length === 0 ? [] : [{ name, rules: [...new Set(rules)].sort(), summary }];
        }),
      };
    }),
  ]);
  return new Map(calls);
}

/** Those with the most requests first. */
function callersOf(uses: readonly Use[]): readonly CallerUse[] {
  return [...groupBy(uses, ({ clientId, subject }) => JSON.stringify([clientId, subject])).values()]
    .map((own) => ({
      clientId: own[0]?.clientId ?? '',
      subject: own[0]?.subject ?? '',
      ...totalOf(own),
    }))
    .sort((a, b) => b.requests - a.requests || (a.clientId < b.clientId ? -1 : 1));
}

function totalOf(uses: readonly Use[]): { requests: number; lastDay: string } {
  return {
    requests: uses.reduce((sum, { requests }) => sum + requests, 0),
    lastDay:
      uses
        .map(({ day }) => day)
        .sort()
        .at(-1) ?? '',
  };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}
