import { checkDatabase } from '@cls/shared/check/check-database';
import { checkDirectory } from '@cls/shared/check/check-directory';
import { checkIssuer } from '@cls/shared/check/check-issuer';
import { checkKeySet } from '@cls/shared/check/check-key-set';
import { checkMail } from '@cls/shared/check/check-mail';
import { checkRedis } from '@cls/shared/check/check-redis';
import { type Finding, findingsOf } from '@cls/shared/check/finding';
import { previousKey } from '@cls/shared/check/previous-key';
import type { Database } from '@cls/shared/sql/database';
import type { ResourceApiConfig } from '../config.ts';
import { checkReadReplicas, SESSIONS } from '../database/check-read-replicas.ts';
import { MIGRATIONS } from '../database/migrations.ts';
import { reader } from '../database/reader-role.ts';
import { KEY_NAME, newWebhookSealer } from '../notices/open-webhook-sealer.ts';
import { webhooksOfOtherKeys } from '../notices/sql-notice-contacts.ts';

const WEBHOOKS = findingsOf('webhooks');

/** `cls-api check`: each part that resource-api needs. */
export function checks(config: ResourceApiConfig): readonly Promise<readonly Finding[]>[] {
  const deps = { config, tool: 'cls-api', migrations: MIGRATIONS, sessions: SESSIONS };
  return [
    checkDatabase(deps, async (database) => [
      ...(await reader(database)),
      ...(await previousWebhookKey(database, config)),
    ]),
    checkReadReplicas(config),
    checkRedis(config, {
      evictionLoses: 'uses of versions are forgotten, and who used one is not told when it ends',
      mustNotEvict: false,
      restartLoses: 'uses of versions are forgotten, and who used one is not told when it ends',
    }),
    checkKeySet(config.jwksUrl, { toleranceS: config.clockToleranceS }),
    checkIssuer(issuerBase(config), config, true).then(({ findings }) => findings),
    checkMail(config.notices.mail),
    Promise.resolve([
      checkDirectory('data', 'directory of the kept key set', config.dataDir),
      webhooks(config),
    ]),
  ];
}

/** Where the keys are, the issuer's own description is: an API may not reach the public address. */
function issuerBase({ jwksUrl, issuer }: ResourceApiConfig): string {
  const end = '/.well-known/jwks.json';
  return jwksUrl.endsWith(end) ? jwksUrl.slice(0, -end.length) : issuer;
}

async function previousWebhookKey(
  database: Database,
  config: ResourceApiConfig,
): Promise<readonly Finding[]> {
  const current = newWebhookSealer(config);
  if (current === undefined) return [];
  const left = await webhooksOfOtherKeys(database, current);
  return [previousKey(WEBHOOKS, KEY_NAME, left, 'when a replica starts')];
}

function webhooks({ notices, production }: ResourceApiConfig): Finding {
  const { ok, skipped } = WEBHOOKS;
  if (notices.webhookSecretsKey !== undefined) return ok('key', 'WEBHOOK_SECRETS_KEY is set');
  return production
    ? skipped('key', 'WEBHOOK_SECRETS_KEY is not set', 'set it before a customer asks for webhooks')
    : ok('key', 'of a developer’s machine');
}
