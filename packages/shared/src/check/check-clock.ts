import type { Finding, Findings } from './finding.ts';

/** Clocks that are kept by NTP differ by milliseconds. */
const WARN_BEYOND_S = 1;

/**
 * @param aheadS how far another clock is ahead of this machine's, as measured.
 * @param uncertainS how wrong the measurement may be.
 * @param toleranceS `CLOCK_TOLERANCE_S`: beyond it, good tokens are refused.
 */
export function clockFinding(
  { ok, warning, failed }: Findings,
  { aheadS, uncertainS, toleranceS }: { aheadS: number; uncertainS: number; toleranceS: number },
): Finding {
  const apart = Math.max(0, Math.abs(aheadS) - uncertainS);
  const found = `${Math.abs(aheadS).toFixed(1)} s ${aheadS < 0 ? 'behind' : 'ahead of'} this machine`;
  const todo = 'run NTP (chrony, systemd-timesyncd) on both machines';
  if (apart > toleranceS) return failed('clock', found, todo);
  return apart > WARN_BEYOND_S ? warning('clock', found, todo) : ok('clock', found);
}
