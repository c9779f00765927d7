import * as client from 'openid-client';
import type { Application } from '../../src/clients/application.ts';
import { APPLICATION_SCOPES } from '../../src/clients/application.ts';
import type { TestAuthServer } from './auth-server.ts';
import { applicationRecords } from './client-records.ts';
import type { Send } from './send.ts';

export const REDIRECT_URI = 'https://portal.example/callback';

export interface RelyingParty {
  readonly id: string;
  readonly config: client.Configuration;
}

/** Registers an application and discovers the issuer for it, as openid-client does. */
export async function relyingParty(
  server: TestAuthServer,
  change: Partial<Omit<Application, 'id'>> & { confidential?: boolean } = {},
  send: Send = fetch,
): Promise<RelyingParty> {
  const { id, secret } = await applicationRecords(server.database).create({
    name: change.name ?? `Portal ${Math.random()}`,
    firstParty: change.firstParty ?? true,
    confidential: change.confidential ?? true,
    redirectUris: change.redirectUris ?? [REDIRECT_URI],
    postLogoutRedirectUris: change.postLogoutRedirectUris ?? ['https://portal.example/'],
    backchannelLogoutUri: change.backchannelLogoutUri ?? null,
    device: change.device ?? false,
    withoutPkce: change.withoutPkce ?? false,
    allowedOrigins: change.allowedOrigins ?? [],
    scopes: change.scopes ?? APPLICATION_SCOPES,
    links: change.links ?? {},
    customer: change.customer ?? null,
  });
  const authentication =
    secret === undefined ? client.None() : client.ClientSecretBasic(secret.expose());
  const config = await client.discovery(new URL(server.issuer), id, undefined, authentication, {
    execute: [client.allowInsecureRequests],
    [client.customFetch]: send as client.CustomFetch,
  });
  return { id, config };
}

/** A browser without scripts: keeps cookies by path, follows nothing by itself. */
export class Browser {
  readonly #cookies = new Map<string, { value: string; path: string }>();
  readonly #send: Send;

  constructor(send: Send = fetch) {
    this.#send = send;
  }

  async open(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(url);
    const cookie = [...this.#cookies]
      .filter(
        ([, { path }]) => pathname === path || pathname.startsWith(path === '/' ? '/' : `${path}/`),
      )
      .map(([name, { value }]) => `${name.split(' ')[0]}=${value}`)
      .join('; ');
    const headers = { accept: 'text/html,*/*;q=0.8', ...(init.headers as object), cookie };
    const response = await this.#send(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  /** Follows redirects until a page, or a place outside of the issuer. */
  async follow(
    url: string | URL,
    init: RequestInit = {},
  ): Promise<{ url: URL; response: Response }> {
    let at = new URL(url);
    let response = await this.open(at, init);
    for (let hops = 0; hops < 10; hops += 1) {
      const [, refresh = null] = /^0; url=(.*)$/.exec(response.headers.get('refresh') ?? '') ?? [];
      const location = response.headers.get('location') ?? refresh;
      if (location === null) return { url: at, response };
      const next = new URL(location, at);
      if (next.origin !== at.origin) return { url: next, response };
      at = next;
      response = await this.open(at);
    }
    throw new Error('too many redirects');
  }

  /** Fills the page's form (the first that does not sign out in the page's head) and sends it. */
  async submit(
    page: { url: URL; response: Response; text?: string },
    fields: Record<string, string>,
  ): Promise<{ url: URL; response: Response }> {
    const html = page.text ?? (await page.response.text());
    const forms = html.matchAll(
      /<form (?:[^>]*\s)?method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g,
    );
    const [, action = '', inner = ''] =
      [...forms].find(([, each = '']) => !each.endsWith('/account/sign-out')) ?? [];
    if (action === '') throw new Error(`no form on ${page.url.pathname}: ${html.slice(0, 400)}`);
    const hidden = [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const body = new URLSearchParams([
      ...hidden
        .filter(([, name = '']) => !(name in fields))
        .map(([, name = '', value = '']): [string, string] => [name, value]),
      ...Object.entries(fields),
    ]);
    return this.follow(new URL(action.replaceAll('&amp;', '&'), page.url), {
      method: 'POST',
      body,
    });
  }

  /** Puts a cookie there, as somebody who can write to the browser's store would. */
  plant(name: string, value: string, path = '/'): void {
    this.#cookies.set(`${name} ${path}`, { value, path });
  }

  cookie(name: string): string | undefined {
    return [...this.#cookies].find(([key]) => key.startsWith(`${name} `))?.[1].value;
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const cut = pair.indexOf('=');
    const name = pair.slice(0, cut);
    const path = attributes.find((one) => /^path=/i.test(one))?.slice('path='.length) ?? '/';
    const over = attributes.some((one) => /^expires=Thu, 01 Jan 1970/i.test(one));
    if (over) this.#cookies.delete(`${name} ${path}`);
    else this.#cookies.set(`${name} ${path}`, { value: pair.slice(cut + 1), path });
  }
}

export interface Flow {
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** The authorization request of a relying party that does everything right. */
export async function authorizationUrl(
  { config }: RelyingParty,
  parameters: Record<string, string> = {},
): Promise<Flow> {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid email',
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  return { url, verifier, state, nonce };
}

/** The same request as the certification plans of the OpenID Foundation send it: without PKCE. */
export async function withoutPkce(flow: Flow | Promise<Flow>): Promise<Flow> {
  const { url, ...rest } = await flow;
  url.searchParams.delete('code_challenge');
  url.searchParams.delete('code_challenge_method');
  return { ...rest, url, verifier: '' };
}

export function exchange(
  { config }: RelyingParty,
  flow: Flow,
  callback: URL,
  parameters?: Record<string, string>,
) {
  return client.authorizationCodeGrant(
    config,
    callback,
    {
      ...(flow.verifier === '' ? {} : { pkceCodeVerifier: flow.verifier }),
      ...{ expectedState: flow.state, expectedNonce: flow.nonce },
    },
    parameters,
  );
}
