import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@cls/shared/clock';
import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { connectRedis } from '@cls/shared/service/connect-redis';
import { postgres, requireServer } from '@cls/testing/engines';
import { postgresServer, redisServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { digest, sealer } from '../src/crypto/seal.ts';
import { keepSessions } from '../src/sessions/keep-sessions.ts';
import { memorySessionStore } from '../src/sessions/memory-session-store.ts';
import { MIGRATIONS } from '../src/sessions/open-session-store.ts';
import { redisSessionStore } from '../src/sessions/redis-session-store.ts';
import {
  IssuerUnavailable,
  type Session,
  SignInOver,
  type Tokens,
} from '../src/sessions/session.ts';
import type { SessionStore } from '../src/sessions/session-store.ts';
import { sqlSessionStore } from '../src/sessions/sql-session-store.ts';

const HOUR_MS = 3_600_000;
let names = 0;
const newName = () => `${process.pid}-${Date.now()}-${names++}`;

function behaves(open: () => Promise<{ store: SessionStore; close: () => Promise<void> }>): void {
  let store: SessionStore;
  let close = async (): Promise<void> => undefined;
  before(async function () {
    ({ store, close } = await open.call(this));
  });
  after(() => close());

  const clock = { now: () => new Date() };
  const seal = sealer(new Secret('C'.repeat(43)));
  /** As another replica of the service. */
  const replica = (renew: (token: string) => Promise<Tokens>) =>
    keepSessions({ store, sealer: seal, clock, renew });
  const session = (change: Partial<Session> = {}): Session => ({
    subject: 'acc_1',
    email: 'person@explorer.example',
    sid: newName(),
    accessToken: 'first',
    accessExpiresAt: Date.now() + HOUR_MS,
    refreshToken: 'refresh-1',
    signedInAt: Date.now(),
    ...change,
  });
  const expired = { accessExpiresAt: Date.now() - 1_000 };
  const never = () => Promise.reject(new Error('nobody asked for it'));
  const renewedTokens = () => ({
    accessToken: 'second',
    accessExpiresAt: Date.now() + HOUR_MS,
    refreshToken: 'refresh-2',
  });

  it('opens a session of the key that was replaced, and not of a stranger’s', async () => {
    const [old, next] = [new Secret('C'.repeat(43)), new Secret('D'.repeat(43))];
    const sessions = (keys: ReturnType<typeof sealer>) =>
      keepSessions({ store, sealer: keys, clock, renew: never });
    const begun = session();
    const identifier = await sessions(sealer(old)).begin(begun);
    expect(await sessions(sealer(next, old)).use(identifier)).to.include(begun);
    expect(await sessions(sealer(next)).use(identifier)).to.equal(undefined);
    const later = await sessions(sealer(next, old)).begin(begun);
    expect(await sessions(sealer(next)).use(later), 'new ones have the new key').to.include(begun);
  });

  it('gives a session back to whoever has its identifier, and to nobody else', async () => {
    const sessions = replica(never);
    const begun = session();
    const identifier = await sessions.begin(begun);
    expect(await sessions.use(identifier)).to.include(begun);
    expect(await sessions.use(`${identifier}x`)).to.equal(undefined);
    await sessions.end(identifier);
    expect(await sessions.use(identifier)).to.equal(undefined);
  });

  it('does not open a session with another key', async () => {
    const identifier = await replica(never).begin(session());
    const other = sealer(new Secret('D'.repeat(43)));
    const foreign = keepSessions({ store, sealer: other, clock, renew: never });
    expect(await foreign.use(identifier)).to.equal(undefined);
  });

  it('asks the issuer once for all requests of all replicas', async () => {
    let asked = 0;
    const renew = async (token: string) => {
      expect(token).to.equal('refresh-1');
      asked += 1;
      await sleep(200);
      return renewedTokens();
    };
    const replicas = [replica(renew), replica(renew), replica(renew)];
    const identifier = await replica(never).begin(session(expired));
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, at) => replicas[at % 3]?.use(identifier)),
    );
    expect(all.map((one) => one?.accessToken)).to.deep.equal(Array(12).fill('second'));
    expect(asked).to.equal(1);
  });

  it('lets nobody wait for a token that is renewed in advance', async () => {
    let done: () => void = () => undefined;
    const renewing = new Promise<void>((resolve) => {
      done = resolve;
    });
    const slow = replica(async () => {
      await renewing;
      return renewedTokens();
    });
    const soon = session({ accessExpiresAt: Date.now() + 30_000 });
    const identifier = await slow.begin(soon);
    const first = slow.use(identifier);
    let other = await replica(never)
      .use(identifier)
      .catch(() => undefined);
    // The other replica may have come first; then its attempt failed, and the token is good still.
    other ??= await replica(never).use(identifier);
    expect(other?.accessToken).to.equal('first');
    done();
    expect((await first)?.accessToken).to.be.oneOf(['second', 'first']);
  });

  it('ends a session for which the issuer gives no tokens any more', async () => {
    const sessions = replica(() => Promise.reject(new SignInOver('over')));
    const identifier = await sessions.begin(session(expired));
    expect(await sessions.use(identifier)).to.equal(undefined);
    expect(await replica(never).use(identifier)).to.equal(undefined);
  });

  it('uses a token to its end while the issuer does not answer, and fails after', async () => {
    const sessions = replica(() => Promise.reject(new IssuerUnavailable('away')));
    const good = await sessions.begin(session({ accessExpiresAt: Date.now() + 50_000 }));
    expect((await sessions.use(good))?.accessToken).to.equal('first');
    const over = await sessions.begin(session(expired));
    const failed = await sessions.use(over).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(IssuerUnavailable);
  });

  it('brings no session back that ended while its tokens were renewed', async () => {
    let sessions = replica(never);
    const identifier = await sessions.begin(session(expired));
    sessions = replica(async () => {
      await sessions.end(identifier);
      return renewedTokens();
    });
    expect(await sessions.use(identifier)).to.equal(undefined);
    expect(await replica(never).use(identifier)).to.equal(undefined);
  });

  it('ends each session of a sid, also one that begins afterwards, and no other', async () => {
    const sid = newName();
    const sessions = replica(never);
    const [first, second, other] = await Promise.all([
      sessions.begin(session({ sid })),
      sessions.begin(session({ sid })),
      sessions.begin(session()),
    ]);
    await store.endAll(digest(sid), 60);
    const late = await sessions.begin(session({ sid }));
    const used = await Promise.all([first, second, late].map((one) => sessions.use(one)));
    expect(used).to.deep.equal([undefined, undefined, undefined]);
    expect(await sessions.use(other)).not.to.equal(undefined);
  });

  it('lets one of many have what is good once', async () => {
    const key = newName();
    const entry = { kind: 'sign-in', key, sealed: 'x', ttlS: 60 } as const;
    const kept = await Promise.all(Array.from({ length: 8 }, () => store.keepOnce(entry)));
    expect(kept.filter(Boolean)).to.have.length(1);
    expect(await store.look('sign-in', key)).to.equal('x');
    expect(await store.look('sign-in', newName())).to.equal(undefined);
    const taken = await Promise.all(Array.from({ length: 8 }, () => store.take('sign-in', key)));
    expect(taken.filter((one) => one === 'x')).to.have.length(1);
    expect(await store.take('sign-in', key)).to.equal(undefined);
    expect(await store.look('sign-in', key)).to.equal(undefined);
  });

  it('stores no identifier and no token as it is', async () => {
    const sessions = replica(never);
    const identifier = await sessions.begin(session({ accessToken: 'eyJ-secret' }));
    const sealed = await store.find(digest(identifier));
    expect(sealed).to.be.a('string').and.not.include('eyJ-secret');
    expect(await store.find(identifier)).to.equal(undefined);
    await store.ready();
  });
}

