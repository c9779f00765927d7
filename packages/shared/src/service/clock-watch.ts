import { NotReady, type ReadinessCheck } from '../http/health.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';

const EVERY_MS = 15_000;
/** `Date` has whole seconds, and an answer takes its time: below this, clocks agree. */
const APART_MIN_S = 3;

/** How many seconds this machine's clock is ahead of each of some other clocks; none where nobody answers. */
export type ReadClocks = () => Promise<readonly number[]>;

export interface ClockWatchDeps {
  /** By what they are the clocks of, such as `database`. */
  readonly clocks: Readonly<Record<string, ReadClocks>>;
  /** `CLOCK_TOLERANCE_S`: clocks that are further apart refuse good tokens. */
  readonly toleranceS: number;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly everyMs?: number;
}

export interface ClockWatch {
  /** Not ready while this machine's clock is the wrong one, as far as the others show it. */
  readonly check: ReadinessCheck;
  stop(): void;
}

/**
 * Compares this machine's clock with others, in the background. It is wrong where more than half of
 * all clocks, its own among them, agree with each other and not with it, twice in a row. Two clocks
 * that differ do not show which of them is wrong: that is a line in the log and a metric, and the
 * service stays ready, as it does where the database's clock alone is wrong.
 */
export function clockWatch(deps: ClockWatchDeps): ClockWatch {
  const { clocks, metrics, log, everyMs = EVERY_MS } = deps;
  const toleranceS = Math.max(deps.toleranceS, APART_MIN_S);
  const names = Object.keys(clocks);
  let ahead: readonly { readonly name: string; readonly aheadS: number }[] = [];
  let wrongInARow = 0;
  let reported: 'agree' | 'apart' | 'wrong' = 'agree';
  /** The clocks of that line. */
  let reportedOf: readonly string[] = [];

  metrics.gauge(
    {
      name: 'cls_clock_ahead_seconds',
      help: 'How far the clock of this machine is ahead of another one; of several, the one that differs most.',
      labels: { of: names },
    },
    () =>
      names.flatMap((of) => {
        const values = ahead.filter(({ name }) => name === of).map(({ aheadS }) => aheadS);
        const [value] = values.sort((a, b) => Math.abs(b) - Math.abs(a));
        return value === undefined ? [] : [{ labels: { of }, value }];
      }),
  );

  const look = async () => {
    const read = await Promise.all(
      Object.entries(clocks).map(async ([name, readClocks]) => {
        const found = await readClocks().catch(() => []);
        return found.map((aheadS) => ({ name, aheadS }));
      }),
    );
    ahead = read.flat();
    const isWrong = isOutvoted(
      ahead.map(({ aheadS }) => aheadS),
      toleranceS,
    );
    wrongInARow = isWrong ? wrongInARow + 1 : 0;
    report();
  };
  const report = () => {
    const apart = ahead.filter(({ aheadS }) => Math.abs(aheadS) > toleranceS);
    const state = wrongInARow >= 2 ? 'wrong' : apart.length > 0 ? 'apart' : 'agree';
    // The first of two looks does not say which clock is wrong.
    if (state === reported || (state === 'apart' && wrongInARow === 1)) return;
    // Who does not answer does not agree.
    const answers = (name: string) => ahead.some((clock) => clock.name === name);
    if (state === 'agree' && reported === 'apart' && !reportedOf.every(answers)) return;
    reported = state;
    reportedOf = apart.map(({ name }) => name);
    if (state === 'agree') {
      log.info({}, 'the clock of this machine agrees with the others again');
      return;
    }
    const rounded = apart.map(({ name, aheadS }) => [name, Math.round(aheadS * 10) / 10]);
    const fields = { aheadOfS: Object.fromEntries(rounded) };
    if (state === 'wrong') {
      log.error(
        fields,
        'the clock of this machine is wrong: most others agree with each other and not with it, so this process is not ready; run NTP on this machine',
      );
    } else {
      log.warn(
        fields,
        'the clock of this machine and another one differ by more than CLOCK_TOLERANCE_S: run NTP on both machines',
      );
    }
  };
  void look();
  const timer = setInterval(() => void look(), everyMs).unref();
  return {
    check: {
      name: 'clock',
      check: async () => {
        if (reported === 'wrong') throw new NotReady('clock_wrong');
      },
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * @param aheadS of this machine's clock, of each other one.
 * @returns whether more than half of all clocks agree with one of the others, and this one does not.
 */
export function isOutvoted(aheadS: readonly number[], toleranceS: number): boolean {
  const all = [0, ...aheadS];
  return aheadS.some((one) => {
    const agree = all.filter((other) => Math.abs(other - one) <= toleranceS);
    return Math.abs(one) > toleranceS && agree.length > all.length / 2;
  });
}
