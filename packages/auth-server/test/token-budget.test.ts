import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlTokenUse } from '../src/clients/sql-token-use.ts';
import { BURST_S, type TokenUseStore, tokenBudget } from '../src/clients/token-budget.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { basic, startTestAuthServer, type TestAuthServer, VIEW } from './support/auth-server.ts';
import { serviceAccountRecords } from './support/client-records.ts';

function full(): never {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}

const A = { id: 'svc_A', customer: 'india' };
const B = { id: 'svc_B', customer: 'india' };
const OTHER = { id: 'svc_C', customer: 'kenya' };
const LIMITS = { tokensPerMinute: 60, customerTokensPerMinute: 120 };
const nobody: TokenUseStore = { add: async () => new Map() };

describe('how many tokens a service account gets', () => {
  let nowS: number;
  beforeEach(() => {
    nowS = 1_000;
  });
  const newBudget = (limits = LIMITS) => tokenBudget(limits, () => nowS);
  const takeAll = (budget: ReturnType<typeof newBudget>, who = A) => {
    let taken = 0;
    while (taken < 10_000 && budget.take(who) === undefined) taken += 1;
    return taken;
  };

  it('is five minutes’ worth at once, and then the rate', () => {
    const budget = newBudget();
    expect(takeAll(budget)).to.equal(300);
    expect(budget.take(A)).to.include({ waitS: 1 });
    nowS += 10;
    expect(takeAll(budget)).to.equal(10);
    nowS += BURST_S * 10;
    expect(takeAll(budget)).to.equal(300);
  });

  it('is limited for all of a customer together, and for no other customer', () => {
    const budget = newBudget();
    expect(takeAll(budget, A)).to.equal(300);
    expect(takeAll(budget, B)).to.equal(300);
    expect(takeAll(budget, { ...B, id: 'svc_D' })).to.equal(0);
    expect(takeAll(budget, OTHER)).to.equal(300);
  });

  it('is refused with something to record once a minute', () => {
    const budget = newBudget();
    takeAll(budget);
    const firsts = () => [1, 2, 3].map(() => budget.take(A)?.first);
    nowS += 0.5;
    expect(firsts()).to.deep.equal([false, false, false]);
    nowS += 60;
    takeAll(budget);
    expect(budget.take(A)?.first).to.equal(false);
  });

  it('has back what was taken for a token that did not go out', async () => {
    const budget = newBudget();
    expect(takeAll(budget, A)).to.equal(300);
    expect(takeAll(budget, B)).to.equal(300);
    budget.giveBack(A.id);
    expect(takeAll(budget, A)).to.equal(1);
    budget.giveBack(B.id);
    budget.giveBack('svc_nobody');
    let takenS = 0;
    await budget.share({
      async add(uses) {
        takenS = uses.find(({ subject }) => subject === B.id)?.takenS ?? 0;
        return nobody.add(uses);
      },
    });
    expect(takenS).to.equal(299);
  });

  it('is not told of as used where its token did not go out', async () => {
    for (const limits of [LIMITS, { tokensPerMinute: 0, customerTokensPerMinute: 0 }]) {
      const budget = newBudget(limits);
      const told: string[] = [];
      const store: TokenUseStore = {
        async add(uses) {
          told.push(...uses.map(({ subject }) => subject));
          return new Map();
        },
      };
      budget.take(A);
      budget.giveBack(A.id);
      await budget.share(store, true);
      expect(told).to.deep.equal([]);
      nowS += 1;
      budget.take(B);
      await budget.share(store, true);
      expect(told).to.have.members([B.id, B.customer]);
    }
  });

  it('has no limit where none is set', () => {
    const budget = newBudget({ tokensPerMinute: 0, customerTokensPerMinute: 0 });
    expect(takeAll(budget)).to.equal(10_000);
  });

  it('is shared at first, then after a minute or when it is much', async () => {
    const budget = newBudget();
    const told: number[] = [];
    const store: TokenUseStore = {
      async add(uses) {
        told.push(...uses.flatMap(({ subject, takenS }) => (subject === A.id ? [takenS] : [])));
        return new Map(uses.map(({ subject, takenS }) => [subject, takenS]));
      },
    };
    const takeAndShare = async (n: number) => {
      for (let i = 0; i < n; i += 1) budget.take(A);
      await budget.share(store);
    };
    await takeAndShare(1);
    nowS += 30;
    await takeAndShare(2);
    expect(told).to.deep.equal([1]);
    nowS += 31;
    await takeAndShare(0);
    expect(told).to.deep.equal([1, 2]);
    nowS += 1;
    await takeAndShare(15);
    expect(told).to.deep.equal([1, 2, 15]);
    await budget.share(store, true);
    expect(told, 'nothing new').to.have.length(3);
  });

  it('is shared later when the store did not answer', async () => {
    const budget = newBudget();
    budget.take(A);
    const away = new Error('away');
    const failed = await budget.share({ add: () => Promise.reject(away) }).catch((e) => e);
    expect(failed).to.equal(away);
    let takenS = 0;
    await budget.share({
      async add(uses) {
        takenS = uses.find(({ subject }) => subject === A.id)?.takenS ?? 0;
        return nobody.add(uses);
      },
    });
    expect(takenS).to.equal(1);
  });
});

