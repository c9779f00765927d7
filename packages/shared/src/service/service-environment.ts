import { join, resolve } from 'node:path';
import { adminAudience } from '../access-token.ts';
import type { EnvironmentReader } from '../environment.ts';
import type { HttpLimits } from '../http/http-service.ts';
import type { LongAnswerLimits } from '../http/long-answers.ts';
import { LOG_LEVELS, type LogLevel } from '../log.ts';
import type { Secret } from '../secret.ts';
import { postgresHosts } from '../sql/postgres-hosts.ts';
import type { DatabaseLocation } from './open-database.ts';
import type { MetricsAddress } from './open-metrics.ts';
import { plaintextConnections } from './plaintext-connections.ts';
import { REDIS_URL_PATTERN } from './redis-address.ts';

/** The settings that all services read alike. */
export interface ServiceEnvironment {
  readonly production: boolean;
  readonly logLevel: LogLevel;
  /** The base URL, compared byte for byte with the `iss` claim. */
  readonly issuer: string;
  /** The `aud` claim: the API's identifier. */
  readonly audience: string;
  /** What stands before `/auth/<permission>` in a scope. */
  readonly scopeBase: string;
  /** Seconds that a token's `exp`, `iat` and `nbf` may be off, for clocks that differ. */
  readonly clockToleranceS: number;
  readonly database: DatabaseLocation;
  readonly redisUrl: Secret | undefined;
  /** Whether stores on another machine are reached with TLS alone. */
  readonly requireTls: boolean;
  readonly host: string | undefined;
  readonly port: number;
  readonly trustedProxyHops: number;
  /** Where the proxy in front asks callers for certificates; undefined: none is believed. */
  readonly mtlsBaseUrl: string | undefined;
  readonly drainDelayMs: number;
  /** Where metrics are served; undefined: nowhere. */
  readonly metrics: MetricsAddress | undefined;
  /** Where traces are sent; undefined: nowhere. */
  readonly tracesEndpoint: string | undefined;
  /** 0: none. */
  readonly healthPort: number;
  readonly limits: Pick<
    HttpLimits,
    'requestsAtOnce' | 'connections' | 'readerMs' | 'readerBytesPerS'
  >;
  /** The service's own folder in the data directory; used by embedded stores alone. */
  readonly dataDir: string;
}

const REDIS_HOLDS = {
  'auth-server': 'protocol state shared by all replicas; not set: in the SQL database',
  'resource-api': 'rate limits shared by all replicas; not set: per process',
  explorer: 'sessions shared by all replicas; not set: in the SQL database',
} as const;

/** What a process answers in a few seconds: a page of the explorer is some five questions, drawn. */
const REQUESTS_AT_ONCE = { 'auth-server': 256, 'resource-api': 256, explorer: 64 } as const;

/** Some of the places that deploy/nginx.conf gives a replica: 128 of resource-api, 64 of the explorer. */
const LONG_ANSWERS = {
  'resource-api': { perCaller: 8, perCustomer: 16, inAll: 48 },
  explorer: { perCaller: 4, inAll: 24 },
} as const;

/** Whether webhooks may go to this machine. */
export function readWebhooksToLoopback(read: EnvironmentReader, production: boolean): boolean {
  const about = 'webhooks may go to this machine, also by http; for development only';
  return readDevelopmentFlag(read, 'WEBHOOKS_TO_LOOPBACK', production, about);
}

/** What production refuses. */
export function readDevelopmentFlag(
  read: EnvironmentReader,
  name: string,
  production: boolean,
  about: string,
): boolean {
  const allowed = read.flag(name, { about: `1: ${about}`, fallback: false, fallbackText: '0' });
  if (production && allowed) {
    read.fault(name, 'is for development; it must not be set in production');
  }
  return allowed;
}

