// resource-api as a process of its own, with a book and callers, for benchmarks.
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseConfig } from '../packages/resource-api/dist/src/config.js';
import { MIGRATIONS } from '../packages/resource-api/dist/src/database/migrations.js';
import {
  exportJWK,
  SignJWT,
} from '../packages/resource-api/node_modules/jose/dist/webapi/index.js';
import {
  packBits,
  STATUS_LIST_LENGTH,
  STATUS_LIST_TYPE,
  statusReference,
} from '../packages/shared/dist/src/access/status-list.js';
import { silentLog } from '../packages/shared/dist/src/log.js';
import { openDatabaseAsOwner } from '../packages/shared/dist/src/service/open-database.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import {
  eventually,
  freePort,
  postgresServer,
  temporaryDirectory,
} from '../packages/testing/dist/src/servers.js';
import { largeBook } from './large-book.mjs';

const root = resolve(import.meta.dirname, '..');
const issuer = 'http://localhost:1';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/**
 * Starts resource-api with the World Bank's book, or another.
 *
 * @param engine `postgres` or `embedded`
 * @param facilities of a book that is made instead of the World Bank's
 * @param write writes yet another book to a database that has the schema
 * @param bookUrl of a PostgreSQL database that has a book already
 * @param prepare gets a function that runs `cls-api` with words and gives what it says as JSON
 * @param nodeArguments for the service, such as `--cpu-prof`
 * @returns its URL, its process id, what stops it, the database's URL, and of an embedded store instead a copy
 *   of its folder, as it was before the service had it
 */
export async function startResourceApi({
  engine,
  facilities,
  write = facilities === undefined ? undefined : (database) => writeLarge(database, facilities),
  bookUrl,
  prepare = async () => undefined,
  nodeArguments = [],
}) {
  const jwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' };
  const jwksPort = await freePort();
  const documents = {
    '/jwks.json': JSON.stringify({ keys: [jwk] }),
    '/status-lists/0': await statusList(),
  };
  createServer(({ url }, response) => response.end(documents[url])).listen(jwksPort);
  const port = await freePort();
  const server = engine === 'postgres' && !bookUrl ? await postgresServer() : undefined;
  const databaseUrl = bookUrl ?? (await server?.createDatabase());
  const folder = temporaryDirectory('cls-bench-');
  const env = {
    ...process.env,
    ISSUER: issuer,
    JWKS_URL: `http://127.0.0.1:${jwksPort}/jwks.json`,
    STATUS_LISTS_URL: `http://127.0.0.1:${jwksPort}/status-lists`,
    API_PORT: `${port}`,
    CLS_DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'warn',
    ...(databaseUrl === undefined ? {} : { API_DATABASE_URL: databaseUrl }),
  };
  const run = (words, stdout) =>
    spawn(process.execPath, words, { env, stdio: ['ignore', stdout, 'inherit'] });
  const tool = join(root, 'packages/resource-api/bin/cls-api.mjs');
  const command = async (...words) => {
    const child = run([tool, '--json', ...words], 'pipe');
    const said = await text(child.stdout);
    if (said === '') throw new Error(`cls-api ${words.join(' ')} failed`);
    return JSON.parse(said);
  };
  if (write !== undefined) await makeBook(env, write);
  else if (bookUrl === undefined) await command('import', 'world-bank', '--apply');
  await prepare(command);
  const storeCopy = databaseUrl === undefined ? join(folder, 'copy') : undefined;
  if (storeCopy !== undefined) cpSync(join(folder, 'data'), storeCopy, { recursive: true });
  const main = join(root, 'packages/resource-api/dist/src/main.js');
  const child = run([...nodeArguments, main], 'ignore');
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    if (!(await fetch(`${url}/readyz`)).ok) throw new Error('not ready');
  });
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { url, pid: child.pid, databaseUrl, storeCopy, stop };
}

async function makeBook(env, write) {
  const database = await openDatabaseAsOwner(parseConfig(env).database, 'bench', silentLog, true);
  await migrate(database, readMigrations(MIGRATIONS));
  await write(database);
  await database.close();
}

async function writeLarge(database, facilities) {
  const { postings, seconds } = await largeBook(database, { facilities });
  console.log(`${postings} postings in ${seconds.toFixed(0)} s`);
}

/** A status list in which no token is revoked. */
async function statusList() {
  const lst = await packBits(new Uint8Array(STATUS_LIST_LENGTH / 8));
  return new SignJWT({ status_list: { bits: 1, lst } })
    .setProtectedHeader({ alg: 'RS256', typ: STATUS_LIST_TYPE, kid: 'bench' })
    .setSubject(statusReference(issuer, 0).uri)
    .sign(privateKey);
}

/** A token of a service account: with full control, or of a customer that sees what it was granted. */
export function accessToken(customer) {
  const subject = `svc_${'0'.repeat(26)}`;
  const permission = customer === undefined ? 'external-api.fullcontrol' : 'cls-deal.view';
  return new SignJWT({
    scope: `${issuer}/auth/${permission}`,
    client_id: subject,
    account_type: 'service_account',
    customer: customer ?? 'bench',
    status: { status_list: statusReference(issuer, 1) },
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'bench' })
    .setIssuer(issuer)
    .setAudience(`${issuer}/api`)
    .setSubject(subject)
    .setJti('bench')
    .setIssuedAt()
    .setExpirationTime('3h')
    .sign(privateKey);
}
