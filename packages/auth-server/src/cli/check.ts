import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkDatabase } from '@cls/shared/check/check-database';
import { checkDirectory } from '@cls/shared/check/check-directory';
import { checkIssuer } from '@cls/shared/check/check-issuer';
import { checkKeySet } from '@cls/shared/check/check-key-set';
import { checkMail } from '@cls/shared/check/check-mail';
import { checkRedis } from '@cls/shared/check/check-redis';
import { type Finding, findingsOf, refusalFinding } from '@cls/shared/check/finding';
import { previousKey } from '@cls/shared/check/previous-key';
import { developmentSecret } from '@cls/shared/development-secret';
import { ConfigurationError } from '@cls/shared/environment';
import { reasonOf } from '@cls/shared/reason';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import type { SessionUse } from '@cls/shared/sql/postgres';
import { sealedByOthers } from '@cls/shared/sql/reseal';
import type { AuthServerConfig } from '../config.ts';
import { SEALED } from '../crypto/seal.ts';
import type { SigningKeyListing } from '../keys/signing-key.ts';
import { sqlSigningKeyStore } from '../keys/sql-signing-keys.ts';
import { refuseDemoCustomers } from '../organisations/demo-customers.ts';
import { sqlCustomers } from '../organisations/sql-customers.ts';
import { MIGRATIONS } from '../server/migrations.ts';

const FINDINGS = findingsOf('signing keys');
const { ok, warning, failed } = FINDINGS;
const DAY_S = 86_400;
/** Keys are changed every few months, so that people know how. */
const ACTIVE_MAX_S = 180 * DAY_S;
const STAGED_MAX_S = 2 * DAY_S;

/** It listens for changes of callers, for revocations, and for changes of signing keys in two places. */
const SESSIONS: SessionUse = { beside: true, listeners: 4 };

/** `cls-auth check`: each part that auth-server needs. */
export function checks(config: AuthServerConfig): readonly Promise<readonly Finding[]>[] {
  const deps = { config, tool: 'cls-auth', migrations: MIGRATIONS, sessions: SESSIONS };
  let kids: readonly string[] = [];
  const database = checkDatabase(deps, async (opened) => {
    const { listed, findings } = await checkSigningKeys(opened, config);
    kids = listed;
    return [...findings, ...(await checkDemoCustomers(opened, config))];
  });
  return [
    database,
    checkRedis(config, {
      evictionLoses: 'spent codes become good again, and sessions end at random',
      mustNotEvict: true,
      restartLoses: 'everybody must sign in again, and refresh tokens are gone',
    }),
    checkMail(config),
    Promise.resolve([checkDirectory('audit', 'directory', config.auditSpoolDir)]),
    // As everybody reaches it: through the ingress.
    database.then(() =>
      checkKeySet(`${config.issuer}/.well-known/jwks.json`, {
        ...{ toleranceS: config.clockToleranceS, kids, mayBeDown: true },
      }),
    ),
    checkIssuer(config.issuer, config, true).then(({ findings }) => findings),
  ];
}

async function checkSigningKeys(database: Database, config: AuthServerConfig) {
  const secret = config.keyEncryptionKey ?? developmentKey(config.dataDir);
  const { previousKeyEncryptionKey: previous, signingKeyBits } = config;
  const current = secret ?? new Secret('A'.repeat(43));
  const sealer = aesGcmSealer(current, undefined, previous);
  const keys = sqlSigningKeyStore(database, sealer, signingKeyBits);
  const listed = await keys.list();
  const findings = listed.map((key) => ageOf(key));
  if (!listed.some(({ state }) => state === 'active')) {
    findings.push(warning('active', 'there is none', 'the first start of the service makes it'));
  } else if (secret !== undefined) {
    findings.push(await opened(() => keys.assertOpens()));
  }
  if (previous !== undefined) findings.push(await resealed(database, current));
  return { listed: listed.map(({ kid }) => kid), findings };
}

async function checkDemoCustomers(
  database: Database,
  { production }: AuthServerConfig,
): Promise<readonly Finding[]> {
  if (!production) return [];
  const findings = findingsOf('customers');
  try {
    await refuseDemoCustomers(sqlCustomers(database));
    return [findings.ok('demo', 'none is enabled')];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map((fault) => refusalFinding(findings, 'demo', fault));
  }
}

async function opened(open: () => Promise<void>): Promise<Finding> {
  try {
    await open();
    return ok('sealed', 'KEY_ENCRYPTION_KEY opens them');
  } catch (error) {
    const todo =
      'set the KEY_ENCRYPTION_KEY that they were sealed with: docs/guides/runbooks/replace-passwords-and-keys.md';
    return failed('sealed', reasonOf(error), todo);
  }
}

async function resealed(database: Database, current: Secret): Promise<Finding> {
  const left = await sealedByOthers(database, SEALED, aesGcmSealer(current));
  return previousKey(FINDINGS, 'KEY_ENCRYPTION_KEY', left.length, 'within an hour');
}

function ageOf({ kid, state, createdAt, retiredAt, dueAt }: SigningKeyListing): Finding {
  const ageS = (Date.now() - Date.parse(retiredAt ?? createdAt)) / 1_000;
  const found = `${kid}, ${Math.floor(ageS / DAY_S)} days`;
  if (state === 'active' && ageS > ACTIVE_MAX_S) {
    return warning(state, found, 'rotate it: docs/guides/operations.md, "Rotate the signing key"');
  }
  if (state === 'staged' && ageS > STAGED_MAX_S) {
    return warning(state, found, 'finish the rotation: cls-auth keys promote');
  }
  if (state === 'retiring' && dueAt !== null && Date.parse(dueAt) < Date.now()) {
    return warning(state, found, `no token needs it any more: cls-auth keys remove ${kid}`);
  }
  return ok(state, found);
}

/** The one that a start on a developer's machine has made; none is made here. */
function developmentKey(dataDir: string): Secret | undefined {
  const name = 'key-encryption-key';
  return existsSync(join(dataDir, name)) ? developmentSecret(dataDir, name) : undefined;
}
