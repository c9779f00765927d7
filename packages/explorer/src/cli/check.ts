import { checkDatabase } from '@cls/shared/check/check-database';
import { checkKeySet, fetchOf } from '@cls/shared/check/check-key-set';
import { checkRedis } from '@cls/shared/check/check-redis';
import { type Finding, findingsOf } from '@cls/shared/check/finding';
import { reasonOf } from '@cls/shared/reason';
import type { ExplorerConfig } from '../config.ts';
import { MIGRATIONS } from '../sessions/open-session-store.ts';

/** `cls-explorer check`: each part that the explorer needs. */
export function checks(config: ExplorerConfig): readonly Promise<readonly Finding[]>[] {
  const needs = {
    evictionLoses: 'people must sign in again at random',
    mustNotEvict: false,
    restartLoses: 'people must sign in again',
  };
  return [
    // With Redis it opens no database.
    config.redisUrl === undefined
      ? checkDatabase({
          ...{ config, tool: 'cls-explorer', migrations: MIGRATIONS },
          sessions: { beside: false, listeners: 0 },
        })
      : checkRedis(config, needs),
    checkIssuer(config),
    checkApi(config),
  ];
}

async function checkIssuer(config: ExplorerConfig): Promise<readonly Finding[]> {
  const { ok, failed } = findingsOf('issuer');
  const { issuer, clockToleranceS: toleranceS } = config;
  const url = `${issuer}/.well-known/openid-configuration`;
  const todo = `open ${url} from this machine: check ISSUER, the ingress, and NODE_EXTRA_CA_CERTS for a CA of your own`;
  try {
    const { response } = await fetchOf(url);
    const found = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    if (response.status !== 200)
      return [failed('metadata', `${url} answers ${response.status}`, todo)];
    if (found['issuer'] !== issuer) {
      return [
        failed('metadata', `${url} names another issuer`, 'set ISSUER as auth-server has it'),
      ];
    }
    return [ok('metadata', issuer), ...(await checkKeySet(`${found['jwks_uri']}`, { toleranceS }))];
  } catch (error) {
    return [failed('metadata', `${url}: ${reasonOf(error)}`, todo)];
  }
}

/** The list of versions needs no token. */
async function checkApi({ apiUrl }: ExplorerConfig): Promise<readonly Finding[]> {
  const { ok, failed } = findingsOf('API');
  const todo = `open ${apiUrl} from this machine: check EXPLORER_API_URL, and that resource-api runs`;
  try {
    const { response } = await fetchOf(apiUrl);
    const versions = ((await response.json().catch(() => ({}))) as { data?: unknown }).data;
    return Array.isArray(versions) && response.status === 200
      ? [ok('versions', `${versions.length} at ${apiUrl}`)]
      : [failed('versions', `${apiUrl} answers ${response.status}, and no list of versions`, todo)];
  } catch (error) {
    return [failed('versions', `${apiUrl}: ${reasonOf(error)}`, todo)];
  }
}
