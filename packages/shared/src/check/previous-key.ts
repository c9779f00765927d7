import type { Finding, Findings } from './finding.ts';

/**
 * Whether the operator may remove the key that another one replaces.
 *
 * @param name the variable of the new key. @param left how many values open with the old key alone.
 * @param sealedAnew when the service seals them with the new one: `within an hour`.
 */
export function previousKey(
  { ok, warning }: Findings,
  name: string,
  left: number,
  sealedAnew: string,
): Finding {
  return left === 0
    ? ok('previous key', `opens nothing any more: PREVIOUS_${name} can go`)
    : warning(
        'previous key',
        `values that only it opens: ${left}`,
        `the service seals them anew ${sealedAnew}; keep PREVIOUS_${name} until then`,
      );
}
