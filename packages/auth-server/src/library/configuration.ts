import { DPOP_ALGS } from '@cls/shared/access/token-refusals';
import { scopeOf, tokenPermissions } from '@cls/shared/access-token';
import { cookieName, LOCALES } from '@cls/shared/pages/browser';
import type { Secret } from '@cls/shared/secret';
import {
  type Adapter,
  type Client,
  type Configuration,
  type ErrorOut,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import type { AccountDirectory } from '../accounts/account.ts';
import type { MfaPolicy } from '../accounts/mfa-policy.ts';
import { ASSERTION_ALGS } from '../clients/client-proof.ts';
import type { TokenBudget } from '../clients/token-budget.ts';
import { SIGNING_ALGS, type SigningKey } from '../keys/signing-key.ts';
import type { StateStore } from '../state/state-store.ts';
import type { NextIndex } from '../token-status/token-indices.ts';
import { ROUTES } from '../web/paths.ts';
import { allowsOrigin } from './allowed-origin.ts';
import {
  type ClientSettings,
  EXTRA_CLIENT_METADATA,
  findClient,
  knownScopes,
} from './client-metadata.ts';
import { type ExistingGrantSettings, existingGrant } from './existing-grant.ts';
import { type KeySetFetchSettings, keySetReader } from './fetch-key-set.ts';
import { endpointAliases, type MutualTlsSettings, mutualTls } from './mutual-tls.ts';
import { type RevokedTokenSettings, refuseRevoked } from './one-token.ts';
import { PooledSigningKey } from './pooled-signing-key.ts';
import { providerAdapter } from './provider-adapter.ts';
import { GRANT_MARGIN_S, recordSignIns, type SignInRecordDeps } from './record-sign-ins.ts';
import {
  type RefreshLifetimeSettings,
  refreshTokenTtlS,
  refuseAfterAbsoluteLife,
} from './refresh-lifetime.ts';
import { rotateUnless } from './reliances/refresh-refusal.ts';
import { errorRenderer } from './render-error.ts';
import { contextOf } from './request-context.ts';
import { parameterChecks } from './request-parameters.ts';
import { defaultResource, refuseOtherResources, resourceServerFor } from './resource-server.ts';
import { longestSessionS, type SessionLifetimeSettings, sessionTtlS } from './session-lifetime.ts';
import {
  MFA_ACR,
  meetsPolicy,
  PASSWORD_ACR,
  REMEMBERED_ACR,
  signInPolicy,
} from './sign-in-policy.ts';
import { tokenClaims } from './token-claims.ts';
import { TooManyTokens } from './too-many-tokens.ts';

export interface ProviderSettings
  extends ClientSettings,
    ExistingGrantSettings,
    KeySetFetchSettings,
    MutualTlsSettings,
    RefreshLifetimeSettings,
    RevokedTokenSettings,
    SessionLifetimeSettings,
    SignInRecordDeps {
  readonly mfaPolicy: MfaPolicy;
  readonly cookieKey: Secret;
  /** The key that `cookieKey` replaces: its cookies are still accepted. */
  readonly previousCookieKey?: Secret | undefined;
  readonly tokenBudget: Pick<TokenBudget, 'take'>;
  readonly nextTokenIndex: NextIndex;
  readonly accounts: AccountDirectory;
  readonly state: StateStore;
  readonly pages: ProviderPages;
  readonly policyUrl: string | undefined;
  readonly documentationUrl: string | undefined;
}

/** What people see where the library itself answers a browser. */
export interface ProviderPages {
  /** A path with the issuer's own before it. */
  path(path: string): string;
  error(ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): void;
  signOut(ctx: KoaContextWithOIDC): Promise<void>;
  signedOut(ctx: KoaContextWithOIDC): Promise<void>;
  deviceCode(ctx: KoaContextWithOIDC, out?: ErrorOut, error?: Error): Promise<void>;
  /** @param address where the device asked from. */
  deviceConfirmation(ctx: KoaContextWithOIDC, userCode: string, address: string): Promise<void>;
  deviceDone(ctx: KoaContextWithOIDC): Promise<void>;
}

const AUTHORIZATION_CODE_TTL_S = 60;
const DEVICE_CODE_TTL_S = 600;
const INTERACTION_TTL_S = 900;
const ID_TOKEN_TTL_S = 3_600;

/** The library's configuration. What is not enabled here is not offered. */
export function providerConfiguration(
  issuer: string,
  settings: ProviderSettings,
  keys: readonly SigningKey[],
): Configuration {
  const { scopeBase, cookieKey, previousCookieKey, pages } = settings;
  const issuerOrigin = new URL(issuer).origin;
  const scopes = knownScopes(scopeBase);
  const readKeySet = keySetReader(settings);
  return {
    jwks: {
      keys: SIGNING_ALGS.flatMap((alg) => keys.map((key) => new PooledSigningKey(key, alg))),
    },
    adapter: (kind: string) => adapterFor(kind, settings),
    routes: ROUTES,
    scopes,
    extraParams: parameterChecks(scopes),
    claims: {
      openid: ['sub', 'acr', 'amr', 'auth_time'],
      email: ['email', 'email_verified'],
      profile: ['name'],
    },
    discovery: discovery(settings),
    acrValues: [PASSWORD_ACR, REMEMBERED_ACR, MFA_ACR],
    cookies: cookies(issuer, [cookieKey, ...(previousCookieKey ? [previousCookieKey] : [])]),
    // Secrets are stored hashed, so the methods that need a secret's text are not offered.
    clientAuthMethods: authMethods(settings),
    enabledJWA: {
      clientAuthSigningAlgValues: [...ASSERTION_ALGS],
      dPoPSigningAlgValues: [...DPOP_ALGS],
    },
    assertJwtClientAuthClaimsAndHeader: checkAssertion,
    extraClientMetadata: { properties: EXTRA_CLIENT_METADATA },
    // `none` (OAuth 2.0 Multiple Response Type Encoding Practices §4) is how people come to the account pages.
    responseTypes: ['code', 'none'],
    allowOmittingSingleRegisteredRedirectUri: false,
    // RFC 7636
    pkce: { required: (_, client) => isFapi2(client) || client['without_pkce'] !== true },
    features: {
      clientCredentials: { enabled: true }, // RFC 6749 §4.4
      // RFC 8707; callers need not name the resource, because their scopes decide it.
      resourceIndicators: {
        enabled: true,
        defaultResource: (ctx, client) => defaultResource(ctx, client, settings),
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, indicator, client) => {
          const info = resourceServerFor(ctx, indicator, client, settings);
          if (!client.grantTypeAllowed('client_credentials')) return info;
          const caller = { id: client.clientId, customer: String(client['customer']) };
          const over = settings.tokenBudget.take(caller);
          if (over !== undefined) throw new TooManyTokens(over);
          contextOf(ctx).tookTokenOf = caller.id;
          return info;
        },
      },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' }, // pooled-signing-key.ts
      devInteractions: { enabled: false },
      dPoP: { enabled: true }, // RFC 9449
      mTLS: mutualTls(settings), // RFC 8705
      fapi: { enabled: true, profile: (_, client) => (isFapi2(client) ? '2.0' : undefined) },
      pushedAuthorizationRequests: { enabled: true }, // RFC 9126
      // FAPI 2.0 would want times in them; the store alone says how long they live.
      requestObjects: { enabled: false, assertJwtClaimsAndHeader: async () => undefined },
      revocation: { enabled: true, allowedPolicy: mayRevoke }, // RFC 7009
      introspection: { enabled: true, allowedPolicy: isOwnToken }, // RFC 7662
      userinfo: { enabled: true },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx) => pages.signOut(ctx),
        postLogoutSuccessSource: (ctx) => pages.signedOut(ctx),
      },
      // RFC 8628
      deviceFlow: {
        enabled: true,
        charset: 'base-20',
        mask: '****-****',
        userCodeInputSource: (ctx, _form, out, error) => pages.deviceCode(ctx, out, error),
        deviceInfo: ({ ip }) => ({ ip }),
        userCodeConfirmSource: (ctx, _form, _client, info, userCode) =>
          pages.deviceConfirmation(ctx, userCode, String(info['ip'])),
        successSource: (ctx) => pages.deviceDone(ctx),
      },
    },
    ttl: {
      AccessToken: (_, token) => token.resourceServer?.accessTokenTTL ?? settings.accountTokenTtlS,
      ClientCredentials: (_, token) => token.resourceServer?.accessTokenTTL ?? 1,
      AuthorizationCode: AUTHORIZATION_CODE_TTL_S,
      DeviceCode: DEVICE_CODE_TTL_S,
      IdToken: ID_TOKEN_TTL_S,
      Interaction: INTERACTION_TTL_S,
      // What was positive a moment ago may be over now, and the library takes no zero.
      RefreshToken: (_, token) => Math.max(1, refreshTokenTtlS(settings, token)),
      // Prolonged with each refresh: see record-sign-ins.ts.
      Grant: Math.max(settings.refreshTokenTtlS, longestSessionS(settings)) + GRANT_MARGIN_S,
      Session: (_, session) => sessionTtlS(settings, session),
    },
    interactions: {
      url: (_, { uid }) => pages.path(`/interaction/${uid}`),
      policy: signInPolicy(settings, settings.mfaPolicy),
    },
    loadExistingGrant: (ctx) => existingGrant(ctx, settings),
    issueRefreshToken: async (_, client, code) =>
      client.grantTypeAllowed('refresh_token') &&
      refreshTokenTtlS(settings, 'authTime' in code ? code : {}) > 0,
    rotateRefreshToken: rotateUnless((ctx) => {
      refuseOtherResources(ctx);
      refuseAfterAbsoluteLife(settings, ctx.oidc.entities.RefreshToken);
      return !isFapi2(ctx.oidc.client); // FAPI 2.0 §5.3.2.1: its tokens are bound instead.
    }),
    expiresWithSession: () => false,
    findAccount: async (ctx, id, token) => {
      const proof = token !== undefined && 'acr' in token ? token : undefined;
      // A code or refresh token of a sign-in without a second factor, from before one was demanded.
      if (proof !== undefined && !meetsPolicy(proof.acr, settings.mfaPolicy)) return undefined;
      const account = await settings.accounts.find(id);
      if (account === undefined || account.disabled) return undefined;
      const acr = proof === undefined ? ctx.oidc.session?.['acr'] : proof.acr;
      const permissions = tokenPermissions(account.permissions, acr === MFA_ACR);
      return {
        accountId: account.id,
        permissions,
        scopes: permissions.map((permission) => scopeOf(scopeBase, permission)),
        customer: account.customer,
        claims: () => ({
          sub: account.id,
          email: account.email,
          email_verified: true,
          name: account.name,
        }),
      };
    },
    formats: { customizers: { jwt: tokenClaims(issuer, settings.nextTokenIndex) } },
    fetch: (url, init = {}) =>
      init.method === 'GET'
        ? readKeySet(new URL(url), init.signal as AbortSignal)
        : notifyApplication(url, init),
    clientBasedCORS: (_, origin, client) => origin === issuerOrigin || allowsOrigin(client, origin),
    renderError: errorRenderer((ctx, out, error) => pages.error(ctx, out, error)),
  };
}

