import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import type Koa from 'koa';
import {
  type Adapter,
  type AdapterPayload,
  type Configuration,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from '../../src/library/oidc.ts';
import type { Browser } from './relying-party.ts';

export const API = 'https://api.example';
export const CALLBACK = 'https://portal.example/callback';
export const VERIFIER = 'a'.repeat(43);
/** SHA-256 of the verifier, base64url. */
const CHALLENGE = 'ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA';
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

const PORTAL = {
  client_secret: 'portal-secret',
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_GRANT],
  redirect_uris: [CALLBACK],
  post_logout_redirect_uris: ['https://portal.example/'],
  scope: 'openid offline_access read',
} satisfies AdapterPayload;

/**
 * The library alone on a real port, without any part of this service, so that a test can pin what
 * the library itself does. One application, `portal`; whoever is asked to sign in is signed in as
 * `person`, or whom `account` names.
 */
export interface BareProvider {
  readonly provider: Provider;
  readonly issuer: string;
  /** What the library has stored, by kind and id. */
  readonly stored: Map<string, AdapterPayload>;
  readonly clients: Map<string, AdapterPayload>;
  /** Whom the next sign-in brings. */
  account: string;
  authorizationUrl(more?: Record<string, string>): string;
  /** Signs in, and answers with the code. */
  signIn(browser: Browser, more?: Record<string, string>): Promise<string>;
  post(path: string, fields: Record<string, string>): Promise<Response>;
  /** The token endpoint's answer to the application. */
  token(fields: Record<string, string>): Promise<Record<string, unknown>>;
  stop(): void;
}

export interface BareOptions {
  readonly configuration?: Configuration;
  /** Of the one application; `portal` otherwise. */
  readonly clientId?: string;
  /** Before the first request. */
  readonly prepare?: (provider: Provider) => void;
  /** In place of the store in memory, for all but clients. */
  readonly store?: (kind: string) => Adapter;
  /** In place of what the store in memory does. */
  readonly adapter?: (kind: string, name: string) => ((id: string) => Promise<never>) | undefined;
}

export async function startBareProvider(options: BareOptions = {}): Promise<BareProvider> {
  let handler: RequestListener = (_, response) => response.end();
  const server = createServer((request, response) => handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stored = new Map<string, AdapterPayload>();
  const { clientId = 'portal' } = options;
  const clients = new Map<string, AdapterPayload>([[clientId, { ...PORTAL, client_id: clientId }]]);
  const base = await configurationOf(stored, clients, options);
  const provider = new Provider(issuer, {
    ...base,
    ...options.configuration,
    features: { ...base.features, ...options.configuration?.features } as Features,
  });
  const bare: BareProvider = {
    ...{ provider, issuer, stored, clients, account: 'person' },
    authorizationUrl(more = {}) {
      const query = new URLSearchParams({
        ...{ client_id: clientId, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' },
        ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256', ...more },
      });
      return `${issuer}/auth?${query}`;
    },
    async signIn(browser, more) {
      const { url, response } = await browser.follow(bare.authorizationUrl(more));
      const code = url.searchParams.get('code');
      if (code === null) throw new Error(`no code: ${url}: ${await response.text()}`);
      return code;
    },
    post: (path, fields) =>
      fetch(`${issuer}${path}`, { method: 'POST', body: new URLSearchParams(fields) }),
    async token(fields) {
      const secret = { client_id: clientId, client_secret: 'portal-secret' };
      const answer = await bare.post('/token', { ...secret, ...fields });
      return (await answer.json()) as Record<string, unknown>;
    },
    stop: () => server.close(),
  };
  provider.silent = true;
  options.prepare?.(provider);
  provider.use(signInAtOnce(provider, bare));
  handler = provider.callback();
  return bare;
}

type Features = NonNullable<Configuration['features']>;

/** Answers each interaction as a person would who agrees with everything. */
function signInAtOnce(provider: Provider, bare: BareProvider): Koa.Middleware {
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next();
    const login = { accountId: bare.account, remember: true };
    ctx.status = 303;
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, { login }));
  };
}

const signingKey = generateKeyPair('RS256', { extractable: true }).then(({ privateKey }) =>
  exportJWK(privateKey),
);

async function configurationOf(
  stored: Map<string, AdapterPayload>,
  clients: Map<string, AdapterPayload>,
  { adapter, store }: BareOptions,
): Promise<Configuration> {
  const page = (ctx: KoaContextWithOIDC, text: string) => {
    ctx.type = 'html';
    ctx.body = text;
  };
  const policy = interactionPolicy.base();
  policy.remove('consent');
  return {
    jwks: { keys: [await signingKey] } as NonNullable<Configuration['jwks']>,
    adapter: (kind: string) =>
      kind === 'Client'
        ? storeOf(kind, clients, adapter)
        : (store?.(kind) ?? storeOf(kind, stored, adapter)),
    scopes: ['openid', 'offline_access', 'read'],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic', 'none'],
    cookies: { keys: ['key'] },
    responseTypes: ['code'],
    ttl: {
      ...{ AccessToken: 600, AuthorizationCode: 60, ClientCredentials: 600, DeviceCode: 600 },
      ...{ Grant: 6_000, IdToken: 600, Interaction: 600, RefreshToken: 600, Session: 600 },
    },
    interactions: { policy, url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: async (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    async loadExistingGrant({ oidc }) {
      const accountId = oidc.session?.accountId ?? '';
      const grant = new oidc.provider.Grant({ accountId, clientId: oidc.client?.clientId ?? '' });
      grant.addOIDCScope('openid offline_access');
      grant.addResourceScope(API, 'read');
      await grant.save();
      return grant;
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    clientBasedCORS: () => false,
    renderError: (ctx, out) => page(ctx, `error ${JSON.stringify(out)}`),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      backchannelLogout: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => page(ctx, form),
        postLogoutSuccessSource: (ctx) => page(ctx, 'signed out'),
      },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx, form) => page(ctx, form),
        userCodeConfirmSource: (ctx, form) => page(ctx, form),
        successSource: (ctx) => page(ctx, 'connected'),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: ({ oidc }) =>
          String(oidc.params?.['scope'] ?? 'read').includes('read') ? API : [],
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          ...{ scope: 'read', audience: API, accessTokenFormat: 'jwt' },
        }),
      },
    },
  };
}

function storeOf(
  kind: string,
  entries: Map<string, AdapterPayload>,
  instead: BareOptions['adapter'],
) {
  const nameOf = (id: string) => (kind === 'Client' ? id : `${kind} ${id}`);
  const findBy = (name: 'uid' | 'userCode') => async (value: string) =>
    [...entries].find(([id, entry]) => id.startsWith(`${kind} `) && entry[name] === value)?.[1];
  const store = {
    async upsert(id: string, payload: AdapterPayload) {
      entries.set(nameOf(id), structuredClone(payload));
    },
    find: async (id: string) => structuredClone(entries.get(nameOf(id))),
    findByUid: findBy('uid'),
    findByUserCode: findBy('userCode'),
    async consume(id: string) {
      Object.assign(entries.get(nameOf(id)) ?? {}, { consumed: 1 });
    },
    async destroy(id: string) {
      entries.delete(nameOf(id));
    },
    async revokeByGrantId(grantId: string) {
      for (const [id, entry] of entries) if (entry.grantId === grantId) entries.delete(id);
    },
  };
  for (const name of Object.keys(store) as (keyof typeof store)[]) {
    Object.assign(store, { [name]: instead?.(kind, name) ?? store[name] });
  }
  return store;
}
