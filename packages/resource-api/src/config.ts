import { join } from 'node:path';
import { STATUS_LISTS_PATH } from '@cls/shared/access/status-list';
import { configuration, type EnvironmentReader } from '@cls/shared/environment';
import type { LongAnswerLimits } from '@cls/shared/http/long-answers';
import type { MailSettings } from '@cls/shared/mail/open-mail-sender';
import { readMailFrom, readSmtpUrl } from '@cls/shared/mail/read-mail-settings';
import { Secret } from '@cls/shared/secret';
import { isServerUrl, PERCENT_ENCODE } from '@cls/shared/server-url';
import { isPlainPostgres } from '@cls/shared/service/plaintext-connections';
import {
  EXPECTED_HOSTS,
  EXPECTED_TLS,
  readLongAnswerLimits,
  readServiceEnvironment,
  readWebhooksToLoopback,
  type ServiceEnvironment,
} from '@cls/shared/service/service-environment';
import { postgresHosts } from '@cls/shared/sql/postgres-hosts';
import type { CallerLimits } from './access/caller-budget.ts';
import type { JobLimits } from './import/jobs/import-job.ts';
import { READ_LOG_MODES, type ReadLogSettings } from './reads/read-log.ts';

export interface ResourceApiConfig extends ServiceEnvironment {
  /** Streaming replicas of the database, which answer questions. */
  readonly readReplicas: readonly Secret[];
  /** The one URL that keys come from; discovery is never asked. */
  readonly jwksUrl: string;
  /** Seconds between two background reads of the key set. */
  readonly jwksRefreshS: number;
  readonly statusListsUrl: string;
  /** For how long what was known last of revocations counts while the issuer does not answer. */
  readonly revocationFailOpenS: number;
  /** Signs page cursors; undefined on a developer's machine only. */
  readonly cursorKey: Secret | undefined;
  /** Its cursors are accepted still, while `cursorKey` is rolled out. */
  readonly previousCursorKey: Secret | undefined;
  /** Requests a caller may make per minute, over all replicas; 0: no limit. */
  readonly rateLimitPerMinute: number;
  /** Longest time for an answer, in seconds; exports that have begun have none. */
  readonly answerTimeoutS: number;
  /** What a caller may use of this replica. */
  readonly callerLimits: CallerLimits;
  readonly longAnswers: LongAnswerLimits;
  readonly readLog: ReadLogSettings;
  /** Origins whose pages may read answers; none without them. */
  readonly corsOrigins: readonly string[];
  readonly imports: ImportSettings;
  /** How customers are told of the end of a version. */
  readonly notices: NoticeSettings;
}

/** Files that callers post into the book over HTTP. */
export interface ImportSettings {
  readonly enabled: boolean;
  readonly maxBytes: number;
  /** Jobs that have not ended. */
  readonly limits: JobLimits;
  /** Days after its end. */
  readonly keptDays: number;
}

