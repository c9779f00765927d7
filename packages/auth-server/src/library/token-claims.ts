import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { acrOf } from './acr.ts';
import { contextOf } from './request-context.ts';

/** What access tokens say of their subject, beside what the library writes (RFC 9068 §2.2). */
export const tokenClaims: NonNullable<Configuration['extraTokenClaims']> = (ctx, token) => {
  const signedIn = signedInClaims(ctx);
  if (signedIn !== undefined) return signedIn;
  const { authentication } = contextOf(ctx);
  if (authentication === undefined) {
    const customer = ctx.oidc.client?.['customer'];
    if (token.kind !== 'ClientCredentials' || typeof customer !== 'string') {
      throw new Error('a token without a customer'); // Fails closed: no token at all.
    }
    return { account_type: 'service_account', customer };
  }
  const { account, amr, authTimeS } = authentication;
  return {
    account_type: 'account',
    customer: account.customer,
    auth_time: authTimeS,
    amr,
    acr: acrOf(amr),
  };
};

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
