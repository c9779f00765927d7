import { join } from 'node:path';
import { silentLog } from '@cls/shared/log';
import type { Database } from '@cls/shared/sql/database';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/sql/open-database';
import type { Engine } from '@cls/shared/testing/engines';
import { eventually, temporaryDirectory } from '@cls/shared/testing/servers';
import { startResourceApi } from '../../src/compose.ts';
import { parseConfig, type ResourceApiConfig } from '../../src/config.ts';
import { instant } from '../../src/store/balance-statements.ts';
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
  readonly key: TestKey;
  readonly jwks: JwksServer;
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
    CLS_DATA_DIR: join(temporaryDirectory('cls-api-'), 'data'),
    ...env,
  });
  return { ...config, database: location };
}

/** The client that asks how far the service has heard, so that no other one's allowance is spent. */
const PROBE = 'svc_00000000000000000000000009';

/** The composed service on a real database, with keys from a real server. */
export async function startTestApi(
  engine: Engine,
  env: Record<string, string> = {},
): Promise<TestApi> {
  const key = await newKey('test-key');
  const jwks = await startJwksServer([key.jwk]);
  const location = await engine.createLocation();
  const api = await startResourceApi(apiConfig(location, jwks.url, env), silentLog);
  const database = await openDatabaseAsOperator(location, 'test', silentLog);
  const baseUrl = `http://127.0.0.1:${api.port}`;
  const token = (claims: Claims = {}, header: Claims = {}) =>
    signToken(key, goodClaims(claims), header);
  // The service hears of postings a moment after their commit: longer where the machine is busy.
  let heardOf: string | undefined;
  const caughtUp = async () => {
    const [last] = await database.query<{ at: string }>(
      `SELECT ${instant('posted_at')} AS at FROM journal ORDER BY seq DESC LIMIT 1`,
    );
    if (last === undefined || last.at === heardOf) return;
    const probe = await token({ client_id: PROBE, sub: PROBE });
    const headers = { authorization: `Bearer ${probe}` };
    await eventually(async () => {
      const answer = await fetch(`${baseUrl}/api/v1/cls/balances?limit=1`, { headers });
      const { meta } = (await answer.json()) as { meta?: { knownAt?: string } };
      if (meta?.knownAt !== last.at) throw new Error(`${answer.status}: not heard of yet`);
    });
    heardOf = last.at;
  };
  const getWith: TestApi['getWith'] = async (path, bearer, headers = {}) => {
    await caughtUp();
    const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    return fetch(`${baseUrl}${path}`, { headers: { ...authorization, ...headers } });
  };
  await eventually(async () => {
    if (!(await fetch(`${baseUrl}/readyz`)).ok) throw new Error('not ready');
  });
  return {
    baseUrl,
    key,
    jwks,
    database,
    token,
    getWith,
    get: async (path, claims) => getWith(path, await token(claims)),
    async stop() {
      await database.close();
      await api.stop();
      await jwks.stop();
    },
  };
}

/** The claims of a caller of `customer` who may view the deals granted to it. */
export function viewer(customer: string): Claims {
  return { customer, scope: `${ISSUER}/auth/cls-deal.view` };
}
