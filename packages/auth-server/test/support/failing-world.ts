import { anyEngine, requireServer } from '@cls/testing/engines';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import type { FailingStore } from '@cls/testing/failing-database';
import { type Fault, faultProxy } from '@cls/testing/fault-proxy';
import { eventually, postgresServer, redisServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { startTestAuthServer, type TestAuthServer } from './auth-server.ts';
import { behind, failingPglite } from './behind.ts';
import type { Send } from './send.ts';

export interface Shown {
  readonly url: URL;
  readonly response: Response;
  readonly text: string;
}

export async function read({ url, response }: Omit<Shown, 'text'>): Promise<Shown> {
  return { url, response, text: await response.text() };
}

/** The service on a store that fails when a test wants it. */
export interface FailingWorld {
  readonly server: TestAuthServer;
  /** As somebody who reads that it can be done again in a moment, and does it again. */
  readonly again: Send;
  /** Does `send` while the store fails at each of its messages in turn, or at some of them. */
  atEachPlace<T, A>(
    prepare: () => Promise<T>,
    send: (prepared: T) => Promise<A>,
    check: (answer: A, prepared: T) => Promise<unknown>,
  ): Promise<void>;
  stop(): Promise<void>;
}

/** @param sample how many places are tried with each fault; all with `CLS_EXHAUSTIVE=1`. */
function failingWorld(
  { server, store }: { readonly server: TestAuthServer; readonly store: FailingStore },
  faults: readonly Fault[],
  sample: number,
): FailingWorld {
  let failures = 0;
  /** What the answer says in `Retry-After`, where the state is in SQL. */
  const aMomentLater = () =>
    server.database.query(
      `UPDATE protocol_state SET consumed_at = consumed_at - interval '2 seconds'
       WHERE kind NOT LIKE '%.spent'`,
    );
  return {
    server,
    async again(url, init) {
      for (;;) {
        const response = await fetch(url, init);
        if (response.status !== 503) return response;
        failures += 1;
        store.heal();
        await eventually(async () => {
          if (!(await fetch(`${server.issuer}/readyz`)).ok) throw new Error('not ready');
        });
        await aMomentLater();
      }
    },
    async atEachPlace(prepare, send, check) {
      failures = 0;
      const once = async (fault: Fault, place: number) => {
        const prepared = await prepare();
        store.arm(place, fault);
        const answer = await send(prepared);
        const { seen } = store;
        store.heal();
        await check(answer, prepared);
        return seen;
      };
      const messages = () => once('cut before', Number.POSITIVE_INFINITY);
      const count = await messages();
      for (const [nth, fault] of faults.entries()) {
        const places = Array.from({ length: count }, (_, place) => place);
        const step = EXHAUSTIVE ? 1 : Math.ceil(count / sample);
        // Each fault begins one place later: together they are met at more places.
        const some = places.filter((place) => place % step === nth % step);
        for (const place of some) {
          await once(fault, place).catch((error: Error) => {
            error.message = `${fault} at message ${place} of ${count}: ${error.message}`;
            throw error;
          });
        }
      }
      // The server itself asks its store now and then: such a message may have been counted.
      if (count > 0 && failures === 0) {
        let least = count;
        for (let tries = 0; least > 0 && tries < 5; tries += 1) least = await messages();
        expect(least, 'messages without a 503').to.equal(0);
      }
    },
    async stop() {
      store.heal();
      await server.stop();
      await store.close();
    },
  };
}

/** Runs `suite` on each store that may fail: embedded, PostgreSQL, and Redis beside a database. */
export function describeOnFailingStores(
  title: string,
  suite: (open: () => Promise<FailingWorld>) => void,
): void {
  describe(`${title}, on an embedded database that fails between any two statements`, function () {
    this.timeout(240_000);
    suite(async () => failingWorld(await failingPglite(), ['cut before', 'cut after', 'late'], 3));
  });
  describe(`${title}, on a PostgreSQL that fails between any two statements`, function () {
    this.timeout(240_000);
    before(async function () {
      requireServer(this, 'PostgreSQL', await postgresServer());
    });
    suite(async () => {
      const url = new URL((await (await postgresServer())?.createDatabase()) ?? '');
      const store = await faultProxy(Number(url.port));
      const server = await startTestAuthServer(behind(store));
      return failingWorld({ server, store }, ['cut before', 'cut after'], 3);
    });
  });
  describe(`${title}, on a Redis that fails between any two commands`, function () {
    this.timeout(240_000);
    before(async function () {
      requireServer(this, 'Redis', await redisServer());
    });
    suite(async () => {
      const redis = await redisServer();
      const store = await faultProxy(Number(new URL(redis?.url ?? '').port));
      const env = { REDIS_URL: `redis://127.0.0.1:${store.port}` };
      const server = await startTestAuthServer(anyEngine, env);
      return failingWorld({ server, store }, ['cut before', 'cut after', 'late'], 2);
    });
  });
}
