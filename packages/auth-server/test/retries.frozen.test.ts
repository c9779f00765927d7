import { anyEngine, postgres, requireServer } from '@cls/testing/engines';
import { readOnly } from '@cls/testing/read-only';
import { eventually, postgresServer, redisServer, startRedis } from '@cls/testing/servers';
import { expect } from 'chai';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const APPLICATIONS = 13;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly next?: string;
}

/** @param fail the store fails; what it returns lets the store go on. */
function suite(
  open: () => Promise<{
    readonly server: TestAuthServer;
    readonly fail: () => Promise<() => Promise<void>>;
  }>,
): void {
  let server: TestAuthServer;
  let fail: () => Promise<() => Promise<void>>;
  let party: RelyingParty;
  let restore: (() => Promise<void>) | undefined;
  before(async () => {
    ({ server, fail } = await open());
    party = await relyingParty(server, { confidential: false });
  });
  after(async () => {
    await restore?.();
    await server?.stop();
  });

  const refresh = async (token = ''): Promise<Answer> => {
    const response = await fetch(`${server.issuer}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'refresh_token', refresh_token: token, client_id: party.id },
      }),
    });
    const { refresh_token: next } = (await response.json()) as { refresh_token?: string };
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, ...(next === undefined ? {} : { next }) };
  };
  /** Sends again what was answered 503, as a client does: a busy machine may answer so too. */
  const refreshAgain = (token: string | undefined): Promise<Answer> =>
    eventually(async () => {
      const again = await refresh(token);
      if (again.status === 503) throw new Error('not yet');
      return again;
    });
  /** Begins anew when a busy machine let a step time out: the failure of this test comes later. */
  const signIn = () =>
    eventually(async () => {
      const flow = await authorizationUrl(party);
      const browser = new Browser();
      const { url } = await browser.submit(await browser.follow(flow.url), {
        ...{ email: server.person.email, password: PASSWORD },
      });
      return (await exchange(party, flow, url)).refresh_token;
    });

  /** Half of the refreshes are under way when the store fails; the others come then. */
  const whileItFails = async () => {
    const tokens: (string | undefined)[] = [];
    while (tokens.length < APPLICATIONS) tokens.push(await signIn());
    const early = tokens.slice(0, 6).map(refresh);
    restore = await fail();
    const late = tokens.slice(6).map(refresh);
    const first = await Promise.all([...early, ...late]);
    await restore();
    return { tokens, first };
  };

  it('every refresh that was under way succeeds with the same token, and every sign-in lives on', async () => {
    let { tokens, first } = await whileItFails();
    // A busy machine opened connections after those that froze.
    if (first.every(({ status }) => status === 200)) ({ tokens, first } = await whileItFails());
    for (const { status, retryAfter } of first) {
      expect([status, retryAfter]).to.deep.be.oneOf([
        [200, null],
        [503, '2'],
      ]);
    }
    expect(first.filter(({ status }) => status === 503)).not.to.have.length(0);
    const last = await Promise.all(
      first.map((answer, n) => (answer.status === 200 ? answer : refreshAgain(tokens[n]))),
    );
    expect(last.map(({ status }) => status)).to.deep.equal(tokens.map(() => 200));
    const alive = await Promise.all(last.map(({ next }) => refreshAgain(next)));
    expect(alive.map(({ status }) => status)).to.deep.equal(tokens.map(() => 200));
  });
}

for (const graceS of [10, 0]) {
  const env = { REFRESH_GRACE_S: `${graceS}` };

  describe(`a Redis process that freezes under refreshes, with ${graceS} s of grace`, function () {
    this.timeout(120_000);
    before(async function () {
      requireServer(this, 'Redis', await redisServer());
    });
    suite(async () => {
      const redis = await startRedis();
      const server = await startTestAuthServer(anyEngine, { ...env, REDIS_URL: redis?.url ?? '' });
      return {
        server,
        fail: async () => {
          redis?.process.kill('SIGSTOP');
          return async () => void redis?.process.kill('SIGCONT');
        },
      };
    });
  });

  describe(`PostgreSQL whose processes freeze under refreshes, with ${graceS} s of grace`, function () {
    this.timeout(120_000);
    before(async function () {
      requireServer(this, 'PostgreSQL', await postgresServer());
    });
    suite(async () => {
      const server = await startTestAuthServer(postgres, env);
      return {
        server,
        fail: async () => {
          const backends = await server.database.query<{ pid: number }>(
            `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
               AND backend_type = 'client backend' AND application_name = 'cls-auth-server'`,
          );
          expect(backends).not.to.have.length(0);
          for (const { pid } of backends) process.kill(pid, 'SIGSTOP');
          return async () => {
            for (const { pid } of backends) go(pid);
          };
        },
      };
    });
  });

  describe(`PostgreSQL that is read-only for a while, with ${graceS} s of grace`, function () {
    this.timeout(120_000);
    before(async function () {
      requireServer(this, 'PostgreSQL', await postgresServer());
    });
    suite(async () => {
      const server = await startTestAuthServer(postgres, env);
      const { database } = server.config;
      return {
        server,
        fail: async () => {
          await readOnly(database, true);
          return () => readOnly(database, false);
        },
      };
    });
  });
}

/** A process that was given up meanwhile has ended. */
function go(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