/** How many exports and other long answers a process sends at once. */
export function readLongAnswerLimits(
  read: EnvironmentReader,
  service: keyof typeof LONG_ANSWERS,
  production: boolean,
): LongAnswerLimits {
  const limits: Partial<LongAnswerLimits> = LONG_ANSWERS[service];
  const limit = (name: string, of: string, inProduction: number, elsewhere: number) =>
    read.integer(name, {
      about: `concurrent exports and answers over 128 KiB ${of} in a process; 0: no limit`,
      min: 0,
      max: 100_000,
      fallback: production ? inProduction : elsewhere,
      fallbackText: `${inProduction}${inProduction === elsewhere ? '' : ' in production, else 0'}`,
    });
  const { perCaller = 0, perCustomer, inAll = 0 } = limits;
  return {
    perCaller: limit('CALLER_LONG_ANSWERS', 'of one caller', perCaller, 0),
    perCustomer:
      perCustomer === undefined
        ? 0
        : limit('CUSTOMER_LONG_ANSWERS', 'of one customer', perCustomer, 0),
    inAll: limit('MAX_LONG_ANSWERS', 'of all callers', inAll, inAll),
  };
}

/** Reads them for one service. `prefix` stands before what the two must not share. */
export function readServiceEnvironment(
  read: EnvironmentReader,
  service: keyof typeof REDIS_HOLDS,
  prefix: 'AUTH' | 'API' | 'EXPLORER',
  defaultPort: number,
): ServiceEnvironment {
  const production =
    read.choice('NODE_ENV', ['development', 'production', 'test'], {
      about: 'production refuses settings that are safe on a developer’s machine only',
      fallback: 'development',
    }) === 'production';
  const issuer = read.baseUrl('ISSUER', {
    about: 'the base URL of all endpoints, and the issuer of tokens',
    ...(production ? {} : localIssuer(read)),
  });
  if (production && issuer.startsWith('http:')) {
    read.fault('ISSUER', 'expected an https URL in production');
  }
  const dataDir = resolve(
    read.text('CLS_DATA_DIR', {
      about: 'directory of the embedded stores, one folder per service',
      fallback: './.cls-data',
    }),
    service,
  );
  const redisUrl = read.optionalSecret('REDIS_URL', {
    about: REDIS_HOLDS[service],
    expected: 'a redis://, redis+sentinel:// or redis+cluster:// URL (rediss for TLS)',
    pattern: REDIS_URL_PATTERN,
  });
  // The explorer keeps its sessions in Redis, and then opens no database.
  const mayBeEmbedded = !production || (service === 'explorer' && redisUrl !== undefined);
  const database = readDatabase(read, prefix, mayBeEmbedded, join(dataDir, 'database'));
  const requireTls = readRequireTls(read, prefix, { database, redisUrl });
  return {
    production,
    issuer,
    audience: readAudience(read, issuer),
    scopeBase: read.text('SCOPE_BASE', {
      about: 'prefix of `/auth/<permission>` in a scope',
      fallback: issuer,
      fallbackText: '`ISSUER`',
    }),
    clockToleranceS: read.integer('CLOCK_TOLERANCE_S', {
      about: 'seconds by which clocks may differ when `exp`, `iat` and `nbf` are checked',
      min: 0,
      max: 300,
      fallback: 30,
    }),
    database,
    redisUrl,
    requireTls,
    host: read.optionalText(`${prefix}_HOST`, {
      about: 'address to listen on',
      fallbackText: 'all addresses',
    }),
    port: read.integer(`${prefix}_PORT`, {
      about: 'port to listen on',
      min: 0,
      max: 65_535,
      fallback: defaultPort,
    }),
    ...readProxies(read, service, production),
    drainDelayMs: read.integer('DRAIN_DELAY_MS', {
      about: 'milliseconds between turning unready and closing',
      min: 0,
      max: 60_000,
      fallback: 0,
    }),
    metrics: readMetrics(read),
    tracesEndpoint: read.optionalBaseUrl('OTEL_EXPORTER_OTLP_ENDPOINT', {
      about:
        'where traces go (OTLP over HTTP); OpenTelemetry’s other OTEL_ variables are read too; not set: no traces',
    }),
    healthPort: read.integer('HEALTH_PORT', {
      about:
        'extra port for `/livez` and `/readyz`, reachable even when callers take all connections; 0: none',
      min: 0,
      max: 65_535,
      fallback: 0,
    }),
    limits: {
      requestsAtOnce: read.integer('MAX_REQUESTS_AT_ONCE', {
        about: 'concurrent requests of a process; more get 503',
        min: 1,
        max: 100_000,
        fallback: REQUESTS_AT_ONCE[service],
      }),
      connections: read.integer('MAX_CONNECTIONS', {
        about: 'open connections of a process, idle ones too; more are closed unread',
        min: 10,
        max: 100_000,
        fallback: 5_000,
      }),
      readerMs:
        1_000 *
        read.integer('SLOW_READER_S', {
          about: 'seconds until the connection of a caller who reads nothing is closed',
          min: 1,
          max: 86_400,
          fallback: 60,
        }),
      readerBytesPerS: read.integer('SLOW_READER_BYTES_PER_S', {
        about:
          'bytes a second that a caller must read, on average over `SLOW_READER_S`; slower connections are closed',
        min: 1,
        max: 1_000_000_000,
        fallback: 4_096,
      }),
    },
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS, {
      about: 'least severe level that is logged',
      fallback: 'info',
    }),
    dataDir,
  };
}

