import { randomUUID } from 'node:crypto';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import fc from 'fast-check';
import { TOTP, Secret as TotpSecret } from 'otpauth';
import type { Account } from '../src/accounts/account.ts';
import { amrOf } from '../src/factors/authentication-methods.ts';
import { FACTORS_MAX } from '../src/factors/factor.ts';
import { manageFactors } from '../src/factors/manage-factors.ts';
import { canonicalRecoveryCode, newRecoveryCodes } from '../src/factors/recovery-code.ts';
import { THROTTLE_POLICIES } from '../src/throttle/policy.ts';
import { type AccountWorld, BY, openAccountWorld } from './support/account-world.ts';

const SESSION = 'a session';

describeOnDatabase('second factors', (engine) => {
  let world: AccountWorld;
  let account: Account;
  before(async () => {
    world = await openAccountWorld(engine);
  });
  beforeEach(async () => {
    account = await world.newAccount();
    world.pass(3_600);
  });
  after(() => world?.close());

  const codeOf = (secret: string, offsetS = 0) =>
    new TOTP({ secret: TotpSecret.fromBase32(secret) }).generate({
      timestamp: world.clock.now().getTime() + offsetS * 1000,
    });
  const enrol = async (name = 'Phone') => {
    const { id, secret } = await world.totpEnrolments.begin(account, SESSION);
    const added = await world.totpEnrolments.confirm(
      account,
      SESSION,
      id,
      { code: codeOf(secret), name },
      BY,
    );
    if ('problem' in added) throw new Error(added.problem.code);
    return { ...added, secret };
  };
  const totp = (code: string) =>
    world.secondStep.prove(account, { method: 'totp', code, binding: randomUUID() }, BY);
  const recovery = (code: string) =>
    world.secondStep.prove(account, { method: 'recovery_code', code, binding: randomUUID() }, BY);
  const problemOf = (outcome: object) => ('problem' in outcome ? outcome.problem : undefined);

  describe('an authenticator app', () => {
    it('is no factor until a code proved it, and then brings ten recovery codes', async () => {
      const pending = await world.totpEnrolments.begin(account, SESSION);
      expect(pending.uri).to.match(/^otpauth:\/\/totp\/CLS:/);
      expect(pending.uri).to.include(encodeURIComponent(account.email));
      expect(pending.secret).to.match(/^[A-Z2-7]{32}$/);
      expect(await world.factors.list(account.id)).to.deep.equal([]);
      expect((await world.reload(account.id)).secondFactor).to.equal(false);
      const form = { code: codeOf(pending.secret), name: ' Pixel\n9 ' };
      const added = await world.totpEnrolments.confirm(account, SESSION, pending.id, form, BY);
      if ('problem' in added) throw new Error(added.problem.code);
      expect(added.factor).to.include({ kind: 'totp', name: 'Pixel 9' });
      expect(added.recoveryCodes).to.have.length(10);
      expect((await world.reload(account.id)).secondFactor).to.equal(true);
      expect(world.sent.at(-1)).to.deep.equal({
        to: account.email,
        kind: 'factor_added',
        name: 'Pixel 9',
      });
      expect(world.events.at(-1)).to.deep.include({
        type: 'account.totp_enrolled',
        subject: account.id,
        about: 'Pixel 9',
        address: BY.address,
        device: BY.device,
      });
    });

    it('can be confirmed again after a wrong code, with the same secret', async () => {
      const { id, secret } = await world.totpEnrolments.begin(account, SESSION);
      const wrong = await world.totpEnrolments.confirm(
        account,
        SESSION,
        id,
        { code: '000000', name: 'x' },
        BY,
      );
      expect(problemOf(wrong)).to.deep.equal({ field: 'code', code: 'code_wrong' });
      expect(await world.totpEnrolments.pending(account, SESSION, id)).to.include({ secret });
      const right = await world.totpEnrolments.confirm(
        account,
        SESSION,
        id,
        { code: codeOf(secret), name: 'x' },
        BY,
      );
      expect(problemOf(right)).to.equal(undefined);
    });

    it('is confirmed once, also when the form is sent twice at once', async () => {
      const { id, secret } = await world.totpEnrolments.begin(account, SESSION);
      const form = { code: codeOf(secret), name: 'Phone' };
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () =>
          world.totpEnrolments.confirm(account, SESSION, id, form, BY),
        ),
      );
      expect(outcomes.filter((each) => 'factor' in each)).to.have.length(1);
      expect(await world.factors.list(account.id)).to.have.length(1);
    });

    it('cannot be confirmed from another account or session, nor under a made-up id', async () => {
      const { id, secret } = await world.totpEnrolments.begin(account, SESSION);
      const other = await world.newAccount();
      const form = { code: codeOf(secret), name: 'x' };
      for (const outcome of [
        await world.totpEnrolments.confirm(other, SESSION, id, form, BY),
        await world.totpEnrolments.confirm(account, 'another session', id, form, BY),
        await world.totpEnrolments.confirm(account, SESSION, 'x'.repeat(43), form, BY),
        await world.totpEnrolments.confirm(account, SESSION, '', form, BY),
      ]) {
        expect(problemOf(outcome)).to.deep.equal({ code: 'form_stale' });
      }
      expect(await world.totpEnrolments.pending(other, SESSION, id)).to.equal(undefined);
      expect(await world.totpEnrolments.pending(account, 'another session', id)).to.equal(
        undefined,
      );
    });

    for (const [given, form, problem] of [
      ['no name', { name: ' \u2028 ' }, { field: 'name', code: 'name_required' }],
      ['a name that is taken', { name: 'Phone' }, { field: 'name', code: 'name_taken' }],
      ['no code', { name: 'y', code: ' ' }, { field: 'code', code: 'code_required' }],
      ['letters', { name: 'y', code: 'abcdef' }, { field: 'code', code: 'code_wrong' }],
      [
        'full-width digits',
        { name: 'y', code: '１２３４５６' },
        { field: 'code', code: 'code_wrong' },
      ],
      [
        'very many digits',
        { name: 'y', code: '1'.repeat(99_999) },
        { field: 'code', code: 'code_wrong' },
      ],
    ] as const) {
      it(`comes back with ${problem.code} when the form has ${given}`, async () => {
        await enrol();
        const { id, secret } = await world.totpEnrolments.begin(account, SESSION);
        const filled = { code: codeOf(secret), ...form };
        const outcome = await world.totpEnrolments.confirm(account, SESSION, id, filled, BY);
        expect(problemOf(outcome)).to.deep.equal(problem);
      });
    }

    it('accepts the code that proved it no second time, and says so', async () => {
      const { secret } = await enrol();
      expect(await totp(codeOf(secret))).to.deep.equal({
        problem: { field: 'code', code: 'code_used' },
      });
      world.pass(30);
      expect(await totp(codeOf(secret))).to.deep.equal({ proof: { method: 'totp' } });
      expect((await world.factors.list(account.id))[0]?.lastUsedAt).to.deep.equal(
        world.clock.now(),
      );
    });

    it('accepts a code of one step before or after, and none older than the last', async () => {
      const { secret } = await enrol();
      world.pass(120);
      expect(await totp(codeOf(secret, -30))).to.have.property('proof');
      expect(await totp(codeOf(secret, 30))).to.have.property('proof');
      expect(problemOf(await totp(codeOf(secret)))).to.include({ code: 'code_used' });
      expect(problemOf(await totp(codeOf(secret, -90)))).to.include({ code: 'code_wrong' });
    });

    it('accepts a code once of twenty tries at once', async () => {
      const { secret } = await enrol();
      world.pass(60);
      const code = codeOf(secret);
      const tries = Array.from({ length: 20 }, () =>
        world.secondFactor.accept(account.id, code, randomUUID()),
      );
      const outcomes = await Promise.all(tries);
      expect(outcomes.filter((outcome) => outcome === 'accepted')).to.have.length(1);
      expect(outcomes.filter((outcome) => outcome === 'used')).to.have.length(19);
    });

    it('works beside another one', async () => {
      const first = await enrol('Phone');
      const second = await enrol('Tablet');
      expect(second.recoveryCodes).to.equal(undefined);
      world.pass(60);
      for (const { secret } of [first, second]) {
        expect(await totp(codeOf(secret))).to.have.property('proof');
      }
    });

    it('has a limit to its number', async () => {
      for (let n = 0; n < FACTORS_MAX; n += 1) await enrol(`Phone ${n}`);
      const { id, secret } = await world.totpEnrolments.begin(account, SESSION);
      const more = await world.totpEnrolments.confirm(
        account,
        SESSION,
        id,
        { code: codeOf(secret), name: 'z' },
        BY,
      );
      expect(problemOf(more)).to.deep.equal({ code: 'too_many_factors' });
    });

    it('is stored sealed', async () => {
      const { secret } = await enrol();
      const stored = await world.database.query('SELECT * FROM totp_factor');
      expect(JSON.stringify(stored, (_, value) => `${value}`)).not.to.include(secret);
      const pending = await world.totpEnrolments.begin(account, SESSION);
      const state = JSON.stringify(
        await world.database.query('SELECT payload FROM protocol_state'),
      );
      expect(state).not.to.include(pending.secret).and.not.include(account.id);
    });
  });

  describe('recovery codes', () => {
    it('are not compared any more after too many guesses, also right ones', async () => {
      const { recoveryCodes = [] } = await enrol();
      const { free } = THROTTLE_POLICIES['account-recovery'];
      for (let tries = 0; tries < free; tries += 1) {
        const outcome = await recovery('00000-00000');
        expect(problemOf(outcome)).to.have.property('code', 'recovery_code_wrong');
      }
      for (const code of ['00000-00000', recoveryCodes[0] ?? '']) {
        expect(problemOf(await recovery(code))).to.have.property('code', 'throttled');
      }
    });

    it('open once each, as people type them, and their owner is told', async () => {
      const { recoveryCodes = [] } = await enrol();
      const [first = '', second = '', third = ''] = recoveryCodes;
      expect(first).to.match(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){5}$/);
      expect(await recovery(first)).to.deep.equal({ proof: { method: 'recovery_code' } });
      expect(problemOf(await recovery(first))).to.include({ code: 'recovery_code_wrong' });
      expect(await recovery(` ${second.toUpperCase().replaceAll('-', ' ')} `)).to.have.property(
        'proof',
      );
      expect(await recovery(third.replaceAll('0', 'O').replaceAll('1', 'l'))).to.have.property(
        'proof',
      );
      expect(await world.recoveryCodes.count(account)).to.deep.equal({ left: 7, total: 10 });
      expect(world.sent.at(-1)).to.include({ to: account.email, kind: 'recovery_code_used' });
    });

    it('are made once when two first factors are added at once', async () => {
      const added = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => enrol(name)));
      const made = added
        .map(({ recoveryCodes }) => recoveryCodes)
        .filter((each) => each !== undefined);
      const [codes = [], ...more] = made;
      expect(more).to.deep.equal([]);
      expect(await world.recoveryCodes.use(account, codes[0] ?? '', randomUUID(), BY)).to.equal(
        true,
      );
    });

    it('open once of twenty tries at once', async () => {
      const { recoveryCodes: [code = ''] = [] } = await enrol();
      const tries = Array.from({ length: 20 }, () =>
        world.recoveryCodes.use(account, code, randomUUID(), BY),
      );
      const outcomes = await Promise.all(tries);
      expect(outcomes.filter(Boolean)).to.have.length(1);
    });

    it('end when new ones are made', async () => {
      const { recoveryCodes: [old = ''] = [] } = await enrol();
      const [fresh = ''] = await world.recoveryCodes.replace(account, BY);
      expect(world.sent.at(-1)).to.include({ kind: 'recovery_codes_replaced' });
      expect(problemOf(await recovery(old))).to.include({ code: 'recovery_code_wrong' });
      expect(await recovery(fresh)).to.have.property('proof');
    });

    it('open no other account, and are not stored', async () => {
      const { recoveryCodes: [code = ''] = [] } = await enrol();
      const other = await world.newAccount();
      expect(await world.recoveryCodes.use(other, code, randomUUID(), BY)).to.equal(false);
      const stored = JSON.stringify(
        await world.database.query('SELECT code_hash FROM recovery_code'),
      );
      expect(stored).not.to.include(code).and.not.include(code.replaceAll('-', ''));
    });

    it('have 120 bits, and those of 60 bits that people saved before still open', async () => {
      await enrol();
      for (const code of newRecoveryCodes()) {
        expect(code).to.match(/^(?:[0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/);
      }
      const before = '7k2m-9qxv-h0tz';
      await world.database.query(
        `UPDATE recovery_code SET code_hash = $2 WHERE ctid =
           (SELECT ctid FROM recovery_code WHERE account_id = $1 LIMIT 1)`,
        [account.id, world.recoveryCodes.hashesOf(account, [before])[0] ?? ''],
      );
      const used = (code: string) => world.recoveryCodes.use(account, code, randomUUID(), BY);
      expect(await used(before)).to.equal(true);
      expect(await used(before)).to.equal(false);
    });

    for (const text of [
      '',
      ' ',
      '-',
      'x',
      '0'.repeat(13),
      "' OR 1=1 --",
      '🦊'.repeat(12),
      'u'.repeat(12),
      '0'.repeat(23),
      '0'.repeat(36),
    ]) {
      it(`are refused when ${JSON.stringify(text)} is typed`, async () => {
        await enrol();
        expect(problemOf(await recovery(text))).to.include({ field: 'recovery_code' });
      });
    }

    it('are read back from whatever groups, cases and look-alikes', () => {
      fc.assert(
        fc.property(fc.infiniteStream(fc.constantFrom('', ' ', '-', '–')), (separators) => {
          const [code = ''] = newRecoveryCodes();
          const typed = [...code.toUpperCase()].map((c) => c + separators.next().value).join('');
          expect(canonicalRecoveryCode(typed)).to.equal(code.replaceAll('-', ''));
        }),
      );
    });
  });

  describe('the list of factors', () => {
    const manage = (mfaPolicy: 'enrolled' | 'required' = 'enrolled') =>
      manageFactors({ ...world.notices, factors: world.factors, mfaPolicy });

    it('names each with its dates, and renames', async () => {
      const { factor } = await enrol('Phone');
      await enrol('Tablet');
      const [first, second] = await manage().list(account);
      expect(first).to.include({ id: factor.id, name: 'Phone', removable: true });
      expect(first).not.to.have.property('lastUsedAt');
      expect(second).to.include({ name: 'Tablet' });
      expect(await manage().rename(account, factor.id, ' Old phone ', BY)).to.deep.equal({});
      expect((await manage().list(account))[0]).to.include({ name: 'Old phone' });
    });

    for (const [given, name, problem] of [
      ['nothing', '\t ', { field: 'name', code: 'name_required' }],
      ['a name that is taken', 'Tablet', { field: 'name', code: 'name_taken' }],
    ] as const) {
      it(`refuses to rename one to ${given}`, async () => {
        const { factor } = await enrol('Phone');
        await enrol('Tablet');
        const outcome = await manage().rename(account, factor.id, name, BY);
        expect(problemOf(outcome)).to.deep.equal(problem);
      });
    }

    it('lets nobody rename or remove another’s', async () => {
      const { factor } = await enrol();
      const other = await world.newAccount();
      const stale = { problem: { code: 'form_stale' } };
      expect(await manage().rename(other, factor.id, 'mine', BY)).to.deep.equal(stale);
      expect(await manage().remove(other, factor.id, BY)).to.deep.equal(stale);
      expect(await world.factors.list(account.id)).to.have.length(1);
    });

    it('removes one, tells its owner, and with the last one the recovery codes', async () => {
      const { factor, recoveryCodes: [code = ''] = [] } = await enrol();
      expect(await manage().remove(account, factor.id, BY)).to.deep.equal({});
      expect(world.sent.at(-1)).to.include({ kind: 'factor_removed', name: 'Phone' });
      expect(await world.recoveryCodes.count(account)).to.deep.equal({ left: 0, total: 0 });
      expect(await world.recoveryCodes.use(account, code, randomUUID(), BY)).to.equal(false);
      expect((await world.reload(account.id)).secondFactor).to.equal(false);
    });

    it('keeps the last one where the policy demands one, also when both go at once', async () => {
      const required = manage('required');
      const ids = [(await enrol('Phone')).factor.id, (await enrol('Tablet')).factor.id];
      expect((await required.list(account)).map(({ removable }) => removable)).to.deep.equal([
        true,
        true,
      ]);
      const outcomes = await Promise.all(ids.map((id) => required.remove(account, id, BY)));
      expect(outcomes.map(problemOf)).to.have.deep.members([undefined, { code: 'last_factor' }]);
      expect(await required.list(account)).to.have.length(1);
      expect((await required.list(account))[0]?.removable).to.equal(false);
      expect((await world.recoveryCodes.count(account)).left).to.equal(10);
    });

    it('asks for what there is, the best first', async () => {
      expect(await world.secondStep.methods(account)).to.deep.equal([]);
      await enrol();
      expect(await world.secondStep.methods(account)).to.deep.equal(['totp', 'recovery_code']);
    });
  });
});

describe('amr (RFC 8176)', () => {
  for (const [proofs, amr] of [
    [[{ method: 'password' }], ['pwd']],
    [
      [{ method: 'password' }, { method: 'totp' }],
      ['pwd', 'otp', 'mfa'],
    ],
    [
      [{ method: 'password' }, { method: 'recovery_code' }],
      ['pwd', 'otp', 'mfa'],
    ],
    [
      [{ method: 'password' }, { method: 'passkey', userVerified: false, synced: false }],
      ['pwd', 'hwk', 'user', 'mfa'],
    ],
    [[{ method: 'passkey', userVerified: true, synced: true }], ['swk', 'user', 'mfa']],
    [[{ method: 'passkey', userVerified: false, synced: true }], ['swk', 'user']],
    [[], []],
  ] as const) {
    it(`of ${JSON.stringify(proofs)} is ${amr.join(' ') || 'empty'}`, () => {
      expect(amrOf(proofs)).to.deep.equal(amr);
    });
  }
});
