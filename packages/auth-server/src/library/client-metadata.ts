/** The clients as the library finds them. */
import { PERMISSIONS, PERSON_PERMISSIONS, scopeOf } from '@cls/shared/access-token';
import { type AdapterPayload, type Client, Provider } from 'oidc-provider';
import {
  type Application,
  type ApplicationDirectory,
  isConfidential,
  isNative,
  OPENID_SCOPES,
} from '../clients/application.ts';
import { canBeClientSecret } from '../clients/client-secret.ts';
import { ACCOUNT_GRANT, DEVICE_GRANT } from '../clients/grant-types.ts';
import type { ServiceAccount, ServiceAccountDirectory } from '../clients/service-account.ts';
import { ACCOUNT_SIGNED_IN_PATH, type ROUTES } from '../web/paths.ts';
import { contextOf } from './request-context.ts';

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

export interface ClientSettings {
  readonly issuer: string;
  readonly scopeBase: string;
  readonly mtlsBaseUrl: string | undefined;
  readonly applications: ApplicationDirectory;
  readonly serviceAccounts: ServiceAccountDirectory;
}

/** Undefined for a client that is unknown or disabled, or that cannot prove itself. */
export async function findClient(
  id: string,
  settings: ClientSettings,
): Promise<AdapterPayload | undefined> {
  const { issuer, scopeBase } = settings;
  if (bringsImpossibleSecret()) return undefined;
  if (id === ACCOUNT_CLIENT_ID) return ACCOUNT_CLIENT;
  if (id === ACCOUNT_PAGES_CLIENT_ID) return accountPagesClient(issuer);
  if (id.startsWith('app_')) {
    const application = await settings.applications.find(id);
    return isUsable(application, settings) ? applicationClient(application, scopeBase) : undefined;
  }
  const account = await settings.serviceAccounts.find(id);
  return isUsable(account, settings) ? serviceAccountClient(account, scopeBase) : undefined;
}

function isUsable<C extends Pick<Application, 'disabled' | 'proof'>>(
  client: C | undefined,
  { mtlsBaseUrl }: ClientSettings,
): client is C {
  if (client === undefined || client.disabled) return false;
  if (mtlsBaseUrl !== undefined) return true;
  // Without mutual TLS the library would leave a binding out, and issue tokens that are bound to nothing.
  const { token_endpoint_auth_method: method = '', ...proof } = client.proof ?? {};
  return proof.tls_client_certificate_bound_access_tokens !== true && !/tls/.test(method);
}

/** Routes where clients prove themselves. A browser's header is for a proxy in front. */
const PROVING: readonly string[] = [
  'token',
  'revocation',
  'introspection',
  'pushed_authorization_request',
  'device_authorization',
] satisfies readonly (keyof typeof ROUTES)[];

/**
 * Whether the request that goes on proves its client by a secret that was never made here, as its checksum
 * shows. Its client is not looked up then: guesses cost no store anything.
 */
function bringsImpossibleSecret(): boolean {
  const { ctx } = Provider;
  if (ctx?.oidc === undefined || !PROVING.includes(ctx.oidc.route)) return false;
  const secret = ctx.oidc.params?.['client_secret'] ?? basicSecret(ctx.get('authorization'));
  const impossible = typeof secret === 'string' && !canBeClientSecret(secret);
  if (impossible) contextOf(ctx).impossibleSecret = true;
  return impossible;
}

/** RFC 6749 §2.3.1. Undefined where the library says itself what is wrong with the header. */
function basicSecret(authorization: string): string | undefined {
  const [, encoded] = /^basic ([\w+/=-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  try {
    return decodeURIComponent(pair.slice(pair.indexOf(':') + 1).replaceAll('+', '%20'));
  } catch {
    return undefined;
  }
}

/** A service account as the library's client metadata. */
function serviceAccountClient(account: ServiceAccount, scopeBase: string): AdapterPayload {
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

/** Every scope that exists here. */
export function knownScopes(scopeBase: string): string[] {
  return [...OPENID_SCOPES, ...PERMISSIONS.map((permission) => scopeOf(scopeBase, permission))];
}

/** An application as the library's client metadata. */
function applicationClient(application: Application, scopeBase: string): AdapterPayload {
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
    scope: application.scopes
      .map((name) => {
        const permission = PERSON_PERMISSIONS.find((one) => one === name);
        return permission === undefined ? name : scopeOf(scopeBase, permission);
      })
      .join(' '),
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
 * Puts `sid` into the ID tokens of every application (Back-Channel Logout 1.0 §2.1). The library does so
 * only for applications with a back-channel logout URI; the others could not show, when they ask for a
 * sign-out, which session their token is from.
 */
export function nameSessions(provider: Provider): void {
  (provider.Client.prototype as Client & { includeSid(): boolean }).includeSid = () => true;
}

const ACCOUNT_CLIENT: AdapterPayload = {
  client_id: ACCOUNT_CLIENT_ID,
  client_name: 'CLS',
  grant_types: [ACCOUNT_GRANT],
  response_types: [],
  redirect_uris: [],
  token_endpoint_auth_method: 'none',
};

/** The pages on which people look after their own account: no token is ever issued to them. */
export const ACCOUNT_PAGES_CLIENT_ID = 'cls-account-pages';

function accountPagesClient(issuer: string): AdapterPayload {
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
