import { join } from 'node:path';
import type { PersonPermission } from '@cls/shared/access-token';
import { silentLog } from '@cls/shared/log';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import {
  type DatabaseLocation,
  openDatabase,
  openDatabaseAsOperator,
} from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import type { Engine } from '@cls/testing/engines';
import { freePort, temporaryDirectory } from '@cls/testing/servers';
import { TOTP, Secret as TotpSecret } from 'otpauth';
import { sqlAccounts } from '../../src/accounts/sql-accounts.ts';
import { type AuthServer, startAuthServer } from '../../src/compose.ts';
import { type AuthServerConfig, parseConfig } from '../../src/config.ts';
import { sqlTotpFactors } from '../../src/factors/sql-totp-factors.ts';
import { sqlSigningKeyStore } from '../../src/keys/sql-signing-keys.ts';
import { sqlCustomers } from '../../src/organisations/sql-customers.ts';
import { MIGRATIONS } from '../../src/server/migrations.ts';
import { KEY, serviceAccountRecords } from './client-records.ts';
import { quickHash } from './quick-hash.ts';

/** As many as a service makes without a setting. */
const SIGNING_KEY_BITS = 2_048;

export { KEY };
export const PASSWORD = 'correct horse battery staple';
export const VIEW = 'cls-deal.view';
export const FULL = 'external-api.fullcontrol';

export interface TestAuthServer {
  readonly issuer: string;
  readonly metricsPort: number | undefined;
  readonly config: AuthServerConfig;
  /** The records, opened as the operator's tools open them. */
  readonly database: Database;
  readonly client: { readonly id: string; readonly secret: string };
  readonly person: { readonly email: string; readonly password: string };
  /** A person with a second factor. */
  readonly guarded: {
    readonly id: string;
    readonly email: string;
    readonly password: string;
    readonly totpSecret: string;
  };
  post(body: string | Buffer, headers?: Record<string, string>): Promise<Response>;
  postJson(body: unknown, headers?: Record<string, string>): Promise<Response>;
  stop(): Promise<void>;
}

/**
 * The composed service on a real database and a real port, with one caller of each kind.
 *
 * @param open how the service opens its database.
 */
export async function startTestAuthServer(
  engine: Engine,
  env: Record<string, string> = {},
  open: typeof openDatabase = openDatabase,
  log = silentLog,
): Promise<TestAuthServer> {
  const content = contentFor(engine);
  const location = await engine.createLocation(MIGRATIONS, content.write);
  const config = await testConfig(location, env);
  const server: AuthServer = await startAuthServer(config, log, open);
  const database = await openDatabaseAsOperator(location, 'test', silentLog);
  const callers = await content.callersIn(database);
  const url = `${config.issuer}/oauth/token`;
  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body, headers });
  return {
    issuer: config.issuer,
    metricsPort: server.metricsPort,
    config,
    database,
    ...callers,
    post,
    postJson: (body, headers = {}) =>
      post(JSON.stringify(body), { 'content-type': 'application/json', ...headers }),
    async stop() {
      await database.close();
      await server.stop();
    },
  };
}

type Callers = Awaited<ReturnType<typeof createCallers>>;

const contents = new Map<Engine['name'], ReturnType<typeof contentOf>>();

function contentFor({ name }: Engine) {
  const content = contents.get(name) ?? contentOf();
  contents.set(name, content);
  return content;
}

/** The callers and a signing key: making keys and hashes anew for each suite takes long. */
function contentOf() {
  let callers: Callers | undefined;
  return {
    async write(database: Database) {
      const sealer = aesGcmSealer(new Secret(KEY));
      await sqlSigningKeyStore(database, sealer, SIGNING_KEY_BITS).load();
      callers = await createCallers(database);
    },
    /** An engine may have a database of its own, without this content. */
    async callersIn(database: Database): Promise<Callers> {
      const there = await database.query('SELECT FROM service_account WHERE id = $1', [
        callers?.client.id ?? '',
      ]);
      return callers !== undefined && there.length > 0 ? callers : createCallers(database);
    },
  };
}

export async function testConfig(
  location: DatabaseLocation,
  env: Record<string, string> = {},
): Promise<AuthServerConfig> {
  const port = await freePort();
  const config = parseConfig({
    ISSUER: `http://localhost:${port}`,
    AUTH_PORT: `${port}`,
    KEY_ENCRYPTION_KEY: KEY,
    UPSTREAM_TIMEOUT_S: '60', // For machines that are busy with other work.
    COOKIE_KEY: KEY,
    CLS_DATA_DIR: join(temporaryDirectory('cls-auth-'), 'data'),
    ...env,
  });
  return { ...config, database: location };
}

/** A person of the customer india who signs in with `PASSWORD`. @returns the account's id */
export async function createPerson(
  database: Database,
  email: string,
  permissions: readonly PersonPermission[] = [VIEW],
): Promise<string> {
  const passwordHash = await quickHash(PASSWORD);
  return sqlAccounts(database).create({ email, customer: 'india', permissions, passwordHash });
}

export async function createCallers(database: Database) {
  await sqlCustomers(database).create('india', 'India', false);
  const serviceAccounts = serviceAccountRecords(database);
  const created = await serviceAccounts.create({
    name: 'Test integration',
    customer: 'india',
    permissions: [VIEW],
  });
  await createPerson(database, 'person@india.example');
  const id = await createPerson(database, 'guarded@india.example');
  const totpSecret = new TotpSecret({ size: 20 }).base32;
  const clock = { now: () => new Date() };
  await sqlTotpFactors(database, aesGcmSealer(new Secret(KEY)), clock).enrol(id, totpSecret);
  return {
    client: { id: created.id, secret: created.secret.expose() },
    person: { email: 'person@india.example', password: PASSWORD },
    guarded: { id, email: 'guarded@india.example', password: PASSWORD, totpSecret },
  };
}

/** The code that an authenticator shows `offsetS` seconds from now. */
export function totpCode(secret: string, offsetS = 0): string {
  const totp = new TOTP({ secret: TotpSecret.fromBase32(secret), digits: 6, period: 30 });
  return totp.generate({ timestamp: Date.now() + offsetS * 1000 });
}

export function basic(id: string, secret: string): Record<string, string> {
  return {
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
}

/** The claims of a token, unverified. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}