describeOnDatabase('what replicas give out together', (engine) => {
  it('counts for each of them', async () => {
    const database = await engine.open(MIGRATIONS);
    const store = sqlTokenUse(database);
    const [one, two] = [tokenBudget(LIMITS), tokenBudget(LIMITS)];
    for (let i = 0; i < 300; i += 1) expect(one.take(A)).to.equal(undefined);
    one.used([A.id], '203.0.113.1');
    expect(two.take(A)).to.equal(undefined);
    await one.share(store);
    await two.share(store);
    expect(two.take(A)).to.have.property('waitS').that.is.within(1, 3);
    const [row] = await database.query<{ used_from: string; agoS: number }>(
      `SELECT used_from, extract(epoch FROM now() - used_at)::float8 AS "agoS"
       FROM token_use WHERE subject = $1`,
      [A.id],
    );
    expect(row).to.have.property('used_from', '203.0.113.1');
    await database.close();
  });
});

describeOnDatabase('a service account that asks in a loop', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine, { TOKENS_PER_MINUTE: '2' });
  });
  after(() => server?.stop());

  it('is told to keep its token, by both ways; a wrong secret takes none', async () => {
    const { id, secret } = server.client;
    const ask = (of = secret) =>
      server.post('grant_type=client_credentials', {
        'content-type': 'application/x-www-form-urlencoded',
        ...basic(id, of),
      });
    for (let i = 0; i < 12; i += 1) expect((await ask('wrong')).status).to.equal(401);
    for (let i = 0; i < 10; i += 1) expect((await ask()).status).to.equal(200);
    const json = { client_id: id, client_secret: secret };
    for (const answer of [await ask(), await server.postJson(json), await ask()]) {
      expect(answer.status).to.equal(429);
      expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 30);
      const body = (await answer.json()) as { error_description: string };
      expect(body).to.include({ error: 'too_many_tokens' });
      expect(body.error_description).to.include('keep a token until it expires');
    }
    const events = await eventually(async () => {
      const found = await server.database.query(
        `SELECT reason, client_id FROM audit_event WHERE subject = $1 AND reason = 'too_many_tokens'`,
        [id],
      );
      if (found.length === 0) throw new Error('not stored yet');
      return found;
    });
    expect(events).to.deep.equal([{ reason: 'too_many_tokens', client_id: id }]);
  });

  it('loses nothing by tokens that could not be recorded, and did not go out', async () => {
    const { id, secret } = await serviceAccountRecords(server.database).create({
      ...{ name: 'Unlucky', customer: 'india', permissions: [VIEW] },
    });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const short = () =>
      server.post('grant_type=client_credentials', { ...form, ...basic(id, secret.expose()) });
    const long = () =>
      server.post(
        `grant_type=client_credentials&client_id=${id}&client_secret=${secret.expose()}`,
        {
          ...form,
          cookie: 'unusual=1',
        },
      );
    const { writeSync } = fs;
    Object.assign(fs, { writeSync: full });
    syncBuiltinESMExports();
    try {
      for (let i = 0; i < 10; i += 1) {
        for (const ask of [short, long]) expect((await ask()).status).to.equal(503);
      }
    } finally {
      Object.assign(fs, { writeSync });
      syncBuiltinESMExports();
    }
    for (let i = 0; i < 5; i += 1) {
      for (const ask of [short, long]) expect((await ask()).status, `after ${i}`).to.equal(200);
    }
    expect((await short()).status).to.equal(429);
  });
});