describe('sessions in the memory of a process', () => {
  behaves(async () => {
    const store = memorySessionStore(systemClock);
    return { store, close: () => store.close() };
  });

  it('are as many as it has room for, the newest, whoever begins to sign in', async () => {
    const store = memorySessionStore(systemClock);
    const entry = (n: number) => ({ kind: 'sign-in' as const, key: `${n}`, sealed: 'x', ttlS: 60 });
    for (let n = 0; n <= 50_000; n += 1) await store.keepOnce(entry(n));
    expect(await store.take('sign-in', '0')).to.equal(undefined);
    expect(await store.take('sign-in', '50000')).to.equal('x');
    await store.close();
  });
});

describe('sessions in PostgreSQL', () => {
  behaves(async function (this: Mocha.Context) {
    requireServer(this, 'PostgreSQL', await postgresServer());
    const database = await postgres.open(MIGRATIONS);
    const store = sqlSessionStore(database, () => undefined);
    return { store, close: () => store.close().then(() => database.close()) };
  } as () => Promise<{ store: SessionStore; close: () => Promise<void> }>);
});

describe('sessions in Redis', () => {
  behaves(async function (this: Mocha.Context) {
    const redis = await redisServer();
    requireServer(this, 'Redis', redis);
    const connected = await connectRedis(
      new Secret(redis.url),
      { connectionName: 'cls-explorer', commandTimeout: 60_000 },
      silentLog,
    );
    const store = redisSessionStore(connected);
    return { store, close: () => store.close() };
  } as () => Promise<{ store: SessionStore; close: () => Promise<void> }>);
});
