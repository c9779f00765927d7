import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { administerAccounts } from '../src/account-management/administer.ts';
import { changePassword } from '../src/account-management/change-password.ts';
import { INVITATION_TTL_S, type Invitee } from '../src/account-management/invite.ts';
import { RESET_TTL_S, resetPassword } from '../src/account-management/reset-password.ts';
import type { Account } from '../src/accounts/account.ts';
import { sqlAccountLinks } from '../src/accounts/sql-account-links.ts';
import { providerAdapter } from '../src/library/provider-adapter.ts';
import { beginProgress, provenIn } from '../src/oauth/authorize/progress.ts';
import { linkedAccount } from '../src/organisations/linked-account.ts';
import { sqlUpstreamLinks, sqlUpstreamProviders } from '../src/organisations/sql-upstream.ts';
import {
  type AccountWorld,
  BY,
  ISSUER,
  openAccountWorld,
  PASSWORD,
} from './support/account-world.ts';
import { applicationRecords } from './support/client-records.ts';
import { softPasskey } from './support/soft-authenticator.ts';

const NEXT = 'seven lakes behind the glacier';

describeOnDatabase('the life of an account', (engine) => {
  let world: AccountWorld;
  let account: Account;
  before(async () => {
    world = await openAccountWorld(engine);
  });
  beforeEach(async () => {
    account = await world.newAccount();
    world.pass(86_400);
    world.sent.length = 0;
    world.events.length = 0;
  });
  after(() => world?.close());

  const opens = async (password: string, email = account.email) =>
    (await world.accounts.authenticate(email, password)) !== undefined;
  const linkTo = (who: Account) =>
    sqlAccountLinks(world.database, world.clock).create(who.id, 'password_reset', RESET_TTL_S);
  let n = 0;
  const signedIn = async (who = account) => {
    n += 1;
    const [session, token] = [`session-${n}`, `token-${n}`];
    const accountId = who.id;
    await providerAdapter(world.state, 'Session').upsert(
      session,
      { accountId, uid: `u-${n}` },
      600,
    );
    await providerAdapter(world.state, 'RefreshToken').upsert(token, { accountId }, 600);
    return {
      session,
      alive: async () => [
        (await providerAdapter(world.state, 'Session').find(session)) !== undefined,
        (await providerAdapter(world.state, 'RefreshToken').find(token)) !== undefined,
      ],
    };
  };
  /** As a store that does not answer: nothing can be ended. */
  const whileStateFails = async (work: () => Promise<void>) => {
    await world.database.query(
      'ALTER TABLE ended_account ADD CONSTRAINT "full" CHECK (false) NOT VALID',
    );
    try {
      await work();
    } finally {
      await world.database.query('ALTER TABLE ended_account DROP CONSTRAINT "full"');
    }
  };
  const expectFailure = async (done: Promise<unknown>) => {
    const outcome = await done.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(outcome).to.be.instanceOf(Error);
  };
  const kinds = () => world.sent.map(({ kind }) => kind);
  const types = () => world.events.map(({ type }) => type);

  describe('changing the password', () => {
    const change = (password: string, newPassword: string, session = 'none') =>
      world.changePassword(account, { password, newPassword }, { jti: session, uid: '' }, BY);

    it('ends every other session and token, and tells the owner', async () => {
      const [here, elsewhere] = [await signedIn(), await signedIn()];
      expect(await change(PASSWORD, NEXT, here.session)).to.equal(undefined);
      expect([await opens(NEXT), await opens(PASSWORD)]).to.deep.equal([true, false]);
      expect(await here.alive()).to.deep.equal([true, false]);
      expect(await elsewhere.alive()).to.deep.equal([false, false]);
      expect(world.sent).to.deep.equal([{ to: account.email, kind: 'password_changed', name: '' }]);
      expect(types()).to.deep.equal(['account.password_changed']);
      const setAt = await world.records.passwordSetAt(account.id);
      expect(setAt).to.be.instanceOf(Date);
    });

    for (const [given, password, next, problem] of [
      ['no present password', '', NEXT, { field: 'password', code: 'password_required' }],
      ['a wrong one', 'wrong', NEXT, { field: 'password', code: 'current_password_wrong' }],
      ['the same again', PASSWORD, PASSWORD, { field: 'new_password', code: 'password_same' }],
      ['no new one', PASSWORD, '', { field: 'new_password', code: 'password_required' }],
      [
        'a short one',
        PASSWORD,
        'short',
        { field: 'new_password', code: 'password_short', lengthMin: 15 },
      ],
      [
        'a common one',
        PASSWORD,
        'passwordpassword',
        { field: 'new_password', code: 'password_common' },
      ],
      [
        'a megabyte',
        PASSWORD,
        'x y '.repeat(2 ** 18),
        { field: 'new_password', code: 'password_long' },
      ],
    ] as const) {
      it(`is refused with ${given}, and changes nothing`, async () => {
        const { alive } = await signedIn();
        expect(await change(password, next)).to.deep.equal(problem);
        expect(await opens(PASSWORD)).to.equal(true);
        expect(await alive()).to.deep.equal([true, true]);
        expect(kinds()).to.deep.equal([]);
      });
    }

    it('changes nothing when the sessions cannot be ended, so that it can be done again', async () => {
      const elsewhere = await signedIn();
      await whileStateFails(async () => {
        await expectFailure(change(PASSWORD, NEXT));
        expect([await opens(PASSWORD), await opens(NEXT)]).to.deep.equal([true, false]);
      });
      expect(await change(PASSWORD, NEXT)).to.equal(undefined);
      expect(await elsewhere.alive()).to.deep.equal([false, false]);
    });

    it('leaves nothing proven in a sign-in where the one before it was compared', async () => {
      const proven = { amr: ['pwd'], rememberDevice: false };
      await world.records.replacePassword(account.id, await world.passwords.hash(NEXT));
      await beginProgress(world, 'sign-in', account, proven);
      expect(await provenIn(world, 'sign-in')).to.equal(undefined);
      await beginProgress(world, 'sign-in', await world.reload(account.id), proven);
      expect(await provenIn(world, 'sign-in')).to.have.nested.property('account.id', account.id);
    });

    it('ends a link for a new password that somebody asked for before', async () => {
      await world.resetPassword.request(account.email, { ...BY, address: '192.0.2.78' });
      await world.settle();
      const token = world.sent.at(-1)?.token ?? '';
      expect(await world.resetPassword.find(token)).not.to.equal(undefined);
      await change(PASSWORD, NEXT);
      const late = await world.resetPassword.finish(token, `${NEXT} two`, BY);
      expect(late).to.deep.equal({ expired: true });
      expect(await opens(NEXT)).to.equal(true);
    });

    it('never undoes a reset at the same time: one of the two says that it was done', async () => {
      const changed = `${NEXT} changed`;
      for (let round = 0; round < 3; round += 1) {
        const who = await world.newAccount();
        const { token } = await linkTo(who);
        const [problem, reset] = await Promise.all([
          world.changePassword(
            who,
            { password: PASSWORD, newPassword: changed },
            { jti: 'none', uid: '' },
            BY,
          ),
          world.resetPassword.finish(token, NEXT, BY),
        ]);
        const done = [problem === undefined, !('expired' in reset)];
        const opened = [await opens(changed, who.email), await opens(NEXT, who.email)];
        expect(opened).to.deep.equal(done);
        expect(done.filter(Boolean)).to.have.length(1);
      }
    });

    it('waits for a reset, and a reset for it, without a deadlock', async () => {
      const links = sqlAccountLinks(world.database, world.clock);
      for (let round = 0; round < 40; round += 1) {
        const { token } = await linkTo(account);
        const hash = `hash ${round}`;
        await Promise.all([
          links.useForPassword('password_reset', token, hash),
          world.records.replacePassword(account.id, hash),
        ]);
        expect(await links.find('password_reset', token)).to.equal(undefined);
      }
    });

    it('refuses a password that is the person’s own address', async () => {
      expect(await change(PASSWORD, `${account.email}`)).to.deep.equal({
        field: 'new_password',
        code: 'password_personal',
      });
    });

    it('counts wrong guesses at the present password, and waits', async () => {
      for (let tries = 0; tries < 12; tries += 1) await change('wrong', NEXT);
      expect(await change(PASSWORD, NEXT)).to.have.property('code', 'throttled');
    });
  });

  describe('a forgotten password', () => {
    const request = async (email: string, actor = BY) => {
      const outcome = await world.resetPassword.request(email, actor);
      await world.settle();
      return outcome;
    };
    const tokenOf = async () => {
      n += 1;
      await request(account.email, { ...BY, address: `198.51.100.${n % 250}` });
      return world.sent.findLast(({ kind }) => kind === 'password_reset')?.token ?? '';
    };

    it('brings a link that sets a new one once, ends all sessions, and signs nobody in', async () => {
      const { alive } = await signedIn();
      const token = await tokenOf();
      expect(Buffer.from(token, 'base64url')).to.have.length(32);
      expect((await world.resetPassword.find(token))?.id).to.equal(account.id);
      const outcome = await world.resetPassword.finish(token, NEXT, BY);
      expect(outcome).to.have.nested.property('account.id', account.id);
      expect([await opens(NEXT), await opens(PASSWORD)]).to.deep.equal([true, false]);
      expect(await alive()).to.deep.equal([false, false]);
      expect(kinds()).to.deep.equal(['password_reset', 'password_changed']);
      expect(await world.resetPassword.finish(token, `${NEXT}!`, BY)).to.deep.equal({
        expired: true,
      });
      expect(await world.resetPassword.find(token)).to.equal(undefined);
    });

    it('changes nothing when the sessions cannot be ended, so that it can be done again', async () => {
      const { alive } = await signedIn();
      const { token } = await linkTo(account);
      await whileStateFails(async () => {
        await expectFailure(world.resetPassword.finish(token, NEXT, BY));
        expect([await opens(PASSWORD), await opens(NEXT)]).to.deep.equal([true, false]);
      });
      expect(await world.resetPassword.finish(token, NEXT, BY)).to.have.property('account');
      expect(await alive()).to.deep.equal([false, false]);
    });

    it('leaves the second factor as it is', async () => {
      await world.secondFactor.enrol(account.id, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP');
      await world.resetPassword.finish(await tokenOf(), NEXT, BY);
      const after = await world.accounts.authenticate(account.email, NEXT);
      expect(after?.secondFactor).to.equal(true);
      expect(await world.secondStep.methods(account)).to.deep.equal(['totp']);
    });

    it('answers the same for an unknown, disabled or invited address, and writes nothing', async () => {
      const disabled = await world.newAccount();
      await world.records.setDisabled(disabled.id, true);
      const customer = 'india';
      const email = `invited-${n}@india.example`;
      await world.records.create({ email, customer, permissions: ['cls-deal.view'] });
      for (const address of ['nobody@india.example', disabled.email, email]) {
        expect(await request(address)).to.equal(undefined);
      }
      expect(kinds()).to.deep.equal([]);
      expect(await world.database.query('SELECT FROM account_link')).to.deep.equal([]);
    });

    for (const [email, code] of [
      [' ', 'email_required'],
      ['somebody', 'email_invalid'],
      ['a@b@c', 'email_invalid'],
      [`${'x'.repeat(300)}@example.com`, 'email_invalid'],
    ] as const) {
      it(`comes back with ${code} for ${JSON.stringify(email.slice(0, 20))}`, async () => {
        expect(await request(email)).to.deep.equal({ field: 'email', code });
      });
    }

    it('sends a few messages an hour to one address, real or not, and then waits', async () => {
      for (const email of [account.email, 'never-seen@india.example']) {
        for (let tries = 0; tries < 3; tries += 1) expect(await request(email)).to.equal(undefined);
        expect(await request(email.toUpperCase())).to.have.property('code', 'throttled');
        world.pass(3_700);
        expect(await request(email)).to.equal(undefined);
      }
    });

    it('lets only the newest link work, and none after half an hour', async () => {
      const old = await tokenOf();
      const fresh = await tokenOf();
      expect(await world.resetPassword.find(old)).to.equal(undefined);
      expect(await world.resetPassword.finish(old, NEXT, BY)).to.deep.equal({ expired: true });
      world.pass(RESET_TTL_S + 1);
      expect(await world.resetPassword.finish(fresh, NEXT, BY)).to.deep.equal({ expired: true });
    });

    it('lets one of ten uses at once win', async () => {
      const token = await tokenOf();
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, i) => world.resetPassword.finish(token, `${NEXT} ${i}`, BY)),
      );
      expect(outcomes.filter((outcome) => !('expired' in outcome))).to.have.length(1);
    });

    it('keeps the link good when the new password is refused', async () => {
      const token = await tokenOf();
      expect(await world.resetPassword.finish(token, 'short', BY)).to.have.nested.property(
        'problem.code',
        'password_short',
      );
      expect(await world.resetPassword.finish(token, NEXT, BY)).not.to.have.property('problem');
    });

    it('takes no invitation, no other text and no disabled account', async () => {
      const token = await tokenOf();
      for (const wrong of [
        '',
        'x',
        `${token}x`,
        token.slice(1),
        token.toUpperCase(),
        "' OR ''='",
      ]) {
        expect(await world.resetPassword.finish(wrong, NEXT, BY)).to.deep.equal({ expired: true });
      }
      expect(await world.acceptInvitation.accept(token, NEXT, BY)).to.deep.equal({ expired: true });
      await world.records.setDisabled(account.id, true);
      expect(await world.resetPassword.finish(token, NEXT, BY)).to.deep.equal({ expired: true });
    });

    it('lifts the block that wrong guesses brought', async () => {
      const blocked = { kind: 'account-password', id: account.email } as const;
      for (let tries = 0; tries < 20; tries += 1) await world.throttle.admit([blocked]);
      expect((await world.throttle.admit([blocked])).admitted).to.equal(false);
      await world.resetPassword.finish(await tokenOf(), NEXT, BY);
      expect((await world.throttle.admit([blocked])).admitted).to.equal(true);
    });

    it('stores no token', async () => {
      const token = await tokenOf();
      const stored = await world.database.query('SELECT * FROM account_link');
      expect(JSON.stringify(stored)).not.to.include(token);
      expect(JSON.stringify(world.events)).not.to.include(token);
    });
  });

  describe('an invitation', () => {
    const invitee = (email = '') => {
      n += 1;
      const permissions = ['cls-deal.view'] as const;
      return { email: email || `new-${n}@india.example`, customer: 'india', permissions };
    };
    const invited = async (person = invitee()) => {
      const outcome = await world.invite(person, BY);
      if ('refused' in outcome) throw new Error(outcome.refused);
      return { ...outcome, token: world.sent.at(-1)?.token ?? '' };
    };

    it('makes an account that nobody can enter until its owner chose a password', async () => {
      const {
        account: made,
        token,
        expiresAt,
      } = await invited(invitee(' New.Person@India.example '));
      expect(made.email).to.equal('new.person@india.example');
      expect(await opens('', made.email)).to.equal(false);
      const open = await world.acceptInvitation.find(token);
      expect(open).to.deep.include({ organisation: 'India', expiresAt });
      const accepted = await world.acceptInvitation.accept(token, NEXT, BY);
      expect(accepted).to.have.nested.property('account.id', made.id);
      expect(await opens(NEXT, made.email)).to.equal(true);
      expect(types()).to.deep.equal(['account.created', 'account.invited', 'account.password_set']);
      expect(kinds()).to.deep.equal(['invitation']);
      expect(await world.acceptInvitation.accept(token, `${NEXT}!`, BY)).to.deep.equal({
        expired: true,
      });
    });

    it('lifts the block that guesses brought before there was a password', async () => {
      const { account: made, token } = await invited();
      const blocked = { kind: 'account-password', id: made.email } as const;
      for (let tries = 0; tries < 20; tries += 1) await world.throttle.admit([blocked]);
      await world.acceptInvitation.accept(token, NEXT, BY);
      expect((await world.throttle.admit([blocked])).admitted).to.equal(true);
    });

    it('is sent anew while it is open, and the older link ends', async () => {
      const person = invitee();
      const first = await invited(person);
      const second = await invited(person);
      expect(second.account.id).to.equal(first.account.id);
      expect(await world.acceptInvitation.find(first.token)).to.equal(undefined);
      expect(await world.acceptInvitation.find(second.token)).not.to.equal(undefined);
    });

    it('ends after seven days', async () => {
      const { token } = await invited();
      world.pass(INVITATION_TTL_S + 1);
      expect(await world.acceptInvitation.accept(token, NEXT, BY)).to.deep.equal({ expired: true });
    });

    for (const [given, change, refused] of [
      ['no e-mail address', { email: 'somebody' }, 'email_invalid'],
      ['an unknown customer', { customer: 'nobody' }, 'unknown_customer'],
    ] as const) {
      it(`is refused for ${given}`, async () => {
        expect(await world.invite({ ...invitee(), ...change }, BY)).to.deep.equal({ refused });
        expect(kinds()).to.deep.equal([]);
      });
    }

    it('is refused for somebody who has an account, or was invited to something else', async () => {
      const exists = { refused: 'account_exists' };
      expect(await world.invite(invitee(account.email.toUpperCase()), BY)).to.deep.equal(exists);
      const person = invitee();
      await invited(person);
      const more = { ...person, permissions: ['external-api.fullcontrol'] as const };
      expect(await world.invite(more, BY)).to.deep.equal(exists);
    });

    it('is refused for somebody who only looked invited, and was disabled since', async () => {
      const person = invitee();
      const id = await world.records.createElsewhere(person);
      await world.records.setDisabled(id, true);
      const again = () => world.invite(person, BY, { discreet: true });
      expect(await again()).to.deep.equal({ refused: 'account_exists' });
      expect(kinds()).to.deep.equal([]);
      await world.records.setDisabled(id, false);
      expect(await again())
        .to.have.property('account')
        .that.includes({ id, disabled: false });
    });
  });

  describe('an organisation’s own provider that lets the person in', () => {
    const issuer = 'https://login.example';
    const domain = 'india.example';
    const expired = { expired: true };
    let person: Invitee;
    beforeEach(async () => {
      await add();
      n += 1;
      person = { email: `new-${n}@${domain}`, customer: 'india', permissions: ['cls-deal.view'] };
    });
    afterEach(() => providers().remove(domain));
    const providers = () =>
      sqlUpstreamProviders(world.database, aesGcmSealer(new Secret('A'.repeat(43))));
    const add = (customer = 'india') =>
      providers().add({
        ...{ domain, customer, issuer, clientId: 'cls', clientSecret: new Secret('secret') },
        ...{ emailClaim: 'email', emailVerifiedClaim: 'email_verified' },
      });
    const invited = async () => {
      const outcome = await world.invite(person, BY);
      if ('refused' in outcome) throw new Error(outcome.refused);
      return { who: outcome.account, token: world.sent.at(-1)?.token ?? '' };
    };
    const links = () => sqlAccountLinks(world.database, world.clock);
    const link = (who: Account, subject = who.id) =>
      sqlUpstreamLinks(world.database).link(issuer, subject, who.id);

    it('is where an invitation leads, and to no password, until it is removed', async () => {
      await providers().remove(domain);
      const { token: older } = await invited();
      await add();
      const outcome = await world.invite(person, BY);
      expect(outcome).to.have.keys('account');
      const { email: to } = person;
      const kind = 'organisation_invitation';
      expect(world.sent.at(-1)).to.deep.equal({ to, kind, name: 'India' });
      expect(await world.acceptInvitation.accept(older, NEXT, BY)).to.deep.equal(expired);
      await providers().remove(domain);
      const { token } = await invited();
      const accepted = await world.acceptInvitation.accept(token, NEXT, BY);
      expect(accepted).to.have.nested.property('account.email', to);
    });

    it('is not gone round by another invitation, by an older one, or by a reset', async () => {
      await providers().remove(domain);
      const { who, token } = await invited();
      await add();
      const reset = await linkTo(who);
      await link(who);
      expect(await world.acceptInvitation.accept(token, NEXT, BY)).to.deep.equal(expired);
      expect(await world.resetPassword.finish(reset.token, NEXT, BY)).to.deep.equal(expired);
      expect(await world.invite(person, BY)).to.deep.equal({ refused: 'account_exists' });
      // Made in the very moment of the link.
      const late = await links().create(who.id, 'invitation', INVITATION_TTL_S);
      expect(await world.acceptInvitation.accept(late.token, NEXT, BY)).to.deep.equal(expired);
      const lateReset = await linkTo(who);
      expect(await world.resetPassword.finish(lateReset.token, NEXT, BY)).to.deep.equal(expired);
      expect(await opens(NEXT, who.email)).to.equal(false);
    });

    it('leaves whoever it let in to be invited once it is removed, to a password and a passkey', async () => {
      const { who } = await invited();
      await link(who);
      const passkey = await addPasskey(who);
      const pending = async () => (await world.reload(who.id)).pending;
      expect([who.pending, await pending()]).to.deep.equal([true, false]);
      await providers().remove(domain);
      expect(await pending()).to.equal(true);
      expect(await signInWith(passkey), 'nobody lets the person in yet').to.equal(undefined);
      const { who: same, token } = await invited();
      expect(same.id).to.equal(who.id);
      const accepted = await world.acceptInvitation.accept(token, NEXT, BY);
      expect(accepted).to.have.nested.property('account.id', who.id);
      expect(await opens(NEXT, who.email)).to.equal(true);
      expect(await signInWith(passkey)).to.have.nested.property('account.id', who.id);
    });

    it('decides again who enters when it is added again: it links anew, and takes the password', async () => {
      const { who } = await invited();
      await link(who);
      await providers().remove(domain);
      const { token } = await invited();
      await world.acceptInvitation.accept(token, NEXT, BY);
      await add();
      expect(await sqlUpstreamLinks(world.database).accountOf(issuer, who.id)).to.equal(undefined);
      expect(await link(who)).to.equal(true);
      expect(await opens(NEXT, who.email)).to.equal(false);
    });

    it('links anew, and takes the password, also after an operator has set one', async () => {
      const { who } = await invited();
      await link(who);
      await providers().remove(domain);
      await world.records.replacePassword(who.id, await world.passwords.hash(NEXT));
      expect(await opens(NEXT, who.email)).to.equal(true);
      await add();
      expect(await sqlUpstreamLinks(world.database).accountOf(issuer, who.id)).to.equal(undefined);
      expect(await link(who)).to.equal(true);
      expect(await opens(NEXT, who.email)).to.equal(false);
    });

    it('counts for its own customer alone', async () => {
      const { who } = await invited();
      await link(who);
      await providers().remove(domain);
      await world.customers.create(`other-${n}`, 'Other', false);
      await add(`other-${n}`);
      const { who: same, token } = await invited();
      expect(same.id).to.equal(who.id);
      expect(token, 'a password is asked for').to.have.length(43);
    });

    const addPasskey = async (who: Account) => {
      const passkey = softPasskey(ISSUER, who.id);
      const credential = passkey.create(await world.passkeys.beginCreation(who, 'session'));
      await world.passkeys.finishCreation(who, 'session', { credential, name: 'Laptop' }, BY);
      return passkey;
    };
    const signInWith = async (passkey: ReturnType<typeof softPasskey>) => {
      const credential = passkey.get(await world.passkeys.beginSignIn('session'));
      return world.passkeys.finishSignIn('session', credential);
    };
  });

  describe('somebody who signs in while access is being taken away', () => {
    let opened: Awaited<ReturnType<typeof signedIn>>[];
    beforeEach(() => {
      opened = [];
    });
    /** Does the same, and somebody has signed in each time that it has done something. */
    const withSignIns = <Port extends object>(port: Port): Port =>
      new Proxy(port, {
        get: (target, name) => {
          const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
          return async (...given: unknown[]) => {
            const done = await method(...given);
            opened.push(await signedIn());
            return done;
          };
        },
      });
    const links = () => sqlAccountLinks(world.database, world.clock);
    const common = () => ({ ...world, ...world.notices });
    for (const [what, take] of [
      [
        'by a new password',
        () => {
          const change = changePassword({ ...common(), records: withSignIns(world.records) });
          const form = { password: PASSWORD, newPassword: NEXT };
          return change(account, form, { jti: 'none', uid: '' }, BY);
        },
      ],
      [
        'by a link for a new password',
        async () => {
          const { token } = await linkTo(account);
          const backgroundTasks = { run: () => undefined, settle: async () => undefined };
          const reset = resetPassword({
            ...common(),
            backgroundTasks,
            links: withSignIns(links()),
          });
          return reset.finish(token, NEXT, BY);
        },
      ],
      [
        'by permissions that go',
        () => {
          const records = withSignIns(world.records);
          const administer = administerAccounts({ ...common(), links: links(), records });
          const other = ['external-api.fullcontrol'] as const;
          return administer.setPermissions(account, other, other, BY);
        },
      ],
      [
        'by the link to an organisation’s own provider',
        () => {
          const upstreamLinks = withSignIns(sqlUpstreamLinks(world.database));
          const provider = {
            ...{ domain: 'india.example', customer: 'india', issuer: 'https://login.example' },
            ...{ clientId: 'cls', clientSecret: new Secret('secret') },
            ...{ emailClaim: 'email', emailVerifiedClaim: 'email_verified' },
          };
          const claims = { email: account.email, email_verified: true };
          const identity = { subject: account.id, claims };
          const arrival = { identity, isNew: true, state: account.id };
          return linkedAccount({ ...common(), upstreamLinks }, provider, 'India', arrival, BY);
        },
      ],
    ] as const) {
      it(`is signed out as well: ${what}`, async () => {
        await take();
        expect(opened).not.to.have.length(0);
        for (const { alive } of opened) expect(await alive()).to.deep.equal([false, false]);
      });
    }
  });

  it('tells of an application each time that it gets more, and no time that it gets the same', async () => {
    const name = 'Other Firm';
    const { id } = await applicationRecords(world.database).create({
      ...{ name, firstParty: false, confidential: false, device: true, redirectUris: [] },
      ...{ postLogoutRedirectUris: [], backchannelLogoutUri: null },
    });
    const allow = (...scopes: string[]) => world.accountApplications.allow(account, id, scopes, BY);
    const message = { to: account.email, kind: 'application_allowed', name };
    await allow('openid', 'email');
    await allow('email', 'openid');
    await allow('openid');
    expect(world.sent).to.deep.equal([message]);
    await allow('openid', 'offline_access');
    expect(world.sent).to.deep.equal([message, message]);
    expect(types()).to.deep.equal(['account.access_allowed', 'account.access_allowed']);
  });

  describe('an administrator', () => {
    it('disables: sessions, tokens and links end at once, and the owner is told', async () => {
      const { alive } = await signedIn();
      await world.resetPassword.request(account.email, { ...BY, address: '192.0.2.77' });
      await world.settle();
      const token = world.sent.at(-1)?.token ?? '';
      await world.administer.disable(account, {});
      expect(await alive()).to.deep.equal([false, false]);
      expect(await opens(PASSWORD)).to.equal(false);
      await world.administer.enable(account, {});
      expect(await opens(PASSWORD)).to.equal(true);
      expect(await alive(), 'nothing comes back').to.deep.equal([false, false]);
      expect(await world.resetPassword.find(token)).to.equal(undefined);
      expect(kinds()).to.deep.equal(['password_reset', 'account_disabled', 'account_enabled']);
    });

    it('enabling brings nothing back, although disabling failed half-way', async () => {
      const { alive } = await signedIn();
      await world.records.setDisabled(account.id, true); // And then the store did not answer.
      expect(await alive()).to.deep.equal([true, true]);
      await world.administer.enable(account, {});
      expect(await alive()).to.deep.equal([false, false]);
    });

    it('enabling what is not disabled ends nothing, and tells nobody', async () => {
      const { alive } = await signedIn();
      await world.administer.enable(account, {});
      await world.customers.setDisabled('india', true);
      await world.administer.enable(await world.reload(account.id), {});
      await world.customers.setDisabled('india', false);
      expect(await alive()).to.deep.equal([true, true]);
      expect([kinds(), types()]).to.deep.equal([[], []]);
    });

    it('resets factors: all of them, the recovery codes and their blocks', async () => {
      await world.secondFactor.enrol(account.id, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP');
      const [code = ''] = await world.recoveryCodes.replace(account, BY);
      const { alive } = await signedIn();
      const otp = { kind: 'account-otp', id: account.id } as const;
      for (let tries = 0; tries < 20; tries += 1) await world.throttle.admit([otp]);
      await world.administer.resetFactors(account, {});
      expect(await world.secondStep.methods(account)).to.deep.equal([]);
      expect(await world.recoveryCodes.use(account, code, 'sign-in', BY)).to.equal(false);
      expect(await alive()).to.deep.equal([false, false]);
      expect((await world.throttle.admit([otp])).admitted).to.equal(true);
      expect(kinds().at(-1)).to.equal('factors_reset');
    });

    it('takes no permission away while what is signed in cannot be ended, and does both again', async () => {
      const both = ['cls-deal.view', 'external-api.fullcontrol'] as const;
      const [view] = both;
      await world.administer.setPermissions(account, both, both, {});
      const { alive } = await signedIn();
      const narrow = async () =>
        world.administer.setPermissions(await world.reload(account.id), [view], [], {});
      await whileStateFails(async () => {
        await expectFailure(narrow());
        expect((await world.reload(account.id)).permissions).to.deep.equal(both);
      });
      expect(await narrow()).to.equal(true);
      expect(await alive()).to.deep.equal([false, false]);
    });

    it('tells the owner of changed permissions, and not where nothing was changed', async () => {
      const both = ['cls-deal.view', 'external-api.fullcontrol'] as const;
      const [view] = both;
      const set = async (permissions: typeof account.permissions) =>
        world.administer.setPermissions(await world.reload(account.id), permissions, both, {});
      await set([view]);
      expect([kinds(), types()]).to.deep.equal([[], []]);
      await set(both);
      await set([view]);
      expect(kinds()).to.deep.equal(['permissions_changed', 'permissions_changed']);
    });

    it('ends nothing where a change of permissions is refused', async () => {
      const { alive } = await signedIn();
      const refused = ['external-api.fullcontrol'] as const;
      expect(await world.administer.setPermissions(account, refused, [], {})).to.equal(false);
      expect(await alive()).to.deep.equal([true, true]);
    });

    it('ends the sessions of one account and of no other', async () => {
      const other = await world.newAccount();
      const [mine, theirs] = [await signedIn(), await signedIn(other)];
      await world.administer.endSessions(account, {});
      expect(await mine.alive()).to.deep.equal([false, false]);
      expect(await theirs.alive()).to.deep.equal([true, true]);
      expect(world.sent).to.deep.equal([{ to: account.email, kind: 'sessions_ended', name: '' }]);
    });
  });
});
