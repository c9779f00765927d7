/** An answer that took longer says too little about the time at which it was given. */
const TOOK_MAX_MS = 2_000;

export interface MeasuredClock {
  readonly aheadS: number;
  /** The other clock's time, in seconds since the epoch. */
  readonly nowS: number;
}

/** @returns undefined where the answer took too long to say anything. */
export async function measureClock(
  read: () => Promise<number>,
): Promise<MeasuredClock | undefined> {
  const startedMs = performance.now();
  const nowMs = await read();
  const tookMs = performance.now() - startedMs;
  if (tookMs > TOOK_MAX_MS) return undefined;
  return { aheadS: (Date.now() - tookMs / 2 - nowMs) / 1_000, nowS: nowMs / 1_000 };
}

/** How far ahead this machine is of the machine that gave an answer, by its `Date`. */
export function aheadOfDate(headers: Headers, tookMs: number): number | undefined {
  const dateMs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(dateMs) || tookMs > TOOK_MAX_MS) return undefined;
  // The header has whole seconds: in the middle, it is half a second later.
  return (Date.now() - tookMs / 2 - (dateMs + 500)) / 1_000;
}

/** As a list, for `clockWatch`. */
export function aheadOf(
  clock: { readonly aheadS: number | undefined } | undefined,
): readonly number[] {
  return clock?.aheadS === undefined ? [] : [clock.aheadS];
}
