/** `scheme://user:password@host:port,host:port/path?query`. What stands before the last `@` is user and password. */
const SERVER_URL =
  /^[a-z+]+:\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]*)(?<path>\/[^?#@]*)?(?:\?(?<query>[^#]*))?$/;
const HOST = /^(?:\[[\da-f:.]+\]|[^:[\]]*)(?::(?<port>\d{1,5}))?$/i;

/** What to do about a URL that `isServerUrl` refuses. */
export const PERCENT_ENCODE =
  'cannot be read: percent-encode the user and the password (/ is %2F, # is %23, ? is %3F, @ is %40, % is %25), and check host and port';

/**
 * Whether a URL of a server says where its user and password end. After a `/`, `?` or `#` in a password the rest
 * is no part of it: libraries then throw, name the wrong host, or print the URL with the password.
 */
export function isServerUrl(url: string): boolean {
  const parts = SERVER_URL.exec(url)?.groups;
  if (parts === undefined) return false;
  const { user, hosts = '', query = '' } = parts;
  // An @ in the query alone: the password has a question mark.
  if (user === undefined && query.includes('@')) return false;
  const areHosts = hosts.split(',').every((host) => {
    const found = HOST.exec(host);
    return found !== null && Number(found.groups?.['port'] ?? 0) <= 65_535;
  });
  return areHosts && isDecodable(user ?? '');
}

/** PostgreSQL's library takes a % that begins no code as it is. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}
