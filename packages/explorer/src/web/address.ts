/** Addresses of pages: the whole state of what a person looks at. */

/** What stays from page to page. */
export const OF_THE_VISIT = ['asOf', 'knownAt', 'cmpAsOf', 'cmpKnownAt', 'viewer'] as const;
const RETURN_MAX_CHARS = 4_000;

export type Changes = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The address of a page at the times of the visit, with further parameters. */
export function pageAddress(path: string, query: URLSearchParams, more: Changes = {}): string {
  const parameters = new URLSearchParams();
  for (const name of OF_THE_VISIT) {
    const value = query.get(name);
    if (value !== null) parameters.set(name, value);
  }
  return addressOf(path, changed(parameters, more));
}

/** The same page with some parameters changed; undefined takes one out. */
export function sameWith(path: string, query: URLSearchParams, changes: Changes): string {
  return addressOf(path, changed(new URLSearchParams(query), changes));
}

/** For a later return: by then the person may have chosen another language. */
export function withoutLanguage(address: string): string {
  // A query may hold further question marks (RFC 3986 §3.4).
  const [path = '', ...query] = address.split('?');
  const parameters = new URLSearchParams(query.join('?'));
  return parameters.has('lang') ? sameWith(path, parameters, {}) : address;
}

function changed(parameters: URLSearchParams, changes: Changes): URLSearchParams {
  for (const [name, value] of Object.entries(changes)) {
    parameters.delete(name);
    if (value === undefined) continue;
    for (const one of [value].flat()) parameters.append(name, one);
  }
  parameters.delete('lang');
  return parameters;
}

function addressOf(path: string, parameters: URLSearchParams): string {
  // A query may hold colons as they are (RFC 3986 §3.4): each link of a page holds those of its times.
  const query = parameters.toString().replaceAll('%3A', ':');
  return query === '' ? path : `${path}?${query}`;
}

/**
 * Where a person goes after signing in, when it is a page of this site; else the first page.
 */
export function safeReturn(wanted: string | undefined): string {
  if (wanted === undefined || wanted.length > RETURN_MAX_CHARS) return '/';
  if (!isLinkable(wanted)) return '/';
  const base = 'http://explorer.invalid';
  if (!URL.canParse(wanted, base)) return '/';
  const { origin, pathname, search } = new URL(wanted, base);
  const isOfSignIn =
    /^\/(sign-in|sign-out|callback|not-signed-in|signed-out|backchannel-logout)/.test(pathname);
  // `/..//host` is `//host` by now.
  const isOurs = origin === base && !pathname.startsWith('//');
  return isOurs && !isOfSignIn ? `${pathname}${search}` : '/';
}

/** A link can lead there: a browser reads `//host` and `/\host` as another site. */
export function isLinkable(address: string): boolean {
  return /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(address);
}
