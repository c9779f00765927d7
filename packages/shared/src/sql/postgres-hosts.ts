/**
 * A URL with several hosts, as libpq takes it (PostgreSQL 15, §34.1.1.3):
 * `postgres://user@one:5432,two:5432/name?target_session_attrs=read-write`.
 */

const TARGETS = ['any', 'read-write', 'primary'] as const;
type Target = (typeof TARGETS)[number];

export interface PostgresHosts {
  /** A URL for each host, in the order in which they are tried. */
  readonly urls: readonly string[];
  /** Whether a host that takes no writes is passed over. */
  readonly needsWrites: boolean;
}

/** The part of the URL that names hosts, and what stands before and behind it. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?@]*)(\/[^?]*)?(?:\?(.*))?$/;

/**
 * Several hosts are taken for a primary and its standbys, unless `target_session_attrs=any`.
 *
 * @returns undefined when the URL is none, or asks for a kind of session that a service cannot use.
 */
export function postgresHosts(url: string): PostgresHosts | undefined {
  const [, before, hosts = '', path = '', query = ''] = URL_PARTS.exec(url) ?? [];
  if (before === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const names = hosts.split(',');
  const target =
    parameters.get('target_session_attrs') ?? (names.length > 1 ? 'read-write' : 'any');
  if (!TARGETS.includes(target as Target) || (names.length > 1 && names.includes(''))) {
    return undefined;
  }
  parameters.delete('target_session_attrs');
  const rest = parameters.size === 0 ? '' : `?${parameters}`;
  return {
    urls: names.map((name) => `${before}${name}${path}${rest}`),
    needsWrites: target !== 'any',
  };
}