function authMethods({ mtlsBaseUrl }: MutualTlsSettings) {
  const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;
  const byCertificate = ['tls_client_auth', 'self_signed_tls_client_auth'] as const;
  return mtlsBaseUrl === undefined ? [...methods] : [...methods, ...byCertificate];
}

/** How long an assertion may be good, in seconds: one that was stolen before its use is a key. */
const ASSERTION_TTL_MAX_S = 3_600;
const FAPI2_ASSERTION_TTL_MAX_S = 300;
/** Its maker's clock may be ahead by so much. */
const ASSERTION_AHEAD_MAX_S = 60;

/** FAPI 2.0 Security Profile */
function isFapi2(client: Client | undefined): boolean {
  return client?.['fapi2'] === true;
}

/** RFC 7523 §3, and FAPI 2.0 §5.3.2.1 and §5.4.1, beside what the library checks. */
const checkAssertion: NonNullable<Configuration['assertJwtClientAuthClaimsAndHeader']> = async (
  { oidc },
  { exp, iat, aud },
  { alg },
  client,
) => {
  const fapi2 = isFapi2(client);
  const ttlMaxS = fapi2 ? FAPI2_ASSERTION_TTL_MAX_S : ASSERTION_TTL_MAX_S;
  const nowS = Date.now() / 1_000;
  if (Number(exp) > nowS + ttlMaxS || Number(iat ?? 0) > nowS + ASSERTION_AHEAD_MAX_S) {
    throw new errors.InvalidClientAuth(
      `the assertion is good for more than ${ttlMaxS} seconds, or was made in the future`,
    );
  }
  if (fapi2 && (aud !== oidc.issuer || alg === 'RS256')) {
    throw new errors.InvalidClientAuth('FAPI 2.0: aud must be the issuer, and alg not RS256');
  }
};

