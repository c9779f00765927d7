import { checkDatabase } from '@cls/shared/check/check-database';
import { checkClient, checkIssuer } from '@cls/shared/check/check-issuer';
import { checkKeySet, fetchOf } from '@cls/shared/check/check-key-set';
import { checkRedis } from '@cls/shared/check/check-redis';
import { type Finding, findingsOf } from '@cls/shared/check/finding';
import { reasonOf } from '@cls/shared/reason';
import type { ExplorerConfig } from '../config.ts';
import { MIGRATIONS } from '../sessions/open-session-store.ts';

/** `cls-explorer check`: each part that the explorer needs. */
export function checks(config: ExplorerConfig): readonly Promise<readonly Finding[]>[] {
  return [sessionStore(config), issuerAndClient(config), checkApi(config)];
}

/** With Redis it opens no database. */
async function sessionStore(config: ExplorerConfig): Promise<readonly Finding[]> {
  if (config.redisUrl !== undefined) {
    return checkRedis(config, {
      evictionLoses: 'people must sign in again at random',
      mustNotEvict: false,
      restartLoses: 'people must sign in again',
    });
  }
  if (config.database.kind === 'embedded') {
    const { ok, warning } = findingsOf('sessions');
    const found = 'in the memory of the process: people sign in again after a restart';
    return config.production
      ? [warning('store', found, 'set REDIS_URL or EXPLORER_DATABASE_URL')]
      : [ok('store', found)];
  }
  return checkDatabase({
    ...{ config, tool: 'cls-explorer', migrations: MIGRATIONS },
    sessions: { beside: false, listeners: 0 },
  });
}

async function issuerAndClient(config: ExplorerConfig): Promise<readonly Finding[]> {
  const { clientId, clockToleranceS: toleranceS } = config;
  const { findings, metadata } = await checkIssuer(config.issuer, config);
  if (metadata === undefined) return findings;
  const clientSecret = config.clientSecret.expose();
  const settings = 'EXPLORER_CLIENT_ID and EXPLORER_CLIENT_SECRET';
  return [
    ...findings,
    await checkClient(`${metadata.token_endpoint}`, { clientId, clientSecret }, settings),
    ...(await checkKeySet(`${metadata.jwks_uri}`, { toleranceS })),
  ];
}

/** The list of versions needs no token. */
async function checkApi({ apiUrl }: ExplorerConfig): Promise<readonly Finding[]> {
  const { ok, failed } = findingsOf('API');
  const todo = `open ${apiUrl} from this machine: check EXPLORER_API_URL, and that resource-api runs`;
  try {
    const { response } = await fetchOf(apiUrl);
    const { data: versions }: { readonly data?: unknown } = Object(
      await response.json().catch(() => ({})),
    );
    return Array.isArray(versions) && response.status === 200
      ? [ok('versions', `${versions.length} at ${apiUrl}`)]
      : [failed('versions', `${apiUrl} answers ${response.status}, and no list of versions`, todo)];
  } catch (error) {
    return [failed('versions', `${apiUrl}: ${reasonOf(error)}`, todo)];
  }
}
