import createApi, { type Client } from 'openapi-fetch';
import { authorizedFetch } from './authorized-fetch.ts';
import { type Copy, refreshed } from './copy.ts';
import { ClsError } from './errors.ts';
import { Export } from './export.ts';
import type { paths } from './generated/v1.ts';
import { type Fetch, RETRIES, type RetryPolicy } from './retries.ts';
import { tokenSource } from './tokens.ts';
import type { List, Path, Query, RequestOptions } from './types.ts';
import { Walk } from './walk.ts';

export interface ClientOptions {
  /** Where the host is, such as `https://cls.example`. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scopes with spaces between; without it, all that the service account was granted for the API. */
  readonly scope?: string | undefined;
  /** Where tokens are, if not at `{baseUrl}/oauth/token`. */
  readonly tokenUrl?: string | undefined;
  /** What `fetch` is; for a proxy, or for tests. */
  readonly fetch?: Fetch | undefined;
  readonly retries?: Partial<RetryPolicy> | undefined;
}

/** What can be asked of one path. */
export interface Resource<P extends Path> {
  /** One page. */
  page(query?: Query<P> & { readonly cursor?: string }, options?: RequestOptions): Promise<List<P>>;
  /** All items, page by page. */
  walk<const Q extends Query<P>>(query?: Q, options?: RequestOptions): Walk<P, Q>;
  /** All items, as one stream. */
  export<const Q extends Query<P>>(query?: Q, options?: RequestOptions): Export<P, Q>;
}

/** A path whose answers can be kept as an exact copy. */
export interface CopiedResource<P extends Path> extends Resource<P> {
  /** `copy` as of now; a full read without one. The question must be that of `copy`. */
  refresh<const Q extends CopyQuery<P>>(
    query: Q,
    copy?: Copy<P, Q>,
    options?: RequestOptions,
  ): Promise<Copy<P, Q>>;
}

/** A question that has a copy: see "Keeping a copy" in docs/reference/api.md. */
export type CopyQuery<P extends Path> = Omit<
  Query<P>,
  'updatedSince' | 'sinceAsOf' | 'sort' | 'knownAt' | 'expand'
> & {
  /** `terms` and `rates` have no delta: the first refresh after the full read would be refused. */
  readonly expand?: Exclude<Expanded<P>, 'terms' | 'rates'>[];
};
type Expanded<P extends Path> = Query<P> extends { expand?: (infer Name)[] } ? Name : never;

export interface ClsClient {
  readonly balances: CopiedResource<'/cls/balances'>;
  readonly principal: CopiedResource<'/cls/balances/principal'>;
  readonly movements: Resource<'/cls/balances/principal/movements'>;
  /** Any path of the contract, by openapi-fetch, with tokens and retries; errors are thrown. */
  readonly api: Client<paths, `${string}/${string}`>;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** What a copy is read with: few requests. With something expanded, the API allows 100. */
const COPY_LIMIT = 1_000;

/** @throws {TypeError} where an address is none, or would send the secret in clear over a network. */
export function createClient(options: ClientOptions): ClsClient {
  const { clientId, clientSecret, scope, fetch = (request) => globalThis.fetch(request) } = options;
  const baseUrl = checkedUrl('baseUrl', options.baseUrl);
  const tokenUrl = checkedUrl('tokenUrl', options.tokenUrl ?? `${baseUrl}/oauth/token`);
  const policy = { ...RETRIES, ...options.retries };
  const tokens = tokenSource({ tokenUrl, clientId, clientSecret, scope }, fetch, policy);
  const api = createApi<paths>({
    baseUrl: `${baseUrl}/api/v1`,
    fetch: authorizedFetch(fetch, tokens, policy),
    headers: { accept: 'application/json' },
    querySerializer: { array: { style: 'form', explode: false } },
  });
  return {
    api,
    balances: copiedResource(api, '/cls/balances'),
    principal: copiedResource(api, '/cls/balances/principal'),
    movements: resource(api, '/cls/balances/principal/movements'),
  };
}

type Asked = Readonly<Record<string, unknown>>;

function resource<P extends Path>(api: ClsClient['api'], path: P): Resource<P> {
  const get = async (query: Asked, accept: string, { signal }: RequestOptions) => {
    const { data } = await api.GET(path as '/cls/balances', {
      params: { query },
      headers: { accept },
      parseAs: 'stream',
      ...(signal && { signal }),
    });
    return data as ReadableStream<Uint8Array> | null;
  };
  const page = async (query: Asked, options: RequestOptions) => {
    const stream = await get(query, 'application/json', options);
    try {
      return (await new Response(stream).json()) as List<P>;
    } catch (cause) {
      throw new ClsError('unexpected_answer', `${path} answered with no JSON`, { cause });
    }
  };
  return {
    page: (query, options = {}) => page({ ...query }, options),
    walk: (query, options = {}) =>
      new Walk((cursor) =>
        page(cursor === undefined ? { ...query } : next(query, cursor), options),
      ),
    export: (query, options = {}) =>
      new Export(async () => {
        const stream = await get({ ...query }, 'application/x-ndjson', options);
        return stream ?? new Response('').body ?? new ReadableStream();
      }, options.signal),
  };
}

/** A cursor holds the question, besides the size of a page. */
function next(query: object | undefined, cursor: string): Asked {
  const { limit } = { ...query } as { limit?: number };
  return { cursor, ...(limit !== undefined && { limit }) };
}

function copiedResource<P extends '/cls/balances' | '/cls/balances/principal'>(
  api: ClsClient['api'],
  path: P,
): CopiedResource<P> {
  const plain = resource(api, path);
  return {
    ...plain,
    refresh<const Q extends CopyQuery<P>>(
      query: Q,
      copy?: Copy<P, Q>,
      options: RequestOptions = {},
    ) {
      const limit = 'expand' in query ? undefined : COPY_LIMIT;
      const whole = { ...(limit !== undefined && { limit }), ...query };
      return refreshed<P, Q>(
        (since) => plain.walk({ ...whole, ...since } as Q & Query<P>, options),
        copy,
      );
    },
  };
}

function checkedUrl(name: string, value: string): string {
  const url = new URL(value);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.has(url.hostname))) {
    throw new TypeError(`${name}: expected https, or http on this machine`);
  }
  return url.href.replace(/\/$/, '');
}
