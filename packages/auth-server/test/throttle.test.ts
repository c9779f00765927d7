import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase, describeOnEngines, type Engine } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { THROTTLE_POLICIES } from '../src/throttle/policy.ts';
import { sqlThrottle, sweepThrottle } from '../src/throttle/sql-throttle.ts';
import type { Throttle, ThrottleSubject } from '../src/throttle/throttle.ts';

const HOUR_MS = 3_600_000;

let database: Database;
let throttle: Throttle;
let nowMs = Date.parse('2026-01-01T00:00:00Z');
let count = 0;

/** A database of its own for a suite. */
function useDatabase(engine: Engine): void {
  before(async () => {
    database = await engine.open(MIGRATIONS);
    throttle = sqlThrottle(database, { now: () => new Date(nowMs) });
  });
  after(() => database?.close());
}

const subject = (kind: ThrottleSubject['kind']): ThrottleSubject => {
  count += 1;
  return { kind, id: `subject-${count}` };
};
const admitted = async (...subjects: ThrottleSubject[]) =>
  (await throttle.admit(subjects)).admitted;
const fail = async (times: number, ...subjects: ThrottleSubject[]) => {
  for (let n = 0; n < times; n += 1) await throttle.admit(subjects);
};

describeOnEngines('the throttle', (engine) => {
  useDatabase(engine);

  it('lets the free attempts pass and then asks for a wait that grows to an hour', async () => {
    const password = subject('account-password');
    const { free } = THROTTLE_POLICIES['account-password'];
    await fail(free, password);
    const waits: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      const admission = await throttle.admit([password]);
      if (admission.admitted) continue;
      waits.push(admission.retryAfterS);
      nowMs += admission.retryAfterS * 1_000;
    }
    expect(waits.slice(0, 3)).to.deep.equal([30, 60, 120]);
    expect(Math.max(...waits)).to.be.at.most(3_600);
  });

  it('tells of each block which refusal is its first, however many come at once', async () => {
    const password = subject('account-password');
    await fail(THROTTLE_POLICIES['account-password'].free, password);
    for (const round of ['first block', 'next block']) {
      const refused = await Promise.all(
        Array.from({ length: 9 }, () => throttle.admit([password])),
      );
      const firsts = refused.filter((one) => !one.admitted && one.first);
      expect(firsts, round).to.have.length(1);
      nowMs += HOUR_MS;
      await fail(1, password);
    }
  });

  it('admits no more at once than one after the other', async () => {
    const password = subject('account-password');
    const admissions = await Promise.all(
      Array.from({ length: 50 }, () => throttle.admit([password])),
    );
    const { free } = THROTTLE_POLICIES['account-password'];
    expect(admissions.filter((admission) => admission.admitted)).to.have.length(free);
  });
});