/** RFC 7009 §2.1. A public client learns nothing about others' tokens, which it could only guess. */
export function mayRevoke(
  _: unknown,
  client: Client,
  token: { clientId?: string | undefined },
): boolean {
  if (token.clientId === client.clientId) return true;
  if (client.clientAuthMethod === 'none') return false;
  throw new errors.InvalidRequest('the token was not issued to this client');
}

/** RFC 7662, for what is kept here: see oauth/revocation/signed-tokens.ts for the others. */
function isOwnToken(_: unknown, client: Client, token: { clientId?: string | undefined }): boolean {
  return client.clientAuthMethod !== 'none' && token.clientId === client.clientId;
}

/** What the library does not say of itself (OpenID Connect Discovery §3, RFC 8414 §2). */
function discovery(settings: ProviderSettings) {
  const { policyUrl, documentationUrl, audience } = settings;
  return {
    ...endpointAliases(settings),
    protected_resources: [audience], // RFC 9728 §4
    ui_locales_supported: [...LOCALES],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    revocation_endpoint_auth_methods_supported: authMethods(settings),
    revocation_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGS],
    introspection_endpoint_auth_methods_supported: authMethods(settings).filter(
      (one) => one !== 'none',
    ),
    introspection_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGS],
    ...(policyUrl === undefined ? {} : { op_policy_uri: policyUrl }),
    ...(documentationUrl === undefined ? {} : { service_documentation: documentationUrl }),
  };
}

