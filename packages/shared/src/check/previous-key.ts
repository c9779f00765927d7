import type { Finding, Findings } from './finding.ts';

/**
 * Whether the operator may remove `PREVIOUS_…`: the old key, or in the first step of a replacement the new one.
 *
 * @param name the variable of the key that seals. @param left how many values open with the old key alone.
 * @param sealedAnew when the service seals them with the new one: `within an hour`.
 */
export function previousKey(
  { ok, warning }: Findings,
  name: string,
  left: number,
  sealedAnew: string,
): Finding {
  return left === 0
    ? ok(
        'previous key',
        // Nothing tells a key that was replaced from one that is yet to take over: neither opens a value.
        `opens no value: remove PREVIOUS_${name} if it is the old key, keep it if it is the new one`,
      )
    : warning(
        'previous key',
        `values that only it opens: ${left}`,
        `the service seals them anew ${sealedAnew}; keep PREVIOUS_${name} until then`,
      );
}
