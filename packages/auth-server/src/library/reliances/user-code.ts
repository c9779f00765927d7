import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';

/**
 * Why the library shows the form for a second device's code:
 * - `asked`: for the first time;
 * - `code_not_good`: what was typed is no code, or one that is used up or has expired. The library
 *   leaves the status at 200, with an error beside it;
 * - `denied`: the person has just denied the device;
 * - `failed`: anything else, with its own status.
 */
export function whyCodeIsAsked(
  ctx: KoaContextWithOIDC,
  out: ErrorOut | undefined,
): 'asked' | 'code_not_good' | 'denied' | 'failed' {
  if (ctx.oidc.entities.DeviceCode?.error !== undefined) return 'denied';
  if (out === undefined) return 'asked';
  return ctx.status === 200 ? 'code_not_good' : 'failed';
}
