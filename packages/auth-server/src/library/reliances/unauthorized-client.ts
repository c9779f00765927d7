import type { Middleware } from 'koa';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { DEVICE_GRANT } from '../../clients/grant-types.ts';

/** The library calls a grant that exists, and that this client may not use, an invalid request. */
export function asUnauthorizedClient(ctx: Partial<KoaContextWithOIDC>, error: unknown): unknown {
  const { client, params } = ctx.oidc ?? {};
  const grant = params?.['grant_type'];
  if (!(error instanceof errors.InvalidRequest) || client === undefined) return error;
  if (typeof grant !== 'string' || client.grantTypeAllowed(grant)) return error;
  return new errors.UnauthorizedClient(DESCRIPTION); // RFC 6749 §5.2
}

/** Requests that begin a grant, and which. */
const BEGINS: Readonly<Record<string, string>> = {
  device_authorization: DEVICE_GRANT,
  pushed_authorization_request: 'authorization_code',
};

const DESCRIPTION = 'this client may not use the requested grant';

/** The same for the requests that begin a grant without a browser (RFC 8628 §3.2, RFC 9126 §2.3). */
export const nameUnauthorizedClients: Middleware = async (ctx, next) => {
  await next();
  const { oidc } = ctx as unknown as Partial<KoaContextWithOIDC>;
  const grant = BEGINS[oidc?.route ?? ''];
  if (grant === undefined || oidc?.client === undefined) return;
  const { error } = (ctx.body ?? {}) as { error?: string };
  if (error !== 'invalid_request' || oidc.client.grantTypeAllowed(grant)) return;
  ctx.body = { error: 'unauthorized_client', error_description: DESCRIPTION };
};
