import { PERMISSIONS, scopeOf } from '@cls/shared/access-token';
import type { Secret } from '@cls/shared/secret';
import type { Adapter, Configuration } from 'oidc-provider';
import type { AccountDirectory } from '../accounts/account.ts';
import type { ServiceAccountDirectory } from '../clients/service-account.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import {
  ACCOUNT_CLIENT,
  ACCOUNT_CLIENT_ID,
  EXTRA_CLIENT_METADATA,
  serviceAccountClient,
} from './client-metadata.ts';
import { acrOf, authenticationOf } from './granted-account.ts';
import { type ResourceServerSettings, resourceServerFor } from './resource-server.ts';
import { providerAdapter } from './state/provider-adapter.ts';
import type { StateStore } from './state/state-store.ts';

export interface ProviderSettings extends ResourceServerSettings {
  readonly cookieKey: Secret;
  readonly serviceAccounts: ServiceAccountDirectory;
  readonly accounts: AccountDirectory;
  readonly state: StateStore;
}

const ROUTES = { token: '/oauth/token', jwks: '/.well-known/jwks.json' } as const;

/** The library's configuration. What is not enabled here is not offered. */
export function providerConfiguration(
  issuer: string,
  settings: ProviderSettings,
  keys: readonly SigningKey[],
): Configuration {
  const { scopeBase, cookieKey } = settings;
  const issuerOrigin = new URL(issuer).origin;
  return {
    jwks: { keys: keys.map(({ privateJwk }) => privateJwk) } as NonNullable<Configuration['jwks']>,
    adapter: (kind: string) => adapterFor(kind, settings),
    routes: ROUTES,
    scopes: PERMISSIONS.map((permission) => scopeOf(scopeBase, permission)),
    cookies: { keys: [cookieKey.expose()] },
    // Secrets are stored hashed, so the methods that need a secret's text are not offered.
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    extraClientMetadata: { properties: EXTRA_CLIENT_METADATA },
    responseTypes: [], // No sign-in in the browser yet, so no authorization endpoint either.
    pkce: { required: () => true }, // RFC 7636, for every client
    features: {
      clientCredentials: { enabled: true }, // RFC 6749 §4.4
      // RFC 8707; callers need not name the resource, there is one.
      resourceIndicators: {
        enabled: true,
        defaultResource: () => settings.audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, indicator, client) =>
          resourceServerFor(ctx, indicator, client, settings),
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    ttl: {
      AccessToken: (_, token) => token.resourceServer?.accessTokenTTL ?? settings.accountTokenTtlS,
      ClientCredentials: (_, token) => token.resourceServer?.accessTokenTTL ?? 1,
    },
    findAccount: async (_, id) => {
      const account = await settings.accounts.find(id);
      return account === undefined || account.disabled
        ? undefined
        : { accountId: account.id, claims: () => ({ sub: account.id }) };
    },
    extraTokenClaims: (ctx, token) => {
      const authentication = authenticationOf(ctx);
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
    },
    // A page of this very origin may ask for a token; no other may.
    clientBasedCORS: (_, origin) => origin === issuerOrigin,
    renderError: (ctx, out) => {
      ctx.body = out;
    },
  };
}

function adapterFor(kind: string, settings: ProviderSettings): Adapter {
  const adapter = providerAdapter(settings.state, kind);
  if (kind !== 'Client') return adapter;
  return {
    ...adapter,
    async find(id) {
      if (id === ACCOUNT_CLIENT_ID) return ACCOUNT_CLIENT;
      const account = await settings.serviceAccounts.find(id);
      return account === undefined || account.disabled
        ? undefined
        : serviceAccountClient(account, settings.scopeBase);
    },
  };
}
