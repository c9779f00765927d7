import { join } from 'node:path';
import type { Clock } from '@cls/shared/clock';
import { silentLog } from '@cls/shared/log';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import type { Engine } from '@cls/testing/engines';
import { eventually, temporaryDirectory } from '@cls/testing/servers';
import { type productVersions, startResourceApi } from '../../src/compose.ts';
import { parseConfig, type ResourceApiConfig } from '../../src/config.ts';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { expectContract } from './contract.ts';
import {
  AUDIENCE,
  type Claims,
  goodClaims,
  ISSUER,
  type JwksServer,
  newKey,
  signToken,
  startJwksServer,
  type TestKey,
} from './issuer.ts';

export interface TestApi {
  readonly baseUrl: string;
  readonly metricsPort: number | undefined;
  readonly key: TestKey;
  readonly jwks: JwksServer;
  readonly location: DatabaseLocation;
  /** The store, opened as the operator's tools open it. */
  readonly database: Database;
  token(claims?: Claims, header?: Claims): Promise<string>;
  /** GET with a token of these claims; full control when none are given. */
  get(path: string, claims?: Claims): Promise<Response>;
  getWith(
    path: string,
    token: string | undefined,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Leaves the data and the issuer's keys to a service that is started after it. */
  stopService(): Promise<void>;
  stop(): Promise<void>;
}

export function apiConfig(
  location: DatabaseLocation,
  jwksUrl: string,
  env: Record<string, string> = {},
): ResourceApiConfig {
  const config = parseConfig({
    ISSUER,
    AUDIENCE,
    JWKS_URL: jwksUrl,
    API_PORT: '0',
    ANSWER_TIMEOUT_S: '300', // For machines that are busy with other work.
    CLS_DATA_DIR: join(temporaryDirectory('cls-api-'), 'data'),
    ...env,
  });
  return { ...config, database: location };
}

/** One for the whole process: making it takes a while. */
let testKey: Promise<TestKey> | undefined;

/** The composed service on a real database, with keys from a real server. */
export async function startTestApi(
  engine: Engine,
  env: Record<string, string> = {},
  clock?: Clock,
  versionsOf?: typeof productVersions,
  log = silentLog,
): Promise<TestApi> {
  testKey ??= newKey('test-key');
  const key = await testKey;
  const jwks = await startJwksServer([key.jwk]);
  const location = await engine.createLocation(MIGRATIONS);
  const config = apiConfig(location, jwks.url, env);
  const api = await startResourceApi(config, log, clock, versionsOf);
  const database = await openDatabaseAsOperator(location, 'test', silentLog);
  const baseUrl = `http://127.0.0.1:${api.port}`;
  const token = (claims: Claims = {}, header: Claims = {}) =>
    signToken(key, goodClaims(claims), header);
  const getWith: TestApi['getWith'] = async (path, bearer, headers = {}) => {
    const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const answer = await fetch(`${baseUrl}${path}`, { headers: { ...authorization, ...headers } });
    await expectContract(path, answer);
    return answer;
  };
  await eventually(async () => {
    if (!(await fetch(`${baseUrl}/readyz`)).ok) throw new Error('not ready');
  });
  let running = true;
  const stopService = async () => {
    if (!running) return;
    running = false;
    await database.close();
    await api.stop();
  };
  return {
    baseUrl,
    metricsPort: api.metricsPort,
    key,
    jwks,
    location,
    database,
    token,
    getWith,
    get: async (path, claims) => getWith(path, await token(claims)),
    stopService,
    async stop() {
      await stopService();
      await jwks.stop();
    },
  };
}

/** The claims of a caller of `customer` who may view the deals granted to it. */
export function viewer(customer: string): Claims {
  return { customer, scope: `${ISSUER}/auth/cls-deal.view` };
}
