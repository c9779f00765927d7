import type { AccessToken, Client, ClientCredentials, KoaContextWithOIDC } from 'oidc-provider';
import { contextOf } from './request-context.ts';
import { acrOf } from './sign-in-policy.ts';

/**
 * Adds what access tokens say of their subject, beside what the library writes (RFC 9068 §2.2). Added
 * to the finished payload, because Node 20 takes long to spread `extraTokenClaims` into it.
 */
export function addTokenClaims(
  ctx: KoaContextWithOIDC,
  token: AccessToken | ClientCredentials,
  { payload }: { readonly payload: object },
): void {
  Object.assign(payload, claimsOf(ctx, token));
}

/** A service account's token may be issued outside of the library's chain, where there is no context. */
function claimsOf(
  ctx: KoaContextWithOIDC,
  token: AccessToken | ClientCredentials,
): Record<string, unknown> {
  if (token.kind === 'ClientCredentials') return serviceAccountClaims(token.client);
  const signedIn = signedInClaims(ctx);
  if (signedIn !== undefined) return signedIn;
  const { authentication } = contextOf(ctx);
  if (authentication === undefined) throw new Error('a token of nobody');
  const { account, amr, authTimeS } = authentication;
  return {
    account_type: 'account',
    customer: account.customer,
    auth_time: authTimeS,
    amr,
    acr: acrOf(amr, false),
  };
}

/** Fails closed: without a customer there is no token at all. */
function serviceAccountClaims(client: Client | undefined): Record<string, unknown> {
  const customer = client?.['customer'];
  if (typeof customer !== 'string') throw new Error('a token without a customer');
  return { account_type: 'service_account', customer };
}

/** RFC 9068 §2.2.1 of a person who signed in with a browser or a second device. */
function signedInClaims(ctx: KoaContextWithOIDC): Record<string, unknown> | undefined {
  const { Account, AuthorizationCode, RefreshToken, DeviceCode } = ctx.oidc.entities;
  const proof = AuthorizationCode ?? RefreshToken ?? DeviceCode;
  if (Account === undefined || proof === undefined) return undefined;
  return {
    account_type: 'account',
    customer: Account['customer'],
    auth_time: proof.authTime,
    amr: proof.amr,
    acr: proof.acr,
  };
}
