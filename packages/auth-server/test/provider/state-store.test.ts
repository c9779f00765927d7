import type { Database } from '@cls/shared/sql/database';
import { describeOnEngines, requireServer } from '@cls/testing/engines';
import { redisServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { errors } from 'oidc-provider';
import { digest } from '../../src/crypto/digest.ts';
import { providerAdapter } from '../../src/library/provider-adapter.ts';
import { MIGRATIONS } from '../../src/server/migrations.ts';
import { redisStateStore } from '../../src/state/redis-state-store.ts';
import { sqlStateStore } from '../../src/state/sql-state-store.ts';
import type { StateStore } from '../../src/state/state-store.ts';

/** What every store of protocol state must do. `dump` gives all that is stored, as text. */
function stateStoreSuite(open: () => { store: StateStore; dump: () => Promise<string> }): void {
  let store: StateStore;
  let dump: () => Promise<string>;
  let n = 0;
  const fresh = () => {
    n += 1;
    return `id-${n}-${Math.random()}`;
  };
  before(() => {
    ({ store, dump } = open());
  });

  it('gives back what was stored, under its own id', async () => {
    const id = fresh();
    const adapter = providerAdapter(store, 'RefreshToken');
    await adapter.upsert(id, { jti: id, accountId: 'acc', kind: 'RefreshToken' }, 60);
    expect(await adapter.find(id)).to.deep.equal({
      jti: id,
      accountId: 'acc',
      kind: 'RefreshToken',
    });
  });

  it('finds nothing under an id that was never stored', async () => {
    expect(await providerAdapter(store, 'Session').find(fresh())).to.equal(undefined);
  });

  it('finds nothing any more once an entry has expired', async () => {
    const id = fresh();
    await providerAdapter(store, 'AuthorizationCode').upsert(id, { jti: id }, 1);
    await new Promise((done) => setTimeout(done, 1_200));
    expect(await providerAdapter(store, 'AuthorizationCode').find(id)).to.equal(undefined);
  });

  it('finds a code of a replica whose clock is behind for as long as the store’s clock says', async () => {
    const nowS = () => Math.floor(Date.now() / 1_000);
    for (const kind of ['AuthorizationCode', 'PushedAuthorizationRequest']) {
      const [id, over] = [fresh(), fresh()];
      const adapter = providerAdapter(store, kind);
      await adapter.upsert(id, { jti: id, exp: nowS() - 1 }, 60);
      expect(await adapter.find(id))
        .to.have.property('exp')
        .that.is.above(nowS());
      await adapter.upsert(over, { jti: over, exp: nowS() + 60 }, 1);
      await new Promise((done) => setTimeout(done, 1_200));
      const found = await adapter.find(over);
      // A pushed request is kept as used, and gone for whoever begins with it.
      expect(found === undefined || (found.exp ?? 0) <= nowS()).to.equal(true);
    }
  });

  it('finds a device code for a while once it has expired: the device is told so', async () => {
    const [id, userCode] = [fresh(), fresh()];
    const codes = providerAdapter(store, 'DeviceCode');
    await codes.upsert(id, { jti: id, userCode }, 1);
    await new Promise((done) => setTimeout(done, 1_200));
    expect(await codes.find(id)).to.include({ userCode });
    expect(await codes.findByUserCode(userCode)).to.include({ jti: id });
  });

  it('never takes an entry of one kind for another', async () => {
    const id = fresh();
    await providerAdapter(store, 'RefreshToken').upsert(id, { jti: id }, 60);
    expect(await providerAdapter(store, 'AuthorizationCode').find(id)).to.equal(undefined);
  });

  it('stores no id that would open anything', async () => {
    const id = `secret-${fresh()}`;
    await providerAdapter(store, 'RefreshToken').upsert(id, { jti: id }, 60);
    expect(await dump())
      .to.include(digest(id))
      .and.not.include(id);
  });

  it('stores no other id either, and nothing of a person', async () => {
    const [session, uid, userCode, cookie] = [fresh(), fresh(), fresh(), fresh()].map(
      (id) => `secret-${id}`,
    ) as [string, string, string, string];
    const sessions = providerAdapter(store, 'Session');
    await sessions.upsert(session, { jti: session, uid, accountId: 'acc_of_somebody' }, 60);
    await providerAdapter(store, 'DeviceCode').upsert(fresh(), { userCode }, 60);
    const interaction = { session: { uid, cookie } };
    await providerAdapter(store, 'Interaction').upsert(fresh(), interaction, 60);
    const stored = await dump();
    for (const text of [session, uid, userCode, cookie, 'acc_of_somebody']) {
      expect(stored).not.to.include(text);
    }
    expect(await sessions.find(session)).to.include({ uid, accountId: 'acc_of_somebody' });
    expect(await sessions.findByUid(uid)).to.include({ jti: session, uid });
  });

  it('ends the grant itself with its tokens, but not an interaction that asks for it', async () => {
    const [code, interaction, grantId] = [fresh(), fresh(), fresh()];
    const codes = providerAdapter(store, 'AuthorizationCode');
    const grants = providerAdapter(store, 'Grant');
    const interactions = providerAdapter(store, 'Interaction');
    await grants.upsert(grantId, { jti: grantId }, 60);
    await codes.upsert(code, { jti: code, grantId }, 60);
    await interactions.upsert(interaction, { jti: interaction, grantId }, 60);
    await codes.consume(code);
    await codes.consume(code).catch(() => undefined);
    expect(await grants.find(grantId)).to.equal(undefined);
    expect(await interactions.find(interaction)).to.include({ grantId });
  });

  it('keeps an entry consumed when it is written again', async () => {
    const id = fresh();
    const codes = providerAdapter(store, 'AuthorizationCode');
    await codes.upsert(id, { jti: id }, 60);
    await codes.consume(id);
    await codes.upsert(id, { jti: id }, 60);
    expect(await codes.find(id)).to.have.property('consumed');
  });

  it('kills what is minted for a grant while it is being revoked', async () => {
    const grantId = fresh();
    const tokens = providerAdapter(store, 'RefreshToken');
    const ids = Array.from({ length: 20 }, fresh);
    await Promise.all(
      ids.flatMap((id, index) => [
        tokens.upsert(id, { jti: id, grantId }, 60),
        ...(index === 10 ? [tokens.revokeByGrantId(grantId)] : []),
      ]),
    );
    const found = await Promise.all(ids.map((id) => tokens.find(id)));
    expect(found.filter((payload) => payload !== undefined)).to.deep.equal([]);
  });

  const endAll = (accountId: string, exceptSession?: string) =>
    store.endAccount(
      digest(accountId),
      exceptSession === undefined ? undefined : { kind: 'Session', key: digest(exceptSession) },
    );

  it('counts what is for an account from when it became so: a code that a person confirms', async () => {
    const [code, accountId] = [fresh(), `acc-${fresh()}`];
    const codes = providerAdapter(store, 'DeviceCode');
    const pending = { jti: code, userCode: `user-${code}` };
    await codes.upsert(code, pending, 60);
    await endAll(accountId);
    await new Promise((done) => setTimeout(done, 5));
    await codes.upsert(code, { ...pending, accountId }, 60);
    expect(await codes.find(code)).to.include({ accountId });
    await endAll(accountId);
    await codes.upsert(code, { ...pending, accountId }, 60);
    expect(await codes.find(code)).to.equal(undefined);
  });

  it('ends all that an account has, and nothing that others have or that comes later', async () => {
    const [session, token, grantId, other, later] = [fresh(), fresh(), fresh(), fresh(), fresh()];
    const sessions = providerAdapter(store, 'Session');
    const tokens = providerAdapter(store, 'RefreshToken');
    const accountId = `acc-${fresh()}`;
    await sessions.upsert(session, { jti: session, uid: `uid-${session}`, accountId }, 60);
    await tokens.upsert(token, { jti: token, grantId, accountId }, 60);
    await providerAdapter(store, 'Grant').upsert(grantId, { jti: grantId, accountId }, 60);
    await tokens.upsert(other, { jti: other, accountId: 'acc-of-another' }, 60);
    await endAll(accountId);
    expect(await sessions.find(session)).to.equal(undefined);
    expect(await sessions.findByUid(`uid-${session}`)).to.equal(undefined);
    expect(await tokens.find(token)).to.equal(undefined);
    const spent: unknown = await tokens.consume(token).catch((error: unknown) => error);
    expect(spent).to.be.instanceOf(errors.InvalidGrant);
    expect(await providerAdapter(store, 'Grant').find(grantId)).to.equal(undefined);
    expect(await tokens.find(other)).to.include({ jti: other });
    await new Promise((done) => setTimeout(done, 5));
    await sessions.upsert(later, { jti: later, uid: fresh(), accountId }, 60);
    expect(await sessions.find(later)).to.include({ accountId });
    await endAll(accountId);
    expect(await sessions.find(later), 'ended a second time').to.equal(undefined);
  });

  it('keeps a session ended that a request writes again', async () => {
    const id = fresh();
    const sessions = providerAdapter(store, 'Session');
    const accountId = `acc-${fresh()}`;
    const payload = { jti: id, uid: fresh(), accountId };
    await sessions.upsert(id, payload, 60);
    await endAll(accountId);
    await new Promise((done) => setTimeout(done, 5));
    await sessions.upsert(id, payload, 60);
    expect(await sessions.find(id)).to.equal(undefined);
  });

  it('keeps a session ended that was ended by itself, whatever writes it again', async () => {
    const [id, uid] = [fresh(), fresh()];
    const sessions = providerAdapter(store, 'Session');
    await sessions.upsert(id, { jti: id, uid }, 60);
    await store.revokeGrant(digest(uid));
    await sessions.upsert(id, { jti: id, uid }, 60);
    expect(await sessions.find(id)).to.equal(undefined);
    expect(await sessions.findByUid(uid)).to.equal(undefined);
  });

  it('ends all but the session that asks, and no other account’s in its place', async () => {
    const [mine, elsewhere, strangers] = [fresh(), fresh(), fresh()];
    const sessions = providerAdapter(store, 'Session');
    const accountId = `acc-${fresh()}`;
    await sessions.upsert(mine, { jti: mine, uid: fresh(), accountId }, 60);
    await sessions.upsert(elsewhere, { jti: elsewhere, uid: fresh(), accountId }, 60);
    await endAll(accountId, mine);
    expect(await sessions.find(mine)).to.include({ accountId });
    expect(await sessions.find(elsewhere)).to.equal(undefined);
    const stranger = `acc-${fresh()}`;
    await sessions.upsert(strangers, { jti: strangers, uid: fresh(), accountId: stranger }, 60);
    await endAll(stranger);
    await endAll(accountId, strangers);
    expect(await sessions.find(strangers)).to.equal(undefined);
  });

  it('accepts an assertion again once its mark has expired', async () => {
    const id = fresh();
    const replay = providerAdapter(store, 'ReplayDetection');
    await replay.upsert(id, { jti: id }, 1);
    await new Promise((done) => setTimeout(done, 1_200));
    await replay.upsert(id, { jti: id }, 60);
    expect(await replay.find(id)).to.include({ jti: id });
  });

  it('lets exactly one of twenty consume a code, and ends its grant for the others', async () => {
    const [code, refresh, grantId] = [fresh(), fresh(), fresh()];
    const codes = providerAdapter(store, 'AuthorizationCode');
    const tokens = providerAdapter(store, 'RefreshToken');
    await codes.upsert(code, { jti: code, grantId }, 60);
    await tokens.upsert(refresh, { jti: refresh, grantId }, 60);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => codes.consume(code)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    const lost = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(lost.reason).to.be.instanceOf(errors.InvalidGrant);
    expect(await tokens.find(refresh)).to.equal(undefined);
  });

  it('tells when a consumed entry was consumed', async () => {
    const id = fresh();
    const codes = providerAdapter(store, 'AuthorizationCode');
    await codes.upsert(id, { jti: id }, 60);
    const beforeS = Date.now() / 1000;
    await codes.consume(id);
    const consumed = (await codes.find(id))?.consumed;
    // To the millisecond: a grace of one second must not be over in the next.
    expect(consumed).to.be.within(beforeS - 0.002, Date.now() / 1000 + 0.002);
  });

  it('tells that an entry was consumed although the store’s clock is ahead', async () => {
    const id = fresh();
    const ahead: StateStore = {
      ...store,
      async find(kind, key) {
        const entry = await store.find(kind, key);
        return entry?.consumedAtS === undefined
          ? entry
          : { ...entry, consumedAtS: entry.consumedAtS + 30 };
      },
    };
    const codes = providerAdapter(ahead, 'AuthorizationCode');
    await codes.upsert(id, { jti: id }, 60);
    await codes.consume(id);
    expect((await codes.find(id))?.consumed).to.be.above(Date.now() / 1000);
  });

  it('does not bring an entry back by consuming it after it is gone', async () => {
    const id = fresh();
    const codes = providerAdapter(store, 'AuthorizationCode');
    const refused = await codes.consume(id).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(errors.InvalidGrant);
    expect(await codes.find(id)).to.equal(undefined);
  });

  it('ends everything of a revoked grant, what is minted for it afterwards included', async () => {
    const [before, after, grantId] = [fresh(), fresh(), fresh()];
    const tokens = providerAdapter(store, 'RefreshToken');
    await tokens.upsert(before, { jti: before, grantId }, 60);
    await tokens.revokeByGrantId(grantId);
    await tokens.upsert(after, { jti: after, grantId }, 60);
    expect(await tokens.find(before)).to.equal(undefined);
    expect(await tokens.find(after)).to.equal(undefined);
    const refused = await tokens.consume(after).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(errors.InvalidGrant);
  });

  it('accepts an assertion once, however many copies come at once', async () => {
    const id = fresh();
    const replay = providerAdapter(store, 'ReplayDetection');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => replay.upsert(id, { jti: id }, 60)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
  });

  it('finds a session by its uid and a device code by its user code', async () => {
    const [session, device, uid, userCode] = [fresh(), fresh(), fresh(), fresh()];
    await providerAdapter(store, 'Session').upsert(session, { jti: session, uid }, 60);
    await providerAdapter(store, 'DeviceCode').upsert(device, { jti: device, userCode }, 60);
    const bySession = await providerAdapter(store, 'Session').findByUid(uid);
    const byCode = await providerAdapter(store, 'DeviceCode').findByUserCode(userCode);
    expect(bySession).to.include({ jti: session });
    expect(byCode).to.include({ jti: device });
  });

  it('finds a destroyed session by nothing', async () => {
    const [id, uid] = [fresh(), fresh()];
    const sessions = providerAdapter(store, 'Session');
    await sessions.upsert(id, { jti: id, uid }, 60);
    await sessions.destroy(id);
    expect(await sessions.find(id)).to.equal(undefined);
    expect(await sessions.findByUid(uid)).to.equal(undefined);
  });
}

describeOnEngines('protocol state in SQL', (engine) => {
  let database: Database;
  let store: StateStore;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    store = sqlStateStore(database, () => undefined);
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });
  stateStoreSuite(() => ({
    store,
    dump: async () => JSON.stringify(await database.query('SELECT * FROM protocol_state')),
  }));
});

describe('protocol state in Redis', () => {
  it('keeps an account ended on a primary whose clock is behind', async () => {
    const account = digest('acc-behind');
    await store.endAccount(account);
    const [mark = ''] = await redis.keys(`*${account}*`);
    const ahead = `${BigInt((await redis.get(mark)) ?? 0) + 60_000_000n}`;
    await redis.set(mark, ahead, 'KEEPTTL');
    await store.endAccount(account);
    expect(await redis.get(mark)).to.equal(ahead);
  });

  let redis: Redis;
  let store: StateStore;
  before(async function () {
    const server = await redisServer();
    requireServer(this, 'Redis', server);
    redis = new Redis(server.url);
    store = redisStateStore(redis, 0);
  });
  after(() => store?.close());
  stateStoreSuite(() => ({
    store,
    dump: async () => {
      const keys = await redis.keys('*');
      const entries = keys.filter((key) => key.includes('RefreshToken'));
      const values = await Promise.all(entries.map((key) => redis.hgetall(key)));
      return JSON.stringify([keys, values]);
    },
  }));
});
