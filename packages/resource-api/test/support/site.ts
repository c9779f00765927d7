/** A page, a file or a refusal that a link leads to. */
export interface Visited {
  readonly status: number;
  readonly type: string;
  readonly policy: string;
  readonly text: string;
  readonly ids: ReadonlySet<string>;
  readonly links: readonly Link[];
}

export interface Link {
  /** Of this host, or the page's own: ''. */
  readonly path: string;
  readonly anchor: string;
}

/** Everything that links lead to from `/docs`, by path. Other hosts are left alone. */
export async function crawl(
  baseUrl: string,
  issuer: string,
): Promise<ReadonlyMap<string, Visited>> {
  const visited = new Map<string, Visited>();
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (visited.has(path)) continue;
    const answer = await fetch(`${baseUrl}${path}`, { redirect: 'manual' });
    const { status, headers } = answer;
    const type = headers.get('content-type') ?? '';
    const text = await answer.text();
    const isPage = type.startsWith('text/html');
    const links = isPage ? linksOf(text, path, issuer) : [];
    visited.set(path, {
      ...{ status, type, text, links },
      policy: headers.get('content-security-policy') ?? '',
      ids: new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? '')),
    });
    waiting.push(...links.map((link) => link.path));
  }
  return visited;
}

/** Contracts that the other service serves below the same base URL. */
const OF_AUTH_SERVER = ['/oauth/openapi.json', '/admin/v1/openapi.json'];

/** Where the links, style sheets and scripts of a page lead on this host. */
export function linksOf(text: string, from = '/docs', issuer = ''): readonly Link[] {
  return [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, target = '']) => {
    const own = issuer !== '' && target.startsWith(issuer) ? target.slice(issuer.length) : target;
    if (/^[a-z]+:/.test(own)) return [];
    const [path = '', anchor = ''] = own.split('#');
    if (OF_AUTH_SERVER.includes(path)) return [];
    return [{ path: path === '' ? from : path, anchor }];
  });
}