describeOnDatabase('what the throttle counts and forgets', (engine) => {
  useDatabase(engine);

  it('stops for good after a hundred failures in a row, however long one waits', async () => {
    const password = subject('account-password');
    for (let n = 0; n < 100; n += 1) {
      await fail(1, password);
      nowMs += HOUR_MS;
    }
    expect(await admitted(password)).to.equal(false);
    nowMs += 10_000 * HOUR_MS;
    expect(await admitted(password)).to.equal(false);
  });

  it('counts nothing against an account behind an address that is blocked', async () => {
    const [address, password] = [subject('address'), subject('account-password')];
    await fail(THROTTLE_POLICIES.address.free + 1, address);
    await fail(50, address, password);
    expect(await admitted(password)).to.equal(true);
    const { free } = THROTTLE_POLICIES['account-password'];
    await fail(free - 2, password);
    expect(await admitted(password), 'every free attempt was still there').to.equal(true);
  });

  it('takes an attempt back that was never compared', async () => {
    const password = subject('account-password');
    for (let n = 0; n < 50; n += 1) {
      await fail(1, password);
      await throttle.withdraw([password]);
    }
    expect(await admitted(password)).to.equal(true);
  });

  it('takes a stop back that such an attempt alone had brought', async () => {
    const known = subject('account-password-known');
    const { hardStop = 0 } = THROTTLE_POLICIES['account-password-known'];
    for (let n = 1; n < hardStop; n += 1) {
      await fail(1, known);
      nowMs += HOUR_MS;
    }
    expect(await admitted(known), 'the last one').to.equal(true);
    await throttle.withdraw([known]);
    nowMs += HOUR_MS;
    expect(await admitted(known), 'the last one, again').to.equal(true);
    nowMs += HOUR_MS;
    expect(await admitted(known)).to.equal(false);
  });

  it('takes a wait back that such an attempt alone had brought, and no failure', async () => {
    for (const kind of ['account-password', 'address'] as const) {
      const tried = subject(kind);
      await fail(THROTTLE_POLICIES[kind].free + 1, tried);
      const refused = await throttle.admit([tried]);
      if (refused.admitted) expect.fail(`${kind} is not blocked`);
      nowMs += refused.retryAfterS * 1_000;
      for (let n = 0; n < 3; n += 1) {
        expect(await admitted(tried), `${kind}: ${n} were taken back`).to.equal(true);
        await throttle.withdraw([tried]);
      }
      await fail(THROTTLE_POLICIES[kind].free, tried);
      expect(await admitted(tried), `${kind}: those before still count`).to.equal(false);
    }
  });

  it('forgets addresses that lie idle, and never a hard stop', async () => {
    const [address, password] = [subject('address'), subject('account-password')];
    await fail(1, address);
    for (let n = 0; n < 100; n += 1) {
      await fail(1, password);
      nowMs += HOUR_MS;
    }
    nowMs += 9_000 * HOUR_MS;
    await sweepThrottle(database, { now: () => new Date(nowMs) });
    const rows = await database.query('SELECT kind FROM throttle');
    expect(rows).to.deep.include({ kind: 'account-password' });
    expect(rows).not.to.deep.include({ kind: 'address' });
    expect(await admitted(password)).to.equal(false);
  });

  it('sweeps away no failure that it has not forgotten', async () => {
    const { forgetAfterS = 0 } = THROTTLE_POLICIES.address;
    await fail(3, subject('address'));
    const left = async (afterS: number) => {
      await sweepThrottle(database, { now: () => new Date(nowMs + afterS * 1_000) });
      return database.query('SELECT FROM throttle WHERE failures = 3');
    };
    expect(await left(3 * forgetAfterS - 1)).to.have.length(1);
    expect(await left(3 * forgetAfterS + 1)).to.have.length(0);
  });

  it('counts anew after the right secret', async () => {
    const password = subject('account-password');
    const { free } = THROTTLE_POLICIES['account-password'];
    await fail(free - 1, password);
    await throttle.succeeded([password]);
    await fail(free - 1, password);
    expect(await admitted(password)).to.equal(true);
  });

  it('keeps an address’s failures with others when one account of its own succeeds', async () => {
    const address = subject('address');
    const own = subject('account-password');
    const { free } = THROTTLE_POLICIES.address;
    for (let n = 0; n < free - 1; n += 1) {
      await fail(1, address, subject('account-password'));
      if (n % 10 === 9) {
        expect(await admitted(address, own)).to.equal(true);
        await throttle.succeeded([address, own]);
      }
    }
    await fail(1, address, subject('account-password'));
    expect(await admitted(address, subject('account-password'))).to.equal(false);
  });

  it('lets any number of people sign in from one address', async () => {
    const address = subject('address');
    for (let n = 0; n < THROTTLE_POLICIES.address.free + 20; n += 1) {
      const person = subject('account-password');
      expect(await admitted(address, person)).to.equal(true);
      await throttle.succeeded([address, person]);
    }
  });

  it('never slows an address at which somebody mistypes now and then, all day', async () => {
    const address = subject('address');
    for (let n = 0; n < 300; n += 1) {
      expect(await admitted(address, subject('account-password')), `attempt ${n}`).to.equal(true);
      nowMs += 60_000;
    }
    // All that was forgotten is free again, and no more.
    const { free } = THROTTLE_POLICIES.address;
    await fail(free - 1, address);
    expect([await admitted(address), await admitted(address)]).to.deep.equal([true, false]);
  });

  it('admits no more from an address in the long run, whoever waits as they are told', async () => {
    const address = subject('address');
    const { free, forgetAfterS = 0 } = THROTTLE_POLICIES.address;
    const [beganMs, lastS] = [nowMs, 7_200];
    let compared = 0;
    while (nowMs < beganMs + lastS * 1_000) {
      const admission = await throttle.admit([address]);
      if (admission.admitted) compared += 1;
      nowMs += admission.admitted ? 1_000 : admission.retryAfterS * 1_000;
    }
    expect(compared).to.be.at.most(free + (lastS * free) / forgetAfterS);
  });

  it('forgets an address that was quiet for long enough', async () => {
    const address = subject('address');
    await fail(THROTTLE_POLICIES.address.free + 1, address);
    expect(await admitted(address)).to.equal(false);
    nowMs += HOUR_MS;
    expect(await admitted(address)).to.equal(true);
  });
});