export interface NoticeSettings {
  /** Undefined: e-mails wait until a mail server is configured. */
  readonly mail: MailSettings | undefined;
  /** Seals the secrets of webhooks; undefined on a developer's machine, or where there are none. */
  readonly webhookSecretsKey: Secret | undefined;
  readonly previousWebhookSecretsKey?: Secret | undefined;
  readonly allowLoopback: boolean;
  readonly everyMs: number;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const KEY_SHAPE = {
  expected: '32 bytes in base64url (43 characters)',
  pattern: /^[A-Za-z0-9_-]{43}$/,
};

/** `parseConfig` throws {ConfigurationError}; `describeConfig` is for docs/reference/configuration.md. */
export const { parseConfig, describeConfig } = configuration(readConfig);

function readConfig(read: EnvironmentReader): ResourceApiConfig {
  const shared = readServiceEnvironment(read, 'resource-api', 'API', 8082);
  const inProduction = (limit: number) => ({
    fallback: shared.production ? limit : 0,
    fallbackText: `${limit} in production, else 0`,
  });
  const jwksUrl = readJwksUrl(read, shared);
  return {
    ...shared,
    jwksUrl,
    statusListsUrl: readStatusListsUrl(read, shared.issuer, jwksUrl),
    ...readCursorKeys(read, shared),
    corsOrigins: readCorsOrigins(read),
    readReplicas: readReplicaUrls(read, shared),
    notices: readNotices(read, shared),
    imports: readImports(read, shared),
    jwksRefreshS: read.integer('JWKS_REFRESH_S', {
      about: 'seconds between background reads of the key set',
      min: 1,
      max: 300,
      fallback: 45,
    }),
    revocationFailOpenS: read.integer('REVOCATION_FAIL_OPEN_S', {
      about:
        'seconds for which what was known last counts while auth-server does not say which tokens are revoked; then 503. By default as long as its keys count: shorter is safer, and ends sooner where auth-server is down',
      min: 10,
      max: 90_000,
      fallback: 90_000,
    }),
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', {
      about: 'requests per caller and minute over all replicas; 0: no limit',
      min: 0,
      max: 10_000_000,
      ...inProduction(3_000),
    }),
    answerTimeoutS: read.integer('ANSWER_TIMEOUT_S', {
      about:
        'seconds until an unanswered request gets 503 and its statements are cancelled; exports that have begun have no limit. Keep it below the ingress’s read timeout',
      min: 1,
      max: 600,
      fallback: 25,
    }),
    callerLimits: {
      statementSeconds: read.integer('CALLER_STATEMENT_S_PER_MINUTE', {
        about: 'seconds of statements per caller and minute in a replica; 0: no limit',
        min: 0,
        max: 86_400,
        ...inProduction(60),
      }),
      requestsAtOnce: read.integer('CALLER_REQUESTS_AT_ONCE', {
        about: 'concurrent requests of one caller in a replica; 0: no limit',
        min: 0,
        max: 10_000,
        ...inProduction(32),
      }),
    },
    longAnswers: readLongAnswerLimits(read, 'resource-api', shared.production),
    readLog: {
      mode: read.choice('READ_LOG', READ_LOG_MODES, {
        about:
          'log of who read what, in the database; required: reads are refused when many rows cannot be written',
        fallback: shared.production ? 'on' : 'off',
        fallbackText: '`on` in production, else `off`',
      }),
      keptDays: read.integer('READ_LOG_RETENTION_DAYS', {
        about: 'days that the log of reads is kept; 0: for ever',
        min: 0,
        max: 3_650,
        fallback: 90,
      }),
    },
  };
}

function readJwksUrl(read: EnvironmentReader, { issuer, production }: ServiceEnvironment): string {
  const jwksUrl = read.baseUrl('JWKS_URL', {
    about: 'URL of the key set; https in production, except on this machine',
    fallback: `${issuer}/.well-known/jwks.json`,
    fallbackText: '`ISSUER` + `/.well-known/jwks.json`',
  });
  const { protocol, hostname } = new URL(jwksUrl);
  if (production && protocol === 'http:' && !LOOPBACK.includes(hostname)) {
    read.fault('JWKS_URL', 'expected an https URL in production');
  }
  return jwksUrl;
}

const KEY_SET_PATH = '/.well-known/jwks.json';

/** Beside the key set where that has its usual path: both are auth-server's. */
function readStatusListsUrl(read: EnvironmentReader, issuer: string, jwksUrl: string): string {
  const host = jwksUrl.endsWith(KEY_SET_PATH) ? jwksUrl.slice(0, -KEY_SET_PATH.length) : issuer;
  return read.baseUrl('STATUS_LISTS_URL', {
    about: 'URL of the status lists, which say what tokens are revoked',
    fallback: `${host}${STATUS_LISTS_PATH}`,
    fallbackText: 'beside `JWKS_URL`: `/status-lists`',
  });
}

function readCursorKeys(read: EnvironmentReader, { production }: ServiceEnvironment) {
  const cursorKey = read.optionalSecret('CURSOR_KEY', {
    about: 'signs page cursors; the same on all replicas; required in production',
    ...KEY_SHAPE,
  });
  const previousCursorKey = read.optionalSecret('PREVIOUS_CURSOR_KEY', {
    about: 'former `CURSOR_KEY`: its cursors still work',
    ...KEY_SHAPE,
  });
  if (production && cursorKey === undefined) read.fault('CURSOR_KEY', 'is required in production');
  return { cursorKey, previousCursorKey };
}

function readCorsOrigins(read: EnvironmentReader): readonly string[] {
  const corsOrigins = read.list('CORS_ORIGINS', {
    about: 'origins whose pages may read answers, such as `https://app.example`',
  });
  if (!corsOrigins.every(isOrigin)) {
    read.fault('CORS_ORIGINS', 'expected https origins only, or http on this machine');
  }
  return corsOrigins;
}

