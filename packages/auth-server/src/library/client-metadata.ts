import { PERMISSIONS, PERSON_PERMISSIONS, scopeOf } from '@cls/shared/access-token';
import type { AdapterPayload } from 'oidc-provider';
import { type Application, isConfidential } from '../clients/application.ts';
import { ACCOUNT_GRANT, DEVICE_GRANT } from '../clients/grant-types.ts';
import type { ServiceAccount } from '../clients/service-account.ts';
import { ACCOUNT_SIGNED_IN_PATH } from '../web/paths.ts';

/** The built-in client through which people get tokens with e-mail and password. */
export const ACCOUNT_CLIENT_ID = 'cls-account';

/** Our own client metadata, beside the registered names of RFC 7591. */
export const EXTRA_CLIENT_METADATA = [
  'customer',
  'permissions',
  'secret_hashes',
  'first_party',
  'without_pkce',
  'allowed_origins',
  'fapi2',
  'logo',
];

/** A service account as the library's client metadata. */
export function serviceAccountClient(account: ServiceAccount, scopeBase: string): AdapterPayload {
  return {
    client_id: account.id,
    client_name: account.name,
    // The library wants one to offer secret authentication; it is never compared.
    client_secret: 'hashed',
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: 'client_secret_basic',
    scope: account.permissions.map((permission) => scopeOf(scopeBase, permission)).join(' '),
    customer: account.customer,
    permissions: account.permissions,
    secret_hashes: account.secrets,
    ...account.proof,
  };
}

/** Scopes of OpenID Connect that applications may ask for, besides permissions. */
export const OPENID_SCOPES = ['openid', 'email', 'profile', 'offline_access'] as const;

/** Every scope that exists here. */
export function knownScopes(scopeBase: string): string[] {
  return [...OPENID_SCOPES, ...PERMISSIONS.map((permission) => scopeOf(scopeBase, permission))];
}

/** The scope that is registered by this name: one of OpenID Connect, or a permission. */
function scopeNamed(name: string, scopeBase: string): string {
  const permission = PERSON_PERMISSIONS.find((one) => one === name);
  return permission === undefined ? name : scopeOf(scopeBase, permission);
}

/** What an application can be allowed to ask for. */
export const APPLICATION_SCOPES: readonly string[] = [...OPENID_SCOPES, ...PERSON_PERMISSIONS];

/** An application as the library's client metadata. */
export function applicationClient(application: Application, scopeBase: string): AdapterPayload {
  const { secrets, device, redirectUris, backchannelLogoutUri } = application;
  const confidential = isConfidential(application);
  const browser = redirectUris.length > 0;
  return {
    client_id: application.id,
    client_name: application.name,
    ...(confidential ? { client_secret: 'hashed' } : {}),
    application_type: isNative(application) ? 'native' : 'web',
    grant_types: [
      ...(browser ? ['authorization_code'] : []),
      'refresh_token',
      ...(device ? [DEVICE_GRANT] : []),
    ],
    response_types: browser ? ['code'] : [],
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [...application.postLogoutRedirectUris],
    ...(backchannelLogoutUri === null
      ? {}
      : {
          backchannel_logout_uri: backchannelLogoutUri,
          backchannel_logout_session_required: true,
        }),
    token_endpoint_auth_method: confidential ? 'client_secret_basic' : 'none',
    id_token_signed_response_alg: application.proof?.fapi2 ? 'PS256' : 'RS256',
    scope: application.scopes.map((name) => scopeNamed(name, scopeBase)).join(' '),
    first_party: application.firstParty,
    without_pkce: confidential && application.withoutPkce,
    allowed_origins: [...application.allowedOrigins],
    secret_hashes: secrets,
    ...application.links,
    logo: application.logo,
    ...application.proof,
  };
}

/**
 * Whether it runs on people's own devices (RFC 8252), as its redirect URIs show. A URI of an own
 * scheme is good for no other.
 */
export function isNative({ redirectUris }: Pick<Application, 'redirectUris'>): boolean {
  return redirectUris.some((uri) => !uri.startsWith('https:'));
}

export const ACCOUNT_CLIENT: AdapterPayload = {
  client_id: ACCOUNT_CLIENT_ID,
  client_name: 'CLS',
  grant_types: [ACCOUNT_GRANT],
  response_types: [],
  redirect_uris: [],
  token_endpoint_auth_method: 'none',
};

/** The pages on which people look after their own account: no token is ever issued to them. */
export const ACCOUNT_PAGES_CLIENT_ID = 'cls-account-pages';

export function accountPagesClient(issuer: string): AdapterPayload {
  return {
    client_id: ACCOUNT_PAGES_CLIENT_ID,
    client_name: 'CLS',
    application_type: issuer.startsWith('https:') ? 'web' : 'native',
    grant_types: [],
    response_types: ['none'],
    redirect_uris: [`${issuer}${ACCOUNT_SIGNED_IN_PATH}`],
    token_endpoint_auth_method: 'none',
    scope: 'openid',
    first_party: true,
  };
}
