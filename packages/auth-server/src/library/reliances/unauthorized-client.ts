import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { DEVICE_GRANT } from '../../clients/grant-types.ts';

const DESCRIPTION = 'this client may not use the requested grant';

/**
 * The right error for a client that may not use the grant of its request (RFC 6749 §5.2, RFC 8628
 * §3.2, RFC 9126 §2.3): the library calls it an invalid request.
 *
 * @returns undefined for any other error.
 */
export function unauthorizedClient(
  ctx: Partial<KoaContextWithOIDC>,
  error: unknown,
): errors.UnauthorizedClient | undefined {
  if (!(error instanceof errors.InvalidRequest)) return undefined;
  const { client } = ctx.oidc ?? {};
  const grant = grantOf(ctx);
  if (client === undefined || typeof grant !== 'string') return undefined;
  return client.grantTypeAllowed(grant) ? undefined : new errors.UnauthorizedClient(DESCRIPTION);
}

/** The grant that a request uses, or begins without a browser. */
function grantOf({ oidc }: Partial<KoaContextWithOIDC>): unknown {
  if (oidc?.route === 'device_authorization') return DEVICE_GRANT;
  if (oidc?.route === 'pushed_authorization_request') return 'authorization_code';
  return oidc?.route === 'token' ? oidc.params?.['grant_type'] : undefined;
}
