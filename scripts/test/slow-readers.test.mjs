// Callers who read long answers slowly, through deploy/nginx.conf and nginx.explorer.conf as they are
// shipped: others are answered.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { isIP } from 'node:net';
import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { expect } from 'chai';
import { Person } from '../../packages/explorer/dist/test/support/person.js';
import { generated, loadRecords } from '../../packages/resource-api/dist/test/support/generated.js';
import { requireServer } from '../../packages/testing/dist/src/engines.js';
import { postgresServer, redisServer } from '../../packages/testing/dist/src/servers.js';
import { NGINX } from '../drills/nginx.mjs';
import { startWorld } from '../drills/world.mjs';

const CALLERS = 4;
/** As many as resource-api answers one caller at once. */
const OF_EACH = 32;
const SMALL_QUESTIONS = 24;
const BALANCES = '/api/v1/cls/balances';
/** So many that the machine's buffers do not take an export: some 5 MB. */
const CONTRACTS = 1_000;
const EXPORT = {
  path: `${BALANCES}?level=facility&expand=contracts`,
  accept: 'application/x-ndjson',
};
/**
 * Some 2 MB, as a page of 1,000 facilities has: drawings take as much in half as many items, which PostgreSQL finds
 * sooner.
 */
const PAGE = { path: `${BALANCES}?level=contract&limit=500`, accept: 'application/json' };
/** What the slow-reader rule lets pass. */
const READ_BYTES = 6_000;

describe('callers who read long answers slowly, through nginx', function () {
  this.timeout(600_000);
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  let world;
  let ca;
  /** Requests under way, to be ended. */
  const slow = [];

  before(async function () {
    requireServer(this, 'nginx', NGINX);
    requireServer(this, 'PostgreSQL', await postgresServer());
    requireServer(this, 'Redis', await redisServer());
    // The explorer waits for the API on a busy machine, too.
    const env = { ACCOUNT_TOKEN_TTL: '3600', EXPLORER_TIMEOUT_S: '120' };
    world = await startWorld({ start: false, hosted: true, env });
    ca = readFileSync(world.environment.NODE_EXTRA_CA_CERTS);
    await world.migrate();
    await world.createCallers();
    await world.startMissing(['auth-1', 'api-1', 'explorer-1']);
    await fillBook();
  });
  afterEach(async () => {
    for (const one of slow.splice(0)) one.destroy();
  });
  after(async () => {
    agent.destroy();
    await world?.close();
  });

  async function fillBook() {
    const url = new Secret(world.postgres.ownerUrl('cls_api'));
    const location = { kind: 'postgres', url, poolSize: 2, migratedElsewhere: true };
    const database = await openDatabaseAsOperator(location, 'test', silentLog);
    await loadRecords(database, generated({ contracts: CONTRACTS, years: 0 }).records);
    await database.close();
  }

  async function tokenOf({ clientId: client_id, clientSecret: client_secret }) {
    const body = JSON.stringify({ client_id, client_secret });
    return (await (await world.send('/oauth/token', { method: 'POST', body })).json()).access_token;
  }

  async function callerOf(customer) {
    await world.tool('cls-auth', ['customers', 'create', customer, '--name', customer]);
    const grant = ['--customer', customer, '--permission', 'external-api.fullcontrol'];
    return tokenOf(
      await world.tool('cls-auth', ['service-accounts', 'create', '--name', customer, ...grant]),
    );
  }

  /** @returns the status; the answer is then read at `READ_BYTES` a second */
  function readSlowly(address, headers) {
    return new Promise((done, failed) => {
      const { host, hostname, port, pathname, search } = new URL(address, world.issuer);
      const outgoing = request({
        ...{ agent, ca, port, host: '127.0.0.1', path: `${pathname}${search}` },
        servername: isIP(hostname) === 0 ? hostname : '',
        headers: { host, ...headers, 'accept-encoding': 'identity' },
      });
      outgoing.once('response', (incoming) => {
        const reading = setInterval(() => incoming.read(READ_BYTES), 1_000);
        incoming.once('close', () => clearInterval(reading));
        incoming.on('error', () => undefined);
        done({ status: incoming.statusCode, headers: incoming.headers });
      });
      outgoing.once('error', failed);
      outgoing.end();
      slow.push(outgoing);
    });
  }

  /** nginx and the services refuse what is too much, and say when to come again. */
  function expectRefused(answers) {
    for (const { status, headers } of answers) {
      expect(status).to.be.oneOf([200, 429, 503]);
      if (status !== 200) expect(headers).to.include.keys('retry-after');
    }
  }

  const counted = (values) =>
    Object.fromEntries(
      [...new Set(values)]
        .sort()
        .map((one) => [one, values.filter((other) => other === one).length]),
    );

  for (const [what, { path, accept }] of Object.entries({ exports: EXPORT, 'large pages': PAGE })) {
    it(`of the API: four with 32 ${what} each`, async () => {
      const customers = Array.from({ length: CALLERS }, (_, n) =>
        `${what.slice(0, 6)}-${n}`.replace(' ', ''),
      );
      const tokens = [];
      for (const customer of customers) tokens.push(await callerOf(customer));
      const other = await tokenOf(world.callers.reader);
      const answers = await Promise.all(
        tokens.flatMap((token) =>
          Array.from({ length: OF_EACH }, () =>
            readSlowly(path, { authorization: `Bearer ${token}`, accept }),
          ),
        ),
      );
      expectRefused(answers);
      const small = [];
      for (let n = 0; n < SMALL_QUESTIONS; n += 1) {
        const question = `${BALANCES}?limit=${1 + n}`;
        small.push(
          (await world.send(question, { headers: { authorization: `Bearer ${other}` } })).status,
        );
      }
      expect(counted(small)).to.deep.equal({ 200: SMALL_QUESTIONS });
    });
  }

  it('of the explorer: two with 32 downloads each', async () => {
    const people = [];
    for (const name of ['first', 'second', 'third']) people.push(await personOf(name));
    const [third] = people.splice(2);
    for (const person of [...people, third]) await person.signIn();
    // An address names the person whose page it is of.
    const searches = new Map();
    for (const person of [...people, third]) {
      searches.set(person, (await person.open('/deals')).url.search);
    }
    const answers = await Promise.all(
      people.flatMap((person) =>
        Array.from({ length: OF_EACH }, () =>
          readSlowly(`${world.explorer}/positions.csv${searches.get(person)}`, {
            cookie: `__Host-cls_explorer=${person.cookie('__Host-cls_explorer')}`,
            accept: 'text/csv',
          }),
        ),
      ),
    );
    expectRefused(answers);
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf.at.most(8);
    for (let n = 0; n < SMALL_QUESTIONS; n += 1) {
      expect((await third.open(`/portfolio${searches.get(third)}`)).response.status).to.equal(200);
    }
  });

  async function personOf(name) {
    const email = `${name}@drill.example`;
    const grant = ['--customer', 'drill', '--permission', 'cls-deal.view', '--generate-password'];
    const { password } = await world.tool('cls-auth', ['accounts', 'create', email, ...grant]);
    return new Person(world.explorer, email, password, world.send);
  }
});
