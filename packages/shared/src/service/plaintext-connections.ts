import type { Log } from '../log.ts';
import type { Secret } from '../secret.ts';
import type { ServiceEnvironment } from './service-environment.ts';

const ENCRYPTED_MODES = ['require', 'verify-ca', 'verify-full'];
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]', '::1', ''];

type Stores = Pick<ServiceEnvironment, 'database' | 'redisUrl'> & {
  /** Of the database, where a service has some. */
  readonly readReplicas?: readonly Secret[];
};

/**
 * The stores that would be reached without verified TLS beyond this machine: `PostgreSQL`, `Redis`.
 * A host list counts as remote when one of its hosts is. No URL is quoted: they hold passwords.
 */
export function plaintextConnections({
  database,
  redisUrl,
  readReplicas = [],
}: Stores): readonly string[] {
  const stores: string[] = [];
  if (database.kind === 'postgres') {
    const { url, ownerUrl = url, listenUrl = url } = database;
    const urls = [url, ownerUrl, listenUrl, ...readReplicas].map((secret) => secret.expose());
    if (urls.some(isPlainPostgres)) stores.push('PostgreSQL');
  }
  if (redisUrl !== undefined && isPlainRedis(redisUrl.expose())) stores.push('Redis');
  return stores;
}

/** One line at start, in production alone: a developer's servers have no certificates. */
export function warnOfPlaintext(config: Stores & { readonly production: boolean }, log: Log): void {
  const stores = config.production ? plaintextConnections(config) : [];
  if (stores.length === 0) return;
  log.warn(
    { stores },
    'stores are reached without TLS beyond this machine: add sslmode=verify-full to postgres:// URLs and use rediss://',
  );
}

/** Whether a URL leads beyond this machine without verified TLS. */
export function isPlainPostgres(url: string): boolean {
  const [address = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const mode = parameters.get('sslmode') ?? '';
  // A socket's folder stands in the query.
  const hosts = parameters.has('host') ? [parameters.get('host') ?? ''] : hostsOf(address);
  return !ENCRYPTED_MODES.includes(mode) && !hosts.every(isLocal);
}

function isPlainRedis(url: string): boolean {
  return url.startsWith('redis') && !url.startsWith('rediss') && !hostsOf(url).every(isLocal);
}

/** Of `scheme://user:password@host:port,[::1]:port/path`. */
function hostsOf(url: string): readonly string[] {
  const authority = url.replace(/^[\w+]+:\/\//, '').split(/[/?]/, 1)[0] ?? '';
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).split(',');
  return hosts.map((host) => host.replace(/:\d*$/, ''));
}

function isLocal(host: string): boolean {
  return LOCAL_HOSTS.includes(host) || host.startsWith('/') || /^127\.\d+\.\d+\.\d+$/.test(host);
}
