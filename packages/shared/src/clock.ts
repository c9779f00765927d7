/** Where time comes from; tests pass their own. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const DAY_MS = 86_400_000;

/** Whole seconds since the epoch: the NumericDate of RFC 7519 §2. */
export function epochSeconds(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000);
}
