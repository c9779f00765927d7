import type { Caller } from '@cls/shared/access/caller';
import { addPrincipal, type PrincipalBalance, ZERO_BALANCE } from '../../ledger/balance.ts';
import { type BusinessDate, daysAfter } from '../../ledger/business-date.ts';
import { endOf, type Interval, type Period, periodsOf } from '../../ledger/interval.ts';
import type { BalanceFilter, BalanceStore, Level, SeriesStep } from '../ask/balance-store.ts';
import type { QuestionTimes, ResolvedSnapshot, Snapshots } from '../ask/snapshot.ts';
import { storesFilter } from '../page/decided-by-reading.ts';
import { resolveQuestion } from '../page/read-balances.ts';

export interface SeriesQuestion extends QuestionTimes {
  readonly level: Level;
  /** Finds items at the end of the period, zero or not. */
  readonly filter: BalanceFilter;
  readonly interval: Interval | 'event';
}

/** The roll-forward of one interval in one currency. */
export interface SeriesPoint extends Period {
  readonly currency: string;
  readonly opening: PrincipalBalance;
  readonly closing: PrincipalBalance;
}

export interface SeriesAnswer {
  readonly snapshot: ResolvedSnapshot;
  /** First day; undefined where the book is empty. */
  readonly from: BusinessDate | undefined;
  readonly points: readonly SeriesPoint[];
  /** Where the next question begins; undefined where there is nothing more. */
  readonly nextFrom: BusinessDate | undefined;
}

/** Dates of one answer. */
export const POINTS_MAX = 500;

/** @throws {Refusal} of the question's times. */
export type ReadSeries = (caller: Caller, question: SeriesQuestion) => Promise<SeriesAnswer>;

export function seriesReader(store: BalanceStore, times: Snapshots, most = POINTS_MAX): ReadSeries {
  return async (caller, question) => {
    const { access, level, snapshot, filter } = await resolveQuestion(
      store,
      times,
      caller,
      question,
    );
    const { interval, fromDate } = question;
    const from = fromDate ?? snapshot.firstDate;
    if (from === undefined) return { snapshot, from, points: [], nextFrom: undefined };
    const whole = { from, to: snapshot.asOf };
    const calendar = interval === 'event' ? undefined : periodsOf(interval, whole, most);
    const asked = { from, to: calendar?.at(-1)?.to ?? whole.to };
    const all = { level, filter: { ...filter, includeZero: true }, snapshot };
    const decided = await storesFilter(store, access, all);
    const request = { ...all, filter: decided, interval, ...asked, limit: most };
    const steps = await store.series(access, request);
    const days = [...new Set(steps.flatMap(({ start }) => start ?? []))].sort();
    const beyond = calendar === undefined ? days[most] : undefined;
    const next = asked.to < whole.to ? daysAfter(asked.to, 1) : beyond;
    return { snapshot, from, points: pointsOf(steps, calendar, interval, beyond), nextFrom: next };
  };
}

/** Each currency has a point for each interval, or for each of its own days with a movement. */
function pointsOf(
  steps: readonly SeriesStep[],
  calendar: readonly Period[] | undefined,
  interval: SeriesQuestion['interval'],
  beyond: BusinessDate | undefined,
): readonly SeriesPoint[] {
  const points: SeriesPoint[] = [];
  for (const currency of new Set(steps.map((step) => step.currency))) {
    const own = steps.filter((step) => step.currency === currency);
    let closing = own.find(({ start }) => start === undefined)?.moved ?? NOTHING;
    const moved = new Map(
      own.flatMap(({ start, moved: step }) =>
        start === undefined ? [] : [[keyOf(interval, start), step] as const],
      ),
    );
    const days = [...moved.keys()].filter((day) => beyond === undefined || day < beyond);
    for (const period of calendar ?? days.map((day) => ({ from: day, to: day }))) {
      const opening = closing;
      closing = addPrincipal(opening, moved.get(keyOf(interval, period.from)) ?? NOTHING);
      points.push({ currency, ...period, opening, closing });
    }
  }
  return points;
}

const NOTHING: PrincipalBalance = ZERO_BALANCE;

/** An interval by its last day, whichever day of it is given. */
function keyOf(interval: SeriesQuestion['interval'], day: BusinessDate): BusinessDate {
  return interval === 'event' ? day : endOf(interval, day);
}
