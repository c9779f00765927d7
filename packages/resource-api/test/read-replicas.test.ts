import { connect, createServer, type Server } from 'node:net';
import type { Finding } from '@cls/shared/check/finding';
import { listening } from '@cls/shared/http/listening';
import { type Log, silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { type Engine, postgres, requireServer } from '@cls/testing/engines';
import { type Exposition, readExposition } from '@cls/testing/exposition';
import { type FaultProxy, faultProxy } from '@cls/testing/fault-proxy';
import { type PostgresInstance, startPostgresInstance } from '@cls/testing/postgres-instance';
import { eventually, freePort, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { type ResourceApi, startResourceApi } from '../src/compose.ts';
import { parseConfig } from '../src/config.ts';
import { apiConfig, startTestApi, type TestApi, viewer } from './support/api.ts';
import { importWorldBank, postPrincipal, statement } from './support/book.ts';
import { runWith } from './support/tool.ts';

const KEY = 'a'.repeat(43);
const DATE = '2025-01-31';
const loans = ['A', 'B', 'C', 'D', 'E', 'F'].map((number, index) => ({
  'Loan Number': number,
  'Country / Economy Code': index % 2 ? 'UA' : 'IN',
  'Disbursed Amount': '100',
  'Original Principal Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
}));

interface ReplicatedApi {
  /** A question, answered by the service that has replicas. */
  ask(path: string, claims?: object): Promise<{ text: string; etag: string | null }>;
  /** Messages that each replica had of it. */
  seen(): readonly number[];
  readonly left: string[];
  metrics(): Promise<Exposition>;
}

describe('the API on streaming replicas of its database [PostgreSQL]', function () {
  this.timeout(300_000);
  let primary: PostgresInstance;
  /** A service on the primary alone. */
  let plain: TestApi;
  const standbys: PostgresInstance[] = [];
  const proxies: FaultProxy[] = [];
  const balancers: Server[] = [];
  const services: ResourceApi[] = [];
  before(async function () {
    const found = await startPostgresInstance();
    requireServer(this, 'PostgreSQL', found);
    primary = found;
    await primary.createDatabase('api');
    const engine: Engine = {
      ...postgres,
      async createLocation() {
        return { kind: 'postgres', url: new Secret(primary.url('api')), poolSize: 5 };
      },
    };
    plain = await startTestApi(engine, { CURSOR_KEY: KEY });
    await importWorldBank(plain.database, statement('01/31/2025', loans));
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
    for (const balancer of balancers.splice(0)) balancer.close();
    await Promise.all(standbys.splice(0).map((standby) => standby.remove()));
  });
  after(async () => {
    await plain?.stop();
    await primary?.remove();
  });

  const startStandby = async (settings?: readonly string[]) => {
    const standby = await primary.startStandby(settings);
    standbys.push(standby);
    return standby;
  };
  /** One port whose connections lead to these in turn. */
  const balanced = async (ports: readonly number[]): Promise<number> => {
    let taken = 0;
    const server = createServer((client) => {
      const upstream = connect(ports[taken % ports.length] ?? 0, '127.0.0.1');
      taken += 1;
      client.on('error', () => upstream.destroy()).pipe(upstream);
      upstream.on('error', () => client.destroy()).pipe(client);
    });
    balancers.push(server);
    return listening(server as never, { host: '127.0.0.1', port: 0 });
  };
  /** A service whose questions go to these replicas, and which counts what they are asked. */
  const startOn = async (ports: readonly number[]): Promise<ReplicatedApi> => {
    const own = await Promise.all(ports.map(faultProxy));
    proxies.push(...own);
    const left: string[] = [];
    const log: Log = {
      ...silentLog,
      warn: (fields: { because?: string }) => void (fields.because && left.push(fields.because)),
    };
    const env = { CURSOR_KEY: KEY, METRICS_PORT: '0' };
    const config = apiConfig(plain.location, plain.jwks.url, env);
    const urls = own.map(({ port }) => new Secret(`postgres://cls@127.0.0.1:${port}/api`));
    const service = await startResourceApi({ ...config, readReplicas: urls }, log);
    services.push(service);
    const baseUrl = `http://127.0.0.1:${service.port}`;
    await eventually(async () => expect((await fetch(`${baseUrl}/readyz`)).ok).to.equal(true));
    return {
      left,
      metrics: () => readExposition(service.metricsPort),
      seen: () => own.map(({ seen }) => seen),
      ask: (path, claims) => askAt(baseUrl, path, claims),
    };
  };
  const askAt = async (baseUrl: string, path: string, claims = {}) => {
    const headers = { authorization: `Bearer ${await plain.token(claims)}` };
    const response = await fetch(`${baseUrl}/api/v1/cls/balances${path}`, { headers });
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    return { text, etag: response.headers.get('etag') };
  };
  const askPlain = (path: string, claims?: object) => askAt(plain.baseUrl, path, claims);
  let amount = 100n;
  const post = async () => {
    amount += 1n;
    await postPrincipal(plain.database, 'A', 'advance', DATE, 100n);
    return amount;
  };
  const outstanding = ({ text }: { text: string }) => {
    const { data } = JSON.parse(text);
    return data.find((item: { deal: { dealNumber: string } }) => item.deal.dealNumber === 'A')
      .global.principal.outstanding;
  };

  it('gives the same bytes from a replica as from the primary, page by page', async () => {
    const replicas = [await startStandby(), await startStandby()];
    const { ask, seen } = await startOn(replicas.map(({ port }) => port));
    for (const [path, claims] of [
      ['?limit=2', {}],
      ['?limit=2&sort=-outstanding&include=totals', {}],
      ['/principal?limit=2', {}],
      ['/principal/movements?limit=2', {}],
      ['/totals?groupBy=country', {}],
      ['?limit=1', viewer('nobody')],
    ] as const) {
      for (let next: string | undefined = path, pages = 0; next !== undefined; pages += 1) {
        const [there, here] = await Promise.all([ask(next, claims), askPlain(next, claims)]);
        expect(there, next).to.deep.equal(here);
        const { page } = JSON.parse(here.text);
        next = page?.nextCursor ? `${path}&cursor=${page.nextCursor}` : undefined;
        if (pages > 10) throw new Error('the walk does not end');
      }
    }
    expect(Math.min(...seen()), 'what each replica was asked').to.be.above(0);
  });

  it('knows each journal, and each grant that was taken back, before the question', async () => {
    const { ask, seen } = await startOn([(await startStandby()).port]);
    for (let n = 0; n < 5; n += 1) {
      const expected = await post();
      expect(outstanding(await ask(`?limit=10&asOf=${DATE}`))).to.equal(`${expected}.00`);
    }
    const rules = sqlEntitlements(plain.database);
    const granted = await rules.grant({
      ...{ customer: 'india', role: 'borrower', lenderId: undefined },
      deals: { country: 'IN' },
    } as never);
    const count = async () =>
      JSON.parse((await ask('?limit=10', viewer('india'))).text).data.length;
    expect(await count()).to.equal(3);
    await rules.revoke(granted?.rule ?? '');
    expect(await count()).to.equal(0);
    expect(seen()[0]).to.be.above(0);
  });

  it('leaves out a replica that is behind, and answers as the primary knows it', async () => {
    const late = await startStandby(['recovery_min_apply_delay=1h']);
    const { ask, left } = await startOn([late.port]);
    await ask('?limit=10');
    const expected = await post();
    expect(outstanding(await ask(`?limit=10&asOf=${DATE}`))).to.equal(`${expected}.00`);
    expect(left).to.deep.equal(['behind']);
  });

  it('answers as the primary knows it where one address leads to several replicas', async () => {
    const [late, good] = [await startStandby(), await startStandby()];
    const port = await balanced([good.port, late.port]);
    const { ask } = await startOn([port]);
    await late.query('SELECT pg_wal_replay_pause()');
    for (let round = 0; round < 5; round += 1) {
      const expected = await post();
      const limits = [6, 7, 8, 9, 10, 11, 12, 13];
      const answers = await Promise.all(limits.map((limit) => ask(`?limit=${limit}&asOf=${DATE}`)));
      expect([...new Set(answers.map(outstanding))]).to.deep.equal([`${expected}.00`]);
    }
  });

  it('goes on with a walk where its replica freezes, and reads there again afterwards', async () => {
    const [first, second] = [await startStandby(), await startStandby()];
    const { ask, seen, left } = await startOn([first.port, second.port]);
    const path = '?limit=1&sort=dealNumber';
    const whole = [];
    let cursor = '';
    for (let pages = 0; cursor !== 'end'; pages += 1) {
      if (pages === 2) first.freeze();
      const page = await ask(`${path}${cursor && `&cursor=${cursor}`}`);
      const { data, page: at } = JSON.parse(page.text);
      whole.push(data[0].deal.dealNumber);
      cursor = at.nextCursor ?? 'end';
    }
    expect(whole).to.deep.equal(['A', 'B', 'C', 'D', 'E', 'F']);
    first.thaw();
    const [before] = seen();
    await eventually(async () => {
      await ask('?limit=3');
      await post();
      await Promise.all([ask('?limit=4'), ask('?limit=5'), ask('?limit=6')]);
      expect(left.length === 0 || (seen()[0] ?? 0) > (before ?? 0)).to.equal(true);
    });
  });

  it('answers from the primary where every replica is dead', async () => {
    const gone = await startStandby();
    const { ask, left } = await startOn([gone.port]);
    const question = await ask('?limit=10');
    await gone.stop('crash');
    expect(await ask('?limit=9')).to.deep.equal(await askPlain('?limit=9'));
    expect(await ask('?limit=10')).to.deep.equal(question);
    expect(left).to.deep.equal(['not reached']);
    await gone.start();
  });

  it('does not read from a replica that was promoted and has a history of its own', async () => {
    const promoted = await startStandby();
    const { ask, left } = await startOn([promoted.port]);
    await ask('?limit=10');
    await promoted.promote();
    // What the primary does not have: the same generation, with another instant.
    const url = new Secret(promoted.url('api'));
    const other = await openDatabaseAsOperator(
      { kind: 'postgres', url, poolSize: 1 },
      'test',
      silentLog,
    );
    await postPrincipal(other, 'B', 'advance', DATE, 100n).finally(() => other.close());
    const expected = await post();
    expect(outstanding(await ask(`?limit=10&asOf=${DATE}`))).to.equal(`${expected}.00`);
    expect(left).to.deep.equal(['other history']);
  });

  it('gives what the primary gives, whatever its replicas do, in random histories', async () => {
    const replicas = [await startStandby(), await startStandby()];
    const { ask } = await startOn(replicas.map(({ port }) => port));
    const rules = sqlEntitlements(plain.database);
    let granted: string | undefined;
    const pick = <T>(values: readonly T[]) =>
      values[Math.floor(Math.random() * values.length)] as T;
    const replica = () => pick(replicas);
    const happens: Record<string, () => Promise<unknown>> = {
      post,
      async grant() {
        if (granted !== undefined) return;
        const deals = { country: 'IN' };
        const rule = { customer: 'india', role: 'borrower', lenderId: undefined, deals };
        granted = (await rules.grant(rule as never))?.rule;
      },
      async revoke() {
        if (granted !== undefined) await rules.revoke(granted);
        granted = undefined;
      },
      pause: () => replica().query('SELECT pg_wal_replay_pause()'),
      resume: () => replica().query('SELECT pg_wal_replay_resume()'),
      async restart() {
        const one = replica();
        await one.stop('fast');
        await one.start();
      },
    };
    const names = [...Object.keys(happens), 'post', 'post', 'grant', 'revoke'];
    const history: string[] = [];
    for (let step = 0; step < 20; step += 1) {
      const name = pick(names);
      history.push(name);
      await happens[name]?.();
      const path = `?limit=${pick([1, 3, 10])}&asOf=${DATE}&sort=${pick(['dealNumber', '-outstanding'])}`;
      for (const claims of [{}, viewer('india')]) {
        const [there, here] = await Promise.all([ask(path, claims), askPlain(path, claims)]);
        expect(there, history.join(', ')).to.deep.equal(here);
      }
    }
  });

  it('counts who answered, and shows each replica’s state and how far it is behind', async () => {
    const [good, late] = [await startStandby(), await startStandby()];
    const { ask, metrics } = await startOn([good.port, late.port]);
    await ask('?limit=10');
    // What a busy machine does not answer in time is left out of a reading.
    const before = await eventually(async () => {
      const read = await metrics();
      expect(read.value('cls_read_replica_state', { state: 'used' })).to.equal(2);
      for (const one of ['1', '2']) {
        expect(read.value('cls_read_replica_journals_behind', { replica: one })).to.equal(0);
        expect(read.value('cls_read_replica_replay_lag_seconds', { replica: one })).to.be.least(0);
      }
      return read;
    });
    expect(before.value('cls_replica_reads_total', { from: 'replica' })).to.be.above(0);
    await late.query('SELECT pg_wal_replay_pause()');
    await post();
    await post();
    await eventually(async () => {
      await ask(`?limit=10&asOf=${DATE}`);
      const { value } = await metrics();
      const second = (state: string) => value('cls_read_replica_state', { replica: '2', state });
      expect([second('used'), second('behind')]).to.deep.equal([0, 1]);
      expect(value('cls_read_replica_journals_behind', { replica: '1' })).to.equal(0);
      expect(value('cls_read_replica_journals_behind', { replica: '2' })).to.equal(2);
      expect(value('cls_read_replica_state', { replica: '1', state: 'used' })).to.equal(1);
    });
    await good.stop('crash');
    await eventually(async () => {
      await ask('?limit=3');
      const { value } = await metrics();
      const first = { replica: '1' };
      expect(value('cls_read_replica_state', { ...first, state: 'not reached' })).to.equal(1);
      expect(value('cls_read_replica_journals_behind', first)).to.equal(undefined);
      expect(value('cls_replica_reads_total', { from: 'primary' })).to.be.above(0);
      const unanswered = (of: string) =>
        value('cls_database_statement_duration_seconds_count', { of, outcome: 'unavailable' });
      expect(unanswered('replica')).to.be.above(0);
      expect(unanswered('database')).to.equal(undefined);
    });
    await good.start();
    await late.query('SELECT pg_wal_replay_resume()');
    await eventually(async () => {
      const { value, series } = await metrics();
      expect(value('cls_read_replica_state', { state: 'used' })).to.equal(2);
      const own = (all: readonly string[]) => all.filter((one) => one.includes('_replica'));
      expect(own(series)).to.have.members(own(before.series));
    });
  });

  describe('cls-api check', () => {
    const CLS_DATA_DIR = temporaryDirectory('cls-check-');
    /** `result check: found` of each replica. */
    const check = async (...urls: readonly string[]) => {
      const env = {
        ...{ CLS_DATA_DIR, CURSOR_KEY: KEY, JWKS_URL: plain.jwks.url },
        API_DATABASE_URL: primary.url('api'),
        API_READ_DATABASE_URLS: urls.join(' '),
      };
      const { stdout } = await runWith(env, 'check', '--json');
      const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
      return urls.map((_, index) => {
        const own = findings.filter(({ part }) => part === `replica ${index + 1}`);
        for (const { result, todo } of own) expect(todo !== undefined).to.equal(result !== 'ok');
        return own.map(({ result, check: name, found }) => `${result} ${name}: ${found}`);
      });
    };

    it('finds a replica in order, and shows it in the table too', async () => {
      const standby = await startStandby();
      const [found] = await check(standby.url('api'));
      expect(found?.map((one) => one.replace(/:.*/, ''))).to.deep.equal([
        ...['ok version', 'ok standby', 'ok writes', 'ok up to date', 'ok role', 'ok TLS'],
        ...['ok connections', 'ok clock'],
      ]);
      const table = await runWith(
        {
          ...{ CLS_DATA_DIR, CURSOR_KEY: KEY, JWKS_URL: plain.jwks.url },
          API_DATABASE_URL: primary.url('api'),
          API_READ_DATABASE_URLS: standby.url('api'),
        },
        'check',
      );
      expect(table.stdout).to.match(/^ok +replica 1 +standby /m);
    });

    it('finds one that is behind, one that is down, and a primary', async () => {
      const late = await startStandby();
      await late.query('SELECT pg_wal_replay_pause()');
      await post();
      const down = `postgres://cls:hidden-word@127.0.0.1:${await freePort()}/api`;
      const [behind, gone, itself] = await check(late.url('api'), down, primary.url('api'));
      expect(behind?.join('\n')).to.match(/^warning up to date: 1 journals behind/m);
      expect(gone).to.have.length(1);
      expect(gone?.[0])
        .to.match(/^failed reachable: .*ECONNREFUSED/)
        .and.not.to.contain('hidden-word');
      expect(itself).to.include('failed standby: it is a primary');
      expect(itself).to.include('failed writes: it takes writes');
    });

    it('finds a replica of another server', async () => {
      const other = await startPostgresInstance();
      if (other === undefined) throw new Error('PostgreSQL was here before');
      standbys.push(other);
      await other.createDatabase('api');
      const [found] = await check(other.url('api'));
      expect(found).to.include('failed standby: it has the data of another server');
    });
  });

  it('refuses replicas of an embedded database', () => {
    const env = { ISSUER: 'https://cls.test', API_READ_DATABASE_URLS: 'postgres://cls@one/api' };
    expect(() => parseConfig(env)).to.throw('API_READ_DATABASE_URLS');
    const primaryUrl = { API_DATABASE_URL: 'postgres://cls@db/api' };
    const both = {
      ...env,
      ...primaryUrl,
      API_READ_DATABASE_URLS: 'postgres://a/b  postgres://c/d',
    };
    expect(parseConfig(both).readReplicas.map((url) => url.expose())).to.deep.equal([
      'postgres://a/b',
      'postgres://c/d',
    ]);
  });

  it('asks for TLS to a replica as to the primary, and says which URL cannot be read', () => {
    const primaryUrl = 'postgres://cls@db.example/api?sslmode=verify-full';
    const env = { ISSUER: 'https://cls.test', API_DATABASE_URL: primaryUrl, REQUIRE_TLS: '1' };
    const read = (replicas: string) =>
      parseConfig({ ...env, API_READ_DATABASE_URLS: replicas }).readReplicas.length;
    const encrypted = 'postgres://cls@one.example/api?sslmode=verify-full';
    expect(read(`${encrypted} postgres://cls@localhost/api`)).to.equal(2);
    expect(() => read(`${encrypted} postgres://cls@two.example/api`)).to.throw(
      /API_READ_DATABASE_URLS: .*REQUIRE_TLS=1/,
    );
    expect(() => read(`${encrypted}&target_session_attrs=standby`)).to.throw(
      /API_READ_DATABASE_URLS: .*target_session_attrs/,
    );
  });
});
