import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';

type Rotation = NonNullable<Configuration['rotateRefreshToken']>;

/**
 * Rotates a refresh token, unless `check` refuses the request or answers false. The library asks whether to rotate
 * a token right before it consumes the token: a request that is refused here costs the application
 * nothing.
 *
 * @param check throws an error of the protocol, which is the answer.
 */
export function rotateUnless(check: (ctx: KoaContextWithOIDC) => unknown): Rotation {
  return (ctx) => check(ctx) !== false;
}
