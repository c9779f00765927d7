import { statusReference } from '@cls/shared/access/status-list';
import {
  type AccessToken,
  type Client,
  type ClientCredentials,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { digest } from '../crypto/digest.ts';
import type { NextIndex } from '../token-status/token-indices.ts';
import { contextOf } from './request-context.ts';
import { acrOf } from './sign-in-policy.ts';

/**
 * Adds what access tokens say of their subject, beside what the library writes (RFC 9068 §2.2). Added
 * to the finished payload, because Node 20 takes long to spread `extraTokenClaims` into it.
 */
export function tokenClaims(issuer: string, nextIndex: NextIndex) {
  return (
    ctx: KoaContextWithOIDC | undefined,
    token: AccessToken | ClientCredentials,
    { payload }: { readonly payload: object },
  ): void | Promise<void> => {
    const add = (index: number | undefined): void => {
      // Disabled, its secret ended, or it lost a permission, while it was about to get a token.
      if (index === undefined) throw new errors.InvalidClientAuth('the caller has ended');
      Object.assign(payload, claimsOf(ctx, token));
      Object.assign(payload, { status: { status_list: statusReference(issuer, index) } });
    };
    const { sub: subject } = payload as { sub: string };
    const { clientId = '' } = token;
    const grantId = 'grantId' in token ? token.grantId : undefined;
    const index = nextIndex({
      subject,
      clientId,
      secretId: provenSecrets.get(token) ?? ctx?.state['provenSecret'],
      permissions: token.client?.['permissions'] as readonly string[] | undefined,
      grant: grantId === undefined ? undefined : digest(grantId),
    });
    return typeof index === 'number' ? add(index) : index.then(add);
  };
}

/** Of tokens that are issued outside of the library's chain: the id of the secret that was proven. */
export const provenSecrets = new WeakMap<object, string>();

/** A service account's token may be issued outside of the library's chain, where there is no context. */
function claimsOf(
  ctx: KoaContextWithOIDC | undefined,
  token: AccessToken | ClientCredentials,
): Record<string, unknown> {
  if (token.kind === 'ClientCredentials') return serviceAccountClaims(token.client);
  if (ctx === undefined) throw new Error('a token of nobody');
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