function readProxies(
  read: EnvironmentReader,
  service: keyof typeof REDIS_HOLDS,
  production: boolean,
): Pick<ServiceEnvironment, 'trustedProxyHops' | 'mtlsBaseUrl'> {
  const trustedProxyHops = read.integer('TRUSTED_PROXY_HOPS', {
    about: 'number of proxies that append to X-Forwarded-For; further entries are ignored',
    min: 0,
    max: 10,
    fallback: 0,
  });
  // The explorer is for browsers.
  if (service === 'explorer') return { trustedProxyHops, mtlsBaseUrl: undefined };
  const mtlsBaseUrl = read.optionalBaseUrl('MTLS_BASE_URL', {
    about:
      'base URL at which a proxy asks callers for certificates and passes them on in X-Client-Certificate, which it overwrites everywhere; not set: no mutual TLS',
  });
  if (mtlsBaseUrl !== undefined && trustedProxyHops === 0) {
    read.fault('MTLS_BASE_URL', 'needs TRUSTED_PROXY_HOPS: a proxy says which certificate it saw');
  }
  if (production && mtlsBaseUrl?.startsWith('http:')) {
    read.fault('MTLS_BASE_URL', 'expected an https URL in production');
  }
  return { trustedProxyHops, mtlsBaseUrl };
}

function readRequireTls(
  read: EnvironmentReader,
  prefix: string,
  stores: Pick<ServiceEnvironment, 'database' | 'redisUrl'>,
): boolean {
  const required = read.flag('REQUIRE_TLS', {
    about: '1: refuse to start when PostgreSQL or Redis on another machine is reached without TLS',
    fallback: false,
    fallbackText: '0: production warns',
  });
  const plain = required ? plaintextConnections(stores) : [];
  if (plain.includes('PostgreSQL')) read.fault(`${prefix}_DATABASE_URL`, EXPECTED_TLS);
  if (plain.includes('Redis')) read.fault('REDIS_URL', `${TLS_IS_REQUIRED} use rediss://`);
  return required;
}

const TLS_IS_REQUIRED = 'expected an encrypted connection, because REQUIRE_TLS=1:';
/** Of the URL of a PostgreSQL server. */
export const EXPECTED_TLS = `${TLS_IS_REQUIRED} add sslmode=verify-full`;

function readMetrics(read: EnvironmentReader): MetricsAddress | undefined {
  const port = read.optionalInteger('METRICS_PORT', {
    about: 'port of `/metrics` for Prometheus; not set: no metrics',
    min: 0,
    max: 65_535,
  });
  const host = read.text('METRICS_HOST', {
    about: 'address of metrics; 0.0.0.0 for a monitoring system on another machine',
    fallback: '127.0.0.1',
  });
  return port === undefined ? undefined : { host, port };
}