function readReplicaUrls(read: EnvironmentReader, { database, requireTls }: ServiceEnvironment) {
  const urls = read.optionalSecret('API_READ_DATABASE_URLS', {
    about: 'streaming replicas that answer reads',
    expected: 'postgres:// URLs with spaces between them',
    pattern: /^postgres(ql)?:\/\/\S+( +postgres(ql)?:\/\/\S+)*$/,
  });
  if (urls !== undefined && database.kind !== 'postgres') {
    read.fault('API_READ_DATABASE_URLS', 'needs API_DATABASE_URL, the primary of the replicas');
  }
  const each = urls?.expose().split(/ +/) ?? [];
  if (!each.every(isServerUrl)) read.fault('API_READ_DATABASE_URLS', PERCENT_ENCODE);
  else if (each.some((url) => postgresHosts(url) === undefined)) {
    read.fault('API_READ_DATABASE_URLS', EXPECTED_HOSTS);
  }
  if (requireTls && each.some(isPlainPostgres)) read.fault('API_READ_DATABASE_URLS', EXPECTED_TLS);
  return each.map((url) => new Secret(url));
}

function readImports(
  read: EnvironmentReader,
  { database: { kind } }: ServiceEnvironment,
): ImportSettings {
  const limit = (name: string, about: string, fallback: number) =>
    read.integer(name, { about, min: 1, max: 1_000, fallback });
  return {
    enabled:
      read.choice('IMPORTS', ['on', 'off'], {
        about:
          'whether callers with the permission `cls-ledger.post` may post statements and journal files over HTTP',
        fallback: kind === 'embedded' ? 'on' : 'off',
        fallbackText: '`on` with the embedded store, else `off`',
      }) === 'on',
    maxBytes: limit('IMPORT_MAX_MIB', 'size of a posted file, in MiB', 64) * 1_048_576,
    limits: {
      perCaller: limit('CALLER_IMPORTS', 'imports of one caller that have not ended', 4),
      inAll: limit('MAX_IMPORTS', 'imports of all callers that have not ended', 32),
    },
    keptDays: read.integer('IMPORT_RETENTION_DAYS', {
      about: 'days that an import over HTTP and its `Idempotency-Key` are kept after its end',
      min: 1,
      max: 3_650,
      fallback: 30,
    }),
  };
}

function readNotices(
  read: EnvironmentReader,
  { production, dataDir, issuer }: ServiceEnvironment,
): NoticeSettings {
  const smtpUrl = readSmtpUrl(read, 'mail server for notices about versions');
  const outbox = read.optionalText('MAIL_OUTBOX', {
    about: 'directory for these e-mails, instead of `SMTP_URL`',
    fallbackText:
      '`outbox` in the service’s data directory; in production e-mails wait for a server',
  });
  const mailOutbox = outbox ?? (production ? undefined : join(dataDir, 'outbox'));
  const mailFrom = readMailFrom(read, {
    fallback: `CLS <no-reply@${new URL(issuer).hostname}>`,
    fallbackText: '`CLS <no-reply@` + the host of `ISSUER` + `>`',
  });
  const allowLoopback = readWebhooksToLoopback(read, production);
  return {
    mail:
      smtpUrl === undefined && mailOutbox === undefined
        ? undefined
        : { smtpUrl, mailOutbox: mailOutbox ?? '', mailFrom, production },
    webhookSecretsKey: read.optionalSecret('WEBHOOK_SECRETS_KEY', {
      about:
        'seals webhook secrets; the same on all replicas and for `cls-api`; required for webhooks in production',
      ...KEY_SHAPE,
    }),
    previousWebhookSecretsKey: read.optionalSecret('PREVIOUS_WEBHOOK_SECRETS_KEY', {
      about:
        'former `WEBHOOK_SECRETS_KEY`: its secrets still open, and are sealed anew at the start',
      ...KEY_SHAPE,
    }),
    allowLoopback,
    everyMs: read.integer('NOTICE_INTERVAL_MS', {
      about: 'milliseconds between checks for due notices and retirements',
      min: 10,
      max: 30_000,
      fallback: 10_000,
    }),
  };
}

/** As a browser sends it. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  const safe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
  return safe && origin === text;
}