function adapterFor(kind: string, settings: ProviderSettings): Adapter {
  const adapter = recordSignIns(providerAdapter(settings.state, kind), kind, settings);
  if (kind === 'AccessToken') return refuseRevoked(adapter, settings);
  return kind === 'Client' ? { ...adapter, find: (id) => findClient(id, settings) } : adapter;
}

/** @param keys the first signs. */
function cookies(issuer: string, keys: readonly Secret[]): NonNullable<Configuration['cookies']> {
  const secure = issuer.startsWith('https:');
  const options = { httpOnly: true, sameSite: 'lax', secure, overwrite: true } as const;
  return {
    keys: keys.map((key) => key.expose()),
    names: {
      session: cookieName(secure, { name: 'cls_session' }),
      // The library sets these for the path of one interaction below.
      interaction: cookieName(secure, { name: 'cls_interaction', path: '/interaction' }),
      resume: cookieName(secure, { name: 'cls_resume', path: ROUTES.authorization }),
    },
    long: options,
    short: options,
  };
}

/**
 * Notifies an application of a logout. The library refuses private addresses; but applications are
 * registered by operators alone, and theirs are on private networks often enough.
 */
const notifyApplication: NonNullable<Configuration['fetch']> = (url, options) => {
  const { dispatcher: _, ...rest } = options as RequestInit & { dispatcher?: unknown };
  return fetch(url, rest);
};
