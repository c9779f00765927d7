import { execFileSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { openDatabase } from '@cls/shared/service/open-database';
import type { Database, Sql } from '@cls/shared/sql/database';
import { describeOnDatabase, requireServer } from '@cls/testing/engines';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import { type RedisServer, startRedis } from '@cls/testing/servers';
import { expect } from 'chai';
import { newClientSecret } from '../src/clients/client-secret.ts';
import { FIRST_DELAY_S, THROTTLE_POLICIES } from '../src/throttle/policy.ts';
import { basic, startTestAuthServer, type TestAuthServer, VIEW } from './support/auth-server.ts';
import { serviceAccountRecords } from './support/client-records.ts';

const GRANT = 'grant_type=client_credentials';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const CONNECTIONS = 64;
const FLOOD = EXHAUSTIVE ? 100_000 : 3_000;

describeOnDatabase('wrong secrets of clients, by the thousand', (engine) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const statements: string[] = [];
  let redis: RedisServer | undefined;
  let server: TestAuthServer;
  before(async function () {
    redis = await startRedis();
    requireServer(this, 'Redis', redis);
    const env = { REDIS_URL: redis?.url ?? '', TRUSTED_PROXY_HOPS: '1', TOKENS_PER_MINUTE: '0' };
    server = await startTestAuthServer(engine, env, async (...args) =>
      counted(await openDatabase(...args), (sql) => statements.push(sql)),
    );
  });
  after(async () => {
    agent.destroy();
    await server?.stop();
    redis?.process.kill();
  });

  interface Answer {
    readonly status: number;
    readonly retryAfterS: number;
  }
  const send = (path: string, headers: Record<string, string>, body: string, from: string) =>
    new Promise<Answer>((resolve, reject) => {
      const options = { method: 'POST', agent, headers: { ...headers, 'x-forwarded-for': from } };
      const sent = request(`${server.issuer}${path}`, options, (answer) => {
        const { statusCode: status = 0, headers } = answer;
        const retryAfterS = Number(headers['retry-after']);
        answer.resume().once('end', () => resolve({ status, retryAfterS }));
      });
      sent.once('error', reject).end(body);
    });
  const ask = (id: string, secret: string, from: string) =>
    send('/oauth/token', basic(id, secret), GRANT, from);
  const unknown = (n: number) => `svc_${`${n}`.padStart(26, '0')}`;

  /** By each of the ways in which a client proves itself by a secret. */
  const sendGarbage = (n: number) => {
    const secret = `cls_${`${n}`.padStart(49, 'x')}`;
    const id = n % 3 === 0 ? unknown(n) : server.client.id;
    const form = `client_id=${id}&client_secret=${secret}`;
    const from = `192.0.2.${n % 200}`;
    if (n % 4 === 0) return send('/oauth/token', FORM, `${GRANT}&${form}`, from);
    if (n % 4 === 1) return send('/oauth/revoke', FORM, `${form}&token=x`, from);
    if (n % 4 === 2) return send('/oauth/introspect', basic(id, secret), 'token=x', from);
    return ask(id, secret, from);
  };
  /** @returns the statuses of all answers. */
  const flood = async (requests: number) => {
    const statuses = new Set<number>();
    let sent = 0;
    const connection = async () => {
      while (sent < requests) {
        sent += 1;
        statuses.add((await sendGarbage(sent)).status);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
    return [...statuses];
  };
  const redisCommands = () => {
    const stats = execFileSync('redis-cli', ['-u', redis?.url ?? '', 'info', 'stats']);
    return Number(/^total_commands_processed:(\d+)/m.exec(`${stats}`)?.[1]);
  };

  it('that were never made here are refused without a question to any store', async function () {
    this.timeout(1_800_000);
    await flood(600); // Of each address, one a minute is recorded.
    const commandsBefore = redisCommands();
    statements.length = 0;
    const startedMs = performance.now();
    expect(await flood(FLOOD)).to.deep.equal([401]);
    // What the service does by itself, some times a second.
    const ownWork = 50 + (performance.now() - startedMs) / 100;
    const asked = statements.filter((sql) =>
      /\b(throttle|service_account|application)\b/.test(sql),
    );
    expect(asked).to.deep.equal([]);
    expect(statements.length).to.be.below(ownWork);
    expect(redisCommands() - commandsBefore).to.be.below(ownWork);
  });

  it('that were never made here keep nobody with the right one from a token', async function () {
    this.timeout(300_000);
    const { id, secret } = server.client;
    const flooding = flood(1_000);
    for (let n = 0; n < 50; n += 1) {
      expect((await ask(id, secret, `192.0.2.${n}`)).status, `${n}`).to.equal(200);
    }
    expect(await flooding).to.deep.equal([401]);
  });

  it('that may be right are slowed for one client, from wherever they come', async () => {
    const { id, secret } = await serviceAccountRecords(server.database).create({
      ...{ name: 'Guessed at', customer: 'india', permissions: [VIEW] },
    });
    const { free } = THROTTLE_POLICIES['client-secret'];
    const answers: Answer[] = [];
    while (answers.length < free + 5) {
      answers.push(await ask(id, newClientSecret().expose(), `198.51.100.${answers.length}`));
    }
    expect(answers.slice(0, free).every(({ status }) => status === 401)).to.equal(true);
    for (const { status, retryAfterS } of answers.slice(free + 1)) {
      expect(status).to.equal(429);
      expect(retryAfterS).to.be.within(1, FIRST_DELAY_S);
    }
    expect((await ask(id, secret.expose(), '198.51.100.1')).status).to.equal(200);
  });

  it('that may be right are slowed for one address, whichever clients they are for', async () => {
    const { free } = THROTTLE_POLICIES['client-address'];
    const guess = (n: number, from: string) => ask(unknown(n), newClientSecret().expose(), from);
    let tried = 0;
    let answer = await guess(tried, '203.0.113.7');
    while (answer.status === 401 && tried < 2 * free) {
      tried += 1;
      answer = await guess(tried, '203.0.113.7');
    }
    expect(tried).to.be.at.least(free);
    expect(answer.status).to.equal(429);
    expect(answer.retryAfterS).to.be.within(1, FIRST_DELAY_S);
    expect((await guess(tried, '203.0.113.8')).status, 'another address').to.equal(401);
    const { id, secret } = server.client;
    expect((await ask(id, secret, '203.0.113.7')).status, 'the right secret').to.equal(200);
  });
});

/** Tells of each statement. */
function counted(database: Database, tell: (sql: string) => void): Database {
  const telling = <T extends Sql>(sql: T): T => ({
    ...sql,
    query: (text, params) => {
      tell(text);
      return sql.query(text, params);
    },
    execute: (text) => {
      tell(text);
      return sql.execute(text);
    },
  });
  const { beside } = database;
  return {
    ...telling(database),
    transaction: (work, options) =>
      database.transaction((transaction) => work(telling(transaction)), options),
    ...(beside && { beside: counted(beside, tell) }),
  };
}