/** Where `npm start` serves, so that the operator's tools name the same place beside it. */
function localIssuer(read: EnvironmentReader) {
  const port = read.integer('PORT', {
    about: 'port of `npm start`, used for the default of `ISSUER` only',
    min: 1,
    max: 65_532,
    fallback: 8_080,
  });
  return { fallback: `http://localhost:${port}`, fallbackText: '`http://localhost:` + `PORT`' };
}

/** A token of one API must never be good at the other. */
function readAudience(read: EnvironmentReader, issuer: string): string {
  const audience = read.absoluteUri('AUDIENCE', {
    about: 'the API’s identifier in the `aud` claim',
    fallback: `${issuer}/api`,
    fallbackText: '`ISSUER` + `/api`',
  });
  if (audience === adminAudience(issuer)) {
    read.fault('AUDIENCE', 'is the identifier of the administrators’ API; choose another');
  }
  return audience;
}

/** Of a URL that `postgresHosts` does not read. */
export const EXPECTED_HOSTS =
  'expected hosts with commas, and target_session_attrs any, read-write or primary';

const POSTGRES_URL = { expected: 'a postgres:// URL', pattern: /^postgres(ql)?:\/\/\S+$/ };

function readDatabase(
  read: EnvironmentReader,
  prefix: string,
  mayBeEmbedded: boolean,
  directory: string,
): DatabaseLocation {
  const url = read.optionalServerUrl(`${prefix}_DATABASE_URL`, {
    about: `the service’s own PostgreSQL database (15 or newer), several hosts with commas; not set: ${prefix === 'EXPLORER' ? 'sessions in Redis or in memory' : 'embedded PGlite'}`,
    ...POSTGRES_URL,
  });
  const poolSize = read.integer(`${prefix}_DATABASE_POOL_SIZE`, {
    about:
      'connections to PostgreSQL for statements; `check` shows how many a process opens in all',
    min: 1,
    max: 200,
    fallback: 10,
  });
  const ownerUrl = read.optionalServerUrl(`${prefix}_MIGRATIONS_DATABASE_URL`, {
    about: 'the same database with the role that owns the schema, which runs migrations',
    ...POSTGRES_URL,
    fallbackText: '`…_DATABASE_URL`',
  });
  const migratedElsewhere = !read.flag('RUN_MIGRATIONS', {
    about: '0: start only on a migrated database; run the tool’s `migrate` yourself',
    fallback: true,
    fallbackText: '1',
  });
  const allowEmbedded = read.flag('ALLOW_EMBEDDED', {
    about: '1: allow the embedded database in production (explorer: sessions in memory)',
    fallback: false,
    fallbackText: '0',
  });
  // Only auth-server listens for notifications of changes.
  const listenUrl =
    prefix === 'AUTH'
      ? read.optionalServerUrl('AUTH_LISTEN_URL', {
          about:
            'direct URL of the database for LISTEN, when `AUTH_DATABASE_URL` is a pooler that shares sessions',
          ...POSTGRES_URL,
          fallbackText: '`AUTH_DATABASE_URL`',
        })
      : undefined;
  if (url !== undefined && postgresHosts(url.expose()) === undefined) {
    read.fault(`${prefix}_DATABASE_URL`, EXPECTED_HOSTS);
  }
  if (url !== undefined) {
    return {
      kind: 'postgres',
      url,
      poolSize,
      ...(listenUrl === undefined ? {} : { listenUrl }),
      migratedElsewhere,
      ...(ownerUrl === undefined ? {} : { ownerUrl }),
    };
  }
  if (!mayBeEmbedded && !allowEmbedded) {
    read.fault(`${prefix}_DATABASE_URL`, 'is required in production (or set ALLOW_EMBEDDED=1)');
  }
  return { kind: 'embedded', directory, migratedElsewhere };
}
