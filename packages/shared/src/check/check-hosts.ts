import { silentLog } from '../log.ts';
import { reasonOf } from '../reason.ts';
import { Secret } from '../secret.ts';
import { type DatabaseLocation, openDatabaseToCheck } from '../service/open-database.ts';
import { postgresHosts } from '../sql/postgres-hosts.ts';
import { type Finding, findingsOf } from './finding.ts';

const { ok, warning, failed } = findingsOf('database');
const CHECK = 'hosts';
/** Of a URL that names one, without the user and the password before it. */
const HOST = /^\w+:\/\/(?:[^/?]*@)?([^/?]*)/;

interface Host {
  readonly name: string;
  readonly is: 'primary' | 'standby' | 'away';
  /** Why it was not reached. */
  readonly why?: string;
}

/**
 * Each host of a URL that names several. Two that take writes are two histories: sessions go to the
 * first of them, whichever it is.
 */
export async function checkHosts(
  location: DatabaseLocation,
  tool: string,
): Promise<readonly Finding[]> {
  if (location.kind !== 'postgres') return [];
  const { urls = [], needsWrites = false } = postgresHosts(location.url.expose()) ?? {};
  if (urls.length < 2 || !needsWrites) return [];
  const hosts = await Promise.all(urls.map((url) => look({ ...location, url: new Secret(url) })));
  return [findingOf(hosts)];

  async function look(one: DatabaseLocation & { readonly kind: 'postgres' }): Promise<Host> {
    const name = HOST.exec(one.url.expose())?.[1] ?? '';
    try {
      const database = await openDatabaseToCheck(one, tool, silentLog);
      try {
        const [row] = await database.query<{ standby: boolean }>(
          'SELECT pg_is_in_recovery() AS standby',
        );
        return { name, is: row?.standby ? 'standby' : 'primary' };
      } finally {
        await database.close().catch(() => undefined);
      }
    } catch (error) {
      return { name, is: 'away', why: reasonOf(error) };
    }
  }
}

function findingOf(hosts: readonly Host[]): Finding {
  const found = hosts
    .map(({ name, is, why }) =>
      is === 'away' ? `${name} is not reached: ${why}` : `${name} ${is}`,
    )
    .join(', ');
  const primaries = hosts.filter(({ is }) => is === 'primary');
  if (primaries.length > 1) {
    const todo = `stop the one that was the primary before; sessions go to ${primaries[0]?.name}: docs/guides/runbooks/fail-over.md`;
    return failed(CHECK, `several primaries: ${found}`, todo);
  }
  if (primaries.length === 0) {
    return failed(
      CHECK,
      found,
      'start the primary, or promote a standby: docs/guides/runbooks/fail-over.md',
    );
  }
  return hosts.some(({ is }) => is === 'away')
    ? warning(CHECK, found, 'start it, or build it anew: docs/guides/runbooks/fail-over.md')
    : ok(CHECK, found);
}
