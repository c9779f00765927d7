// An auth-server process as it is built, with PostgreSQL and Redis where they are installed.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import {
  eventually,
  freePort,
  postgresServer,
  startRedis,
  temporaryDirectory,
} from '../packages/testing/dist/src/servers.js';

const root = resolve(import.meta.dirname, '..');

/**
 * `env` is what the operator's tools need to reach the same records.
 *
 * @param nodeOptions of the service alone, such as `--cpu-prof`.
 */
export async function startAuthServer(extra = {}, nodeOptions = []) {
  const port = await freePort();
  const postgres = await postgresServer();
  const redis = await startRedis();
  const env = {
    ...process.env,
    ISSUER: `http://localhost:${port}`,
    AUTH_PORT: `${port}`,
    CLS_DATA_DIR: join(temporaryDirectory('cls-bench-'), 'data'),
    ...(postgres ? { AUTH_DATABASE_URL: await postgres.createDatabase() } : {}),
    ...(redis ? { REDIS_URL: redis.url } : {}),
    ...extra,
  };
  const server = spawn(
    process.execPath,
    [...nodeOptions, join(root, 'packages/auth-server/dist/src/main.js')],
    { env, stdio: 'ignore' },
  );
  process.once('exit', () => server.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    if (!(await fetch(`${url}/readyz`)).ok) throw new Error('not ready');
  });
  const stores = `${postgres ? 'PostgreSQL' : 'PGlite'}, ${redis ? 'Redis' : 'SQL'}`;
  const stop = () =>
    new Promise((done) => {
      server.once('exit', done);
      server.kill('SIGTERM');
    });
  return { env, url, port, stores, pid: server.pid, stop };
}
