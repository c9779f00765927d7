import { generateKeyPairSync } from 'node:crypto';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import type { Account } from '../src/accounts/account.ts';
import { type AccountWorld, BY, ISSUER, openAccountWorld } from './support/account-world.ts';
import { type Changes, softPasskey } from './support/soft-authenticator.ts';

const SESSION = 'session-1';

describeOnDatabase('passkeys', (engine) => {
  let world: AccountWorld;
  let account: Account;
  before(async () => {
    world = await openAccountWorld(engine);
  });
  beforeEach(async () => {
    account = await world.newAccount();
  });
  after(() => world?.close());

  const register = async (name = 'Laptop', synced = true, counter = 0) => {
    const passkey = softPasskey(ISSUER, account.id, synced);
    const options = await world.passkeys.beginCreation(account, SESSION);
    const form = { credential: passkey.create(options, { counter }), name };
    const added = await world.passkeys.finishCreation(account, SESSION, form, BY);
    if ('problem' in added) throw new Error(added.problem.code);
    return { passkey, added };
  };

  describe('adding one', () => {
    it('takes the browser’s credential, brings recovery codes, and tells the owner', async () => {
      const { added, passkey } = await register();
      expect(added.factor).to.include({ kind: 'passkey', name: 'Laptop' });
      expect(added.recoveryCodes).to.have.length(10);
      expect((await world.reload(account.id)).secondFactor).to.equal(true);
      expect(world.sent.at(-1)).to.deep.equal({
        to: account.email,
        kind: 'factor_added',
        name: 'Laptop',
      });
      const options = await world.passkeys.beginCreation(account, SESSION);
      expect(options).to.have.nested.property('excludeCredentials[0].id', passkey.id);
      expect(options).to.have.nested.property('rp.id', 'id.cls.example');
      expect(options).to.have.nested.property('attestation', 'none');
    });

    const refusals: readonly (readonly [string, Changes])[] = [
      ['another origin', { origin: 'https://id.cls.example.evil.example' }],
      ['http', { origin: 'http://id.cls.example' }],
      ['another relying party', { rpId: 'cls.example' }],
      ['a made-up challenge', { challenge: 'A'.repeat(43) }],
      ['the other ceremony’s type', { type: 'webauthn.get' }],
      ['no presence of a person', { userPresent: false }],
      ['two ids', { rawId: 'AAAA' }],
    ];
    for (const [given, changes] of refusals) {
      it(`refuses a credential with ${given}`, async () => {
        const options = await world.passkeys.beginCreation(account, SESSION);
        const credential = softPasskey(ISSUER, account.id).create(options, changes);
        const outcome = await world.passkeys.finishCreation(
          account,
          SESSION,
          { credential, name: 'x' },
          BY,
        );
        expect(outcome).to.deep.equal({ problem: { code: 'passkey_failed' } });
        expect(await world.factors.list(account.id)).to.deep.equal([]);
      });
    }

    it('refuses the answer to a challenge of another session, account or ceremony', async () => {
      const passkey = softPasskey(ISSUER, account.id);
      const other = await world.newAccount();
      const credential = passkey.create(await world.passkeys.beginCreation(account, SESSION));
      const form = { credential, name: 'x' };
      const failed = { problem: { code: 'passkey_failed' } };
      expect(await world.passkeys.finishCreation(account, 'session-2', form, BY)).to.deep.equal(
        failed,
      );
      expect(await world.passkeys.finishCreation(other, SESSION, form, BY)).to.deep.equal(failed);
      const signIn = passkey.create(await world.passkeys.beginSignIn(SESSION));
      expect(
        await world.passkeys.finishCreation(
          account,
          SESSION,
          { credential: signIn, name: 'x' },
          BY,
        ),
      ).to.deep.equal(failed);
      expect(await world.passkeys.finishCreation(account, SESSION, form, BY)).to.have.property(
        'factor',
      );
    });

    it('takes a credential once, in one account', async () => {
      const passkey = softPasskey(ISSUER, account.id);
      const credential = passkey.create(await world.passkeys.beginCreation(account, SESSION));
      const first = await world.passkeys.finishCreation(
        account,
        SESSION,
        { credential, name: 'a' },
        BY,
      );
      expect(first).to.have.property('factor');
      const again = await world.passkeys.finishCreation(
        account,
        SESSION,
        { credential, name: 'b' },
        BY,
      );
      expect(again).to.deep.equal({ problem: { code: 'passkey_failed' } });
      const other = await world.newAccount();
      const stolen = passkey.create(await world.passkeys.beginCreation(other, SESSION));
      const taken = await world.passkeys.finishCreation(
        other,
        SESSION,
        { credential: stolen, name: 'c' },
        BY,
      );
      expect(taken).to.deep.equal({ problem: { code: 'passkey_exists' } });
    });

    it('asks for a name before it uses the challenge up', async () => {
      const passkey = softPasskey(ISSUER, account.id);
      const credential = passkey.create(await world.passkeys.beginCreation(account, SESSION));
      const unnamed = await world.passkeys.finishCreation(
        account,
        SESSION,
        { credential, name: ' ' },
        BY,
      );
      expect(unnamed).to.deep.equal({ problem: { field: 'name', code: 'name_required' } });
      const named = await world.passkeys.finishCreation(
        account,
        SESSION,
        { credential, name: 'x' },
        BY,
      );
      expect(named).to.have.property('factor');
    });
  });

  describe('as the only step', () => {
    const signIn = async (passkey: ReturnType<typeof softPasskey>, changes: Changes = {}) => {
      const options = await world.passkeys.beginSignIn(SESSION);
      return world.passkeys.finishSignIn(SESSION, passkey.get(options, changes));
    };

    it('asks for any passkey and for verification, and names the person', async () => {
      const { passkey } = await register();
      const options = await world.passkeys.beginSignIn(SESSION);
      expect(options).to.include({ userVerification: 'required' });
      expect((options as { allowCredentials?: unknown[] }).allowCredentials ?? []).to.deep.equal(
        [],
      );
      const outcome = await world.passkeys.finishSignIn(SESSION, passkey.get(options));
      expect(outcome?.account.id).to.equal(account.id);
      expect(outcome?.proof).to.deep.equal({ method: 'passkey', userVerified: true, synced: true });
      expect((await world.factors.list(account.id))[0]).to.have.property('lastUsedAt');
    });

    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const refusals: readonly (readonly [string, Changes])[] = [
      ['another origin', { origin: 'https://evil.example' }],
      ['another relying party', { rpId: 'evil.example' }],
      ['a made-up challenge', { challenge: 'B'.repeat(43) }],
      ['the other ceremony’s type', { type: 'webauthn.create' }],
      ['a stranger’s signature', { signedBy: stranger }],
      ['no verification of the person', { userVerified: false }],
      ['no presence of a person', { userPresent: false }],
      ['two ids', { rawId: 'AAAA' }],
      ['somebody else’s user handle', { userHandle: `acc_${'0'.repeat(26)}` }],
      ['no user handle', { userHandle: '' }],
    ];
    for (const [given, changes] of refusals) {
      it(`refuses an assertion with ${given}`, async () => {
        const { passkey } = await register();
        expect(await signIn(passkey, changes)).to.equal(undefined);
      });
    }

    for (const [given, credential] of [
      ['nothing', ''],
      ['no JSON', '{'],
      ['null', 'null'],
      ['a list', '[]'],
      ['numbers', '{"id":1,"response":{"clientDataJSON":2}}'],
      ['a challenge that is a list', clientData({ challenge: ['x'] })],
      ['prototype names', clientData({ challenge: '__proto__________________' })],
      ['too much', `"${'x'.repeat(40_000)}"`],
    ] as const) {
      it(`refuses ${given} in place of a credential`, async () => {
        expect(await world.passkeys.finishSignIn(SESSION, credential)).to.equal(undefined);
      });
    }

    it('accepts an assertion once of ten at once, and never in another session', async () => {
      const { passkey } = await register();
      const options = await world.passkeys.beginSignIn(SESSION);
      const credential = passkey.get(options);
      expect(await world.passkeys.finishSignIn('session-2', credential)).to.equal(undefined);
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => world.passkeys.finishSignIn(SESSION, credential)),
      );
      expect(outcomes.filter((outcome) => outcome !== undefined)).to.have.length(1);
    });

    it('refuses an unknown passkey and a disabled account', async () => {
      expect(await signIn(softPasskey(ISSUER, account.id))).to.equal(undefined);
      const { passkey } = await register();
      await world.records.setDisabled(account.id, true);
      expect(await signIn(passkey)).to.equal(undefined);
    });

    it('refuses somebody whom their organisation lets in, or nobody yet: no password', async () => {
      const { passkey } = await register();
      await world.database.query('UPDATE account SET password_hash = NULL WHERE id = $1', [
        account.id,
      ]);
      expect(await signIn(passkey)).to.equal(undefined);
    });

    it('refuses an authenticator whose counter does not rise, as that of a clone', async () => {
      const { passkey } = await register('Key', false, 5);
      expect(await signIn(passkey, { counter: 6 })).to.have.nested.property('proof.synced', false);
      expect(await signIn(passkey, { counter: 6 })).to.equal(undefined);
      expect(await signIn(passkey, { counter: 0 })).to.equal(undefined);
      expect(await signIn(passkey, { counter: 7 })).to.have.property('proof');
    });
  });

  describe('as the second step', () => {
    it('asks for the account’s own, and does without verification', async () => {
      const { passkey } = await register();
      const options = await world.passkeys.beginSecondStep(account, SESSION);
      expect(options).to.have.nested.property('allowCredentials[0].id', passkey.id);
      const credential = passkey.get(options, { userVerified: false });
      const answer = { method: 'passkey', credential, binding: SESSION } as const;
      expect(await world.secondStep.prove(account, answer, BY)).to.deep.equal({
        proof: { method: 'passkey', userVerified: false, synced: true },
      });
      expect(await world.secondStep.prove(account, answer, BY)).to.deep.equal({
        problem: { code: 'passkey_failed' },
      });
      expect(await world.secondStep.methods(account)).to.deep.equal(['passkey', 'recovery_code']);
    });

    it('refuses the answer to a challenge of another ceremony', async () => {
      const { passkey } = await register();
      const credential = passkey.get(await world.passkeys.beginCreation(account, SESSION));
      expect(await world.passkeys.finishSecondStep(account, SESSION, credential)).to.equal(
        undefined,
      );
    });

    it('refuses another account’s passkey', async () => {
      const { passkey } = await register();
      const other = await world.newAccount();
      const options = await world.passkeys.beginSecondStep(other, SESSION);
      for (const userHandle of [other.id, account.id]) {
        const credential = passkey.get(options, { userHandle });
        const outcome = await world.passkeys.finishSecondStep(other, SESSION, credential);
        expect(outcome).to.equal(undefined);
      }
    });
  });
});

function clientData(content: object): string {
  const clientDataJSON = Buffer.from(JSON.stringify(content)).toString('base64url');
  return JSON.stringify({ id: 'x', response: { clientDataJSON } });
}
