// Whether the time of an answer tells which accounts there are. Each door is tried with every kind
// of refusal in random order, one request at a time, each from an address and for an account of
// its own, so that no throttle interferes. `unknown (control)` is one more sample of the first
// kind: what differs from it by no more than chance tells nothing.
//   node bench/sign-in-timing.mjs [samples of each kind, 300]
import { createHash, randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashPassword } from '../packages/auth-server/dist/src/accounts/password.js';
import { sqlApplications } from '../packages/auth-server/dist/src/clients/sql-applications.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { startAuthServer } from './auth-server.mjs';
import { mannWhitney, quantile } from './rank-test.mjs';

const SAMPLES = Number(process.argv[2] ?? 300);
const RIGHT = 'correct horse battery staple';
const WRONG = 'correct horse battery stapel';
/** `row`: what the account has; none for an e-mail address that nobody has. */
const KINDS = {
  'unknown e-mail': { password: WRONG },
  'unknown (control)': { password: WRONG },
  'wrong password': { password: WRONG, row: {} },
  'disabled, wrong password': { password: WRONG, row: { disabled: true } },
  'disabled, right password': { password: RIGHT, row: { disabled: true } },
  'invited, no password yet': { password: WRONG, row: { invited: true } },
};
const RESETS = ['unknown e-mail', 'unknown (control)', 'wrong password'];

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const { url, env, stores } = await startAuthServer({ TRUSTED_PROXY_HOPS: '1' });
if (env.AUTH_DATABASE_URL === undefined) throw new Error('PostgreSQL is not installed');
const database = postgresDatabase({
  url: new Secret(env.AUTH_DATABASE_URL),
  poolSize: 2,
  statementTimeoutMs: 60_000,
  applicationName: 'bench',
  onError: (error) => console.error(error),
});
let people = 0;
let senders = 0;
const passwordHash = await hashPassword(RIGHT);
await database.query("INSERT INTO customer (id, name) VALUES ('bench', 'Bench')");

console.log(`stores: ${stores}; ${SAMPLES} samples of each kind, times in ms`);
const form = await openForm(await authorizePath(), 'sign-in');
await measure('sign-in form', Object.keys(KINDS), 422, ({ email, password }) =>
  post(form.path, { email, password, csrf: form.csrf }, form.cookie),
);
await measure('token endpoint, JSON', Object.keys(KINDS), 400, ({ email, password }) =>
  post('/oauth/token', JSON.stringify({ email, password })),
);
const reset = await openForm('/password/reset');
const askReset = ({ email }) => post(reset.path, { email, csrf: reset.csrf }, reset.cookie);
await measure('password reset', RESETS, 200, askReset);
// Background work of one request might still delay the next one.
await measure('request right after a password reset', RESETS, 200, async (person) => {
  await askReset(person);
  return get('/password/reset', reset.cookie);
});
process.exit(0);

async function measure(title, kinds, status, send) {
  const cases = kinds.flatMap((kind) => Array.from({ length: SAMPLES }, () => kind));
  const warmUp = Array.from({ length: 30 }, () => kinds[0]);
  const times = Object.fromEntries(kinds.map((kind) => [kind, []]));
  for (const [index, kind] of [...warmUp, ...shuffled(cases)].entries()) {
    const answer = await send(await person(KINDS[kind]));
    if (answer.status !== status) throw new Error(`${title}, ${kind}: ${answer.status}`);
    if (index >= warmUp.length) times[kind].push(answer.ms);
    await sleep(5); // Work in the background ends before the next.
  }
  console.log(`\n${title}`);
  console.table(
    kinds.map((kind) => ({
      refusal: title.includes('reset') && kind === 'wrong password' ? 'known e-mail' : kind,
      median: quantile(times[kind], 0.5).toFixed(2),
      p90: quantile(times[kind], 0.9).toFixed(2),
      'p against the first':
        kind === kinds[0] ? '' : mannWhitney(times[kinds[0]], times[kind]).toFixed(3),
    })),
  );
  const medians = kinds.map((kind) => quantile(times[kind], 0.5));
  const [low, high] = [Math.min(...medians), Math.max(...medians)];
  const [one, other] = [low, high].map((median) => kinds[medians.indexOf(median)]);
  const p = mannWhitney(times[one], times[other]);
  const pairs = (kinds.length * (kinds.length - 1)) / 2;
  console.log(
    `largest difference of medians: ${(high - low).toFixed(2)} ms (${((high / low - 1) * 100).toFixed(1)} %), ` +
      `p = ${p.toFixed(3)}, ${Math.min(1, p * pairs).toFixed(3)} as the worst of ${pairs} pairs`,
  );
}

/** Somebody who was never tried, of an e-mail address as long as all others. */
async function person({ password, row }) {
  people += 1;
  const email = `person-${`${people}`.padStart(8, '0')}@bench.example`;
  const hash = row?.invited ? null : passwordHash;
  const insert = `INSERT INTO account (id, email, customer_id, permissions, password_hash, disabled_at)
     VALUES ($1, $2, 'bench', '{cls-deal.view}', $3, CASE WHEN $4 THEN now() END)`;
  const id = `acc_${`${people}`.padStart(26, '0')}`;
  // Of an unknown one a row is written too, so that the database has as much to do before.
  await database.query(insert, [
    id,
    row === undefined ? email.replace('person', 'nobody') : email,
    hash,
    row?.disabled === true,
  ]);
  return { email, password };
}

async function authorizePath() {
  const { id } = await sqlApplications(database, {}).create({
    ...{ name: 'Bench', firstParty: true, confidential: false, device: false },
    redirectUris: ['https://portal.example/callback'],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
  });
  return `/oauth/authorize?${new URLSearchParams({
    client_id: id,
    redirect_uri: 'https://portal.example/callback',
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update('x'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
  })}`;
}

/** A page's form, as the browser that opened it would send it. */
async function openForm(path, action = '') {
  const first = await get(path);
  const cookie = first.cookies.map((line) => line.split(';')[0]).join('; ');
  const page = first.location === undefined ? first : await get(first.location, cookie);
  const [, csrf] = /name="csrf" value="([^"]+)"/.exec(page.body) ?? [];
  const at = new URL(first.location ?? path, url).pathname;
  return { path: action === '' ? at : `${at}/${action}`, csrf, cookie };
}

function post(path, fields, cookie = '') {
  const json = typeof fields === 'string';
  const body = json ? fields : new URLSearchParams(fields).toString();
  const type = json ? 'application/json' : 'application/x-www-form-urlencoded';
  return send('POST', path, { 'content-type': type, 'content-length': body.length, cookie }, body);
}

function get(path, cookie = '') {
  return send('GET', new URL(path, url).href.slice(new URL(path, url).origin.length), { cookie });
}

function send(method, path, given, body = '') {
  senders += 1;
  const address = `10.${(senders >> 16) & 255}.${(senders >> 8) & 255}.${senders & 255}`;
  const headers = { accept: '*/*', 'x-forwarded-for': address, ...given };
  return new Promise((done, failed) => {
    const started = performance.now();
    const outgoing = request(`${url}${path}`, { method, headers, agent }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.once('end', () =>
        done({
          ms: performance.now() - started,
          status: response.statusCode,
          location: response.headers.location,
          cookies: response.headers['set-cookie'] ?? [],
          body: Buffer.concat(parts).toString(),
        }),
      );
    });
    outgoing.once('error', failed);
    outgoing.end(body);
  });
}

function shuffled(values) {
  const rest = [...values];
  return values.map(() => rest.splice(randomInt(rest.length), 1)[0]);
}
