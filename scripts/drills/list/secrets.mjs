// Passwords and keys are replaced as docs/guides/runbooks/replace-passwords-and-keys.md says, under load.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../packages/testing/dist/src/servers.js';
import { Reader } from '../person.mjs';
import { serviceOf } from '../roles.mjs';

const NEEDS = { postgres: 'passwords', redis: 'passwords' };
const URLS = { cls_auth: 'AUTH_DATABASE_URL', cls_api: 'API_DATABASE_URL' };
const TOOLS = ['cls-auth', 'cls-api'];
const KEYS = [
  ...['KEY_ENCRYPTION_KEY', 'COOKIE_KEY', 'CURSOR_KEY', 'WEBHOOK_SECRETS_KEY'],
  'EXPLORER_SESSION_KEY',
];
/** Longer than explorers take to renew each session that is used: tokens live 75 seconds here. */
const SESSIONS_RENEWED_MS = 20_000;
const newSecret = () => randomBytes(32).toString('base64url');

/** @returns the URLs that open nothing any more, by setting */
async function replaceDatabasePasswords(world) {
  const { environment, postgres } = world;
  const { primary } = postgres;
  const old = {};
  for (const [database, setting] of Object.entries(URLS)) {
    const url = new URL(environment[setting]);
    old[setting] = url.href;
    const [first, second] = [serviceOf(database), `${serviceOf(database)}_b`];
    const [made] = await primary.query(`SELECT 1 FROM pg_roles WHERE rolname = '${second}'`);
    if (made === undefined) await primary.query(`CREATE ROLE ${second} LOGIN IN ROLE ${first}`);
    url.username = url.username === first ? second : first;
    url.password = await replacePassword(primary, url.username);
    environment[setting] = url.href;
  }
  for (const tool of TOOLS) await world.tool(tool, ['check']);
  await world.restartEach();
  for (const url of Object.values(old)) {
    const { username } = new URL(url);
    await eventually(async () => {
      const sql = `SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE usename = '${username}'`;
      const [{ sessions }] = await primary.query(sql);
      if (sessions > 0) throw new Error(`${sessions} sessions of ${username}`);
    }, 30_000);
    await replacePassword(primary, username);
  }
  return old;
}

/** @returns the new one */
async function replacePassword(server, role) {
  const password = newSecret();
  await server.query(`ALTER ROLE ${role} PASSWORD '${password}'`);
  return password;
}

async function replaceRedisPassword(world) {
  const { environment, redis } = world;
  const url = new URL(environment.REDIS_URL);
  const old = url.password;
  url.password = newSecret();
  redis.command('acl', 'setuser', 'cls', `>${url.password}`);
  environment.REDIS_URL = url.href;
  for (const tool of TOOLS) await world.tool(tool, ['check']);
  await world.restartEach();
  redis.command('acl', 'setuser', 'cls', `<${old}`);
  redis.command('acl', 'save');
  if (!redis.command('auth', 'cls', old).startsWith('WRONGPASS'))
    throw new Error('the old password of Redis still opens');
}

/** The steps of the runbook, with all keys at once. @throws where somebody must sign in again */
async function replaceKeys(world) {
  const visitor = new Reader(world, world.callers.people[0]);
  await visitor.signIn();
  const target = `https://hooks.drill.example/${newSecret()}`;
  const contact = ['--customer', 'drill', '--webhook', target];
  await world.tool('cls-api', ['versions', 'contacts', 'set', ...contact]);
  const old = Object.fromEntries(KEYS.map((key) => [key, world.environment[key]]));
  const next = Object.fromEntries(KEYS.map((key) => [key, newSecret()]));
  const give = async (settingsOf) => {
    for (const key of KEYS) Object.assign(world.environment, settingsOf(key));
    await world.restartEach();
    if (!(await visitor.isSignedInAtIssuer())) throw new Error('somebody must sign in again');
  };
  const previous = (key) => `PREVIOUS_${key}`;
  await give((key) => ({ [previous(key)]: next[key] }));
  await give((key) => ({ [key]: next[key], [previous(key)]: old[key] }));
  await Promise.all([sleep(SESSIONS_RENEWED_MS), untilNothingIsOpened(world)]);
  await give((key) => ({ [previous(key)]: undefined }));
  for (const tool of TOOLS) await world.tool(tool, ['check']);
}

function untilNothingIsOpened(world) {
  return eventually(async () => {
    for (const tool of TOOLS) {
      const { findings } = await world.tool(tool, ['check']);
      const { result, found } = findings.find(({ check }) => check === 'previous key');
      if (result !== 'ok') throw new Error(`${tool} check: ${found}`);
    }
  }, 30_000);
}

export const SECRETS = [
  {
    name: 'postgres-password',
    title: 'the passwords of the databases replaced: a second role, and each replica restarted',
    needs: NEEDS,
    holdMs: 0,
    async break(world) {
      const old = await replaceDatabasePasswords(world);
      const opens = await world.tool('cls-auth', ['keys', 'list'], old).catch(() => undefined);
      if (opens !== undefined) throw new Error('an old password of PostgreSQL still opens');
    },
  },
  {
    name: 'postgres-password-first',
    title: 'the passwords of the databases replaced before the replicas have them',
    needs: NEEDS,
    async break({ environment, postgres }) {
      for (const setting of Object.values(URLS)) {
        const url = new URL(environment[setting]);
        url.password = await replacePassword(postgres.primary, url.username);
        environment[setting] = url.href;
        await postgres.primary.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${url.username}'`,
        );
      }
    },
    heal: (world) => world.restartEach(),
  },
  {
    name: 'redis-password',
    title: 'the password of Redis replaced: a second one, and each replica restarted',
    needs: NEEDS,
    holdMs: 0,
    break: replaceRedisPassword,
  },
  {
    name: 'redis-password-first',
    title: 'the password of Redis replaced before the replicas have it',
    needs: NEEDS,
    async break({ environment, redis }) {
      const url = new URL(environment.REDIS_URL);
      url.password = newSecret();
      environment.REDIS_URL = url.href;
      redis.command('acl', 'setuser', 'cls', 'resetpass', `>${url.password}`);
      redis.command('client', 'kill', 'user', 'cls');
    },
    heal: (world) => world.restartEach(),
  },
  {
    name: 'keys-replaced',
    title: 'all keys replaced, each with its PREVIOUS_…, and each replica restarted three times',
    holdMs: 0,
    newCursors: true,
    break: replaceKeys,
  },
];
