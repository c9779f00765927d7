import { configuration, type EnvironmentReader } from '@cls/shared/environment';
import type { LongAnswerLimits } from '@cls/shared/http/long-answers';
import type { Secret } from '@cls/shared/secret';
import {
  readLongAnswerLimits,
  readServiceEnvironment,
  type ServiceEnvironment,
} from '@cls/shared/service/service-environment';

export interface ExplorerConfig extends ServiceEnvironment {
  /** Where people reach it: an origin of its own. */
  readonly baseUrl: string;
  /** Where it reaches the API, without a version. */
  readonly apiUrl: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** Seals sessions; undefined on a developer's machine only. */
  readonly sessionKey: Secret | undefined;
  /** Opens sessions that `sessionKey` does not; set while one replaces the other. */
  readonly previousSessionKey?: Secret | undefined;
  readonly redisTimeoutMs: number;
  readonly upstreamTimeoutS: number;
  /** Downloads at once; the API counts those of a customer. */
  readonly longAnswers: LongAnswerLimits;
  /** Where people get help: an https or mailto URL. */
  readonly supportUrl: string | undefined;
}

/** What the key of this service looks like. */
export const KEY_256 = {
  expected: '32 bytes in base64url (43 characters)',
  pattern: /^[A-Za-z0-9_-]{43}$/,
} as const;

/** `parseConfig` throws {ConfigurationError}; `describeConfig` is for docs/reference/configuration.md. */
export const { parseConfig, describeConfig } = configuration(readConfig);

/** The store alone, for `migrate`: before the first one there is no application, and so no id. */
export const { parseConfig: parseDatabase } = configuration((read) => readShared(read).database);

function readShared(read: EnvironmentReader): ServiceEnvironment {
  return readServiceEnvironment(read, 'explorer', 'EXPLORER', 8083);
}

function readConfig(read: EnvironmentReader): ExplorerConfig {
  const shared = readShared(read);
  const { production, issuer, port, redisUrl, database } = shared;
  const baseUrl = read.baseUrl('EXPLORER_URL', {
    about: 'the explorer’s own origin, without a path',
    ...(production
      ? {}
      : {
          fallback: `http://localhost:${port}`,
          fallbackText: '`http://localhost:` + `EXPLORER_PORT`',
        }),
  });
  if (URL.canParse(baseUrl) && new URL(baseUrl).origin !== baseUrl) {
    read.fault(
      'EXPLORER_URL',
      'expected an origin, without a path: its cookies hold for all of it',
    );
  }
  if (production && baseUrl.startsWith('http:')) {
    read.fault('EXPLORER_URL', 'expected an https URL in production');
  }
  const clientSecret = read.optionalSecret('EXPLORER_CLIENT_SECRET', {
    about: 'secret from `cls-auth applications create --confidential`; required',
  });
  if (clientSecret === undefined) read.fault('EXPLORER_CLIENT_SECRET', 'is required');
  const sessionKey = read.optionalSecret('EXPLORER_SESSION_KEY', {
    about: 'seals the sessions’ tokens; required in production',
    ...KEY_256,
  });
  const previousSessionKey = read.optionalSecret('PREVIOUS_EXPLORER_SESSION_KEY', {
    about: 'former `EXPLORER_SESSION_KEY`: its sessions still open',
    ...KEY_256,
  });
  if (production && sessionKey === undefined) {
    read.fault('EXPLORER_SESSION_KEY', 'is required in production');
  }
  return {
    ...shared,
    database,
    redisUrl,
    baseUrl,
    apiUrl: read.baseUrl('EXPLORER_API_URL', {
      about: 'the API’s URL, without a version',
      fallback: `${issuer}/api`,
      fallbackText: '`ISSUER` + `/api`',
    }),
    clientId: read.text('EXPLORER_CLIENT_ID', {
      about: 'client id from `cls-auth applications create`',
    }),
    clientSecret: clientSecret as Secret, // `assertNoFaults` ends here without one.
    sessionKey,
    previousSessionKey,
    redisTimeoutMs: read.integer('REDIS_TIMEOUT_MS', {
      about: 'milliseconds for one Redis command; then the request gets 503',
      min: 50,
      max: 60_000,
      fallback: 500,
    }),
    upstreamTimeoutS: read.integer('EXPLORER_TIMEOUT_S', {
      about: 'seconds for the issuer and the API to begin an answer',
      min: 1,
      max: 120,
      fallback: 10,
    }),
    longAnswers: readLongAnswerLimits(read, 'explorer', production),
    supportUrl: read.optionalLink('SUPPORT_URL', ['https', 'mailto'], {
      about: 'where people get help; shown on pages',
    }),
  };
}
