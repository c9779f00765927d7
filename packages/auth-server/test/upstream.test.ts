import { createServer, type Server } from 'node:http';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { anyEngine, describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { type Account, hasPassword } from '../src/accounts/account.ts';
import { newRsaKey } from '../src/keys/rsa-key.ts';
import { providerAdapter } from '../src/library/provider-adapter.ts';
import { canonicalDomain, domainOfEmail } from '../src/organisations/email-domain.ts';
import { sqlUpstreamProviders } from '../src/organisations/sql-upstream.ts';
import type { UpstreamProvider, UpstreamRecords } from '../src/organisations/upstream-provider.ts';
import {
  type AccountWorld,
  BY,
  ISSUER,
  openAccountWorld,
  PASSWORD,
} from './support/account-world.ts';
import { signWith } from './support/administrator.ts';
import { startTestAuthServer, type TestAuthServer, totpCode } from './support/auth-server.ts';
import { applicationRecords } from './support/client-records.ts';
import { quickHash } from './support/quick-hash.ts';
import { Browser } from './support/relying-party.ts';

const DOMAIN = 'india.example';
const OTHER_DOMAIN = 'other.example';
const INTERACTION = 'interaction-1';
/** The library refuses an identifier that is no text before it is looked at here. */
const REFUSED_BY_CLAIM = ['upstream_identity', 'upstream_failed'];

describeOnDatabase('signing in through an organisation’s own provider', (engine) => {
  let upstream: TestAuthServer;
  let world: AccountWorld;
  let providers: UpstreamRecords;
  let provider: UpstreamProvider;
  before(async () => {
    upstream = await startTestAuthServer(anyEngine);
    const { id, secret } = await applicationRecords(upstream.database).create({
      name: 'CLS',
      firstParty: true,
      confidential: true,
      redirectUris: [DOMAIN, OTHER_DOMAIN].map((domain) => `${ISSUER}/upstream/${domain}`),
      postLogoutRedirectUris: [],
      backchannelLogoutUri: null,
      device: false,
    });
    world = await openAccountWorld(engine);
    await world.customers.create('kenya', 'Kenya', false);
    providers = sqlUpstreamProviders(world.database, aesGcmSealer(new Secret('A'.repeat(43))));
    provider = {
      domain: DOMAIN,
      customer: 'india',
      issuer: upstream.issuer,
      clientId: id,
      clientSecret: secret ?? new Secret(''),
      emailClaim: 'email',
      emailVerifiedClaim: 'email_verified',
    };
  });
  const { now } = Date;
  afterEach(() => {
    Date.now = now;
  });
  beforeEach(async () => {
    await world.database.query('DELETE FROM upstream_link');
    await world.database.query('DELETE FROM upstream_provider');
    await world.database.query('DELETE FROM account');
    await providers.add(provider);
    world.sent.length = 0;
    world.events.length = 0;
  });
  after(async () => {
    await world?.close();
    await upstream?.stop();
  });

  const newAccount = async (email: string, customer = 'india'): Promise<Account> => {
    const passwordHash = await quickHash(PASSWORD);
    const permissions = ['cls-deal.view'] as const;
    return world.reload(await world.records.create({ email, customer, permissions, passwordHash }));
  };
  const begin = async (email = `somebody@${DOMAIN}`, again = false) => {
    const begun = await world.upstreamSignIn.begin(email, INTERACTION, again);
    if ('problem' in begun) throw new Error(begun.problem.code);
    return begun.href;
  };
  /** What the browser brings back after the person signed in there. */
  const comeBack = async (person: { email: string; totpSecret?: string }, from?: string) => {
    const browser = new Browser();
    const page = await browser.follow(from ?? (await begin()));
    let { url, response } = await browser.submit(page, { email: person.email, password: PASSWORD });
    if (person.totpSecret !== undefined) {
      const code = totpCode(person.totpSecret);
      ({ url, response } = await browser.submit({ url, response }, { code }));
    }
    expect(url.href.startsWith(`${ISSUER}/upstream/`), url.href).to.equal(true);
    return url.searchParams;
  };
  const finish = (query: URLSearchParams, domain = DOMAIN, binding = INTERACTION) =>
    world.upstreamSignIn.finish(domain, query, binding, BY);

  it('asks with PKCE, state and nonce, at a redirect URI of this provider alone', async () => {
    const asked = new URL(await begin(`Asha@${DOMAIN}`)).searchParams;
    expect(Object.fromEntries(asked)).to.include({
      client_id: provider.clientId,
      response_type: 'code',
      redirect_uri: `${ISSUER}/upstream/${DOMAIN}`,
      scope: 'openid email',
      code_challenge_method: 'S256',
      login_hint: `asha@${DOMAIN}`,
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(asked.get(name)).to.match(/^[\w-]{43}$/);
    }
  });

  it('links the account of a proven address, takes its password away and tells its owner', async () => {
    const account = await newAccount(upstream.person.email);
    const outcome = await finish(await comeBack(upstream.person));
    expect(outcome).to.have.nested.property('account.id', account.id);
    expect(outcome).to.have.property('amr').that.deep.equals(['pwd']);
    expect(await world.accounts.authenticate(account.email, PASSWORD)).to.equal(undefined);
    expect(hasPassword(await world.reload(account.id))).to.equal(false);
    expect(world.sent).to.deep.equal([
      { to: account.email, kind: 'organisation_linked', name: 'India' },
    ]);
    expect(world.events.map(({ type }) => type)).to.deep.equal(['account.organisation_linked']);
  });

  it('ends what the password had opened, once, when the account is linked', async () => {
    const account = await newAccount(upstream.person.email);
    const sessions = providerAdapter(world.state, 'Session');
    const open = (id: string) => sessions.upsert(id, { accountId: account.id, uid: id }, 600);
    await open('before');
    await finish(await comeBack(upstream.person));
    expect(await sessions.find('before')).to.equal(undefined);
    await open('after');
    await finish(await comeBack(upstream.person));
    expect(await sessions.find('after')).to.have.property('accountId', account.id);
  });

  it('links nothing while what the password had opened cannot be ended, and does both again', async () => {
    const account = await newAccount(upstream.person.email);
    const sessions = providerAdapter(world.state, 'Session');
    await sessions.upsert('standing', { accountId: account.id, uid: 'standing' }, 600);
    const query = await comeBack(upstream.person);
    await world.database.query(
      'ALTER TABLE ended_account ADD CONSTRAINT "full" CHECK (false) NOT VALID',
    );
    let failure: unknown;
    try {
      await finish(query).catch((error: unknown) => {
        failure = error;
      });
    } finally {
      await world.database.query('ALTER TABLE ended_account DROP CONSTRAINT "full"');
    }
    expect(failure).to.be.instanceOf(Error);
    expect(hasPassword(await world.reload(account.id))).to.equal(true);
    await finish(await comeBack(upstream.person));
    expect(await sessions.find('standing')).to.equal(undefined);
  });

  it('finds the linked account again by its subject, whatever its address is now', async () => {
    const account = await newAccount(upstream.person.email);
    await finish(await comeBack(upstream.person));
    await world.database.query('UPDATE account SET email = $2 WHERE id = $1', [
      account.id,
      `renamed@${DOMAIN}`,
    ]);
    const again = await finish(await comeBack(upstream.person));
    expect(again).to.have.nested.property('account.id', account.id);
    expect(world.sent, 'told once').to.have.length(1);
  });

  it('says when the provider has proven the person: long ago is not fresh', async () => {
    await newAccount(upstream.person.email);
    const nowS = Math.floor(now() / 1000);
    const fresh = await finish(await comeBack(upstream.person));
    expect(fresh)
      .to.have.property('provenAtS')
      .that.is.within(nowS, nowS + 30);
    const browser = new Browser();
    Date.now = () => now() - 1_800_000;
    const page = await browser.follow(await begin());
    const { email } = upstream.person;
    await browser.submit(page, { email, password: PASSWORD });
    Date.now = now;
    const { url } = await browser.follow(await begin());
    const old = await finish(url.searchParams);
    expect(old)
      .to.have.property('provenAtS')
      .that.is.within(nowS - 600, nowS - 570);
  });

  it('says when the provider has proven a second factor', async () => {
    await newAccount(upstream.guarded.email);
    const outcome = await finish(await comeBack(upstream.guarded));
    expect(outcome).to.have.property('amr').that.includes.members(['pwd', 'otp', 'mfa']);
  });

  it('asks somebody who is signed in there to prove it anew, and takes no older proof', async () => {
    const account = await newAccount(upstream.person.email);
    const browser = new Browser();
    const page = await browser.follow(await begin());
    const { email } = upstream.person;
    const { url } = await browser.submit(page, { email, password: PASSWORD });
    expect(await finish(url.searchParams)).to.have.nested.property('account.id', account.id);
    const again = await browser.follow(await begin(undefined, true));
    expect(await again.response.clone().text()).to.include('name="password"');
    const anew = await browser.submit(again, { email, password: PASSWORD });
    expect(await finish(anew.url.searchParams)).to.have.nested.property('account.id', account.id);
    // A provider that asks for nothing: the answer is as good as ever, and older than the question.
    Date.now = () => now() + 3_600_000;
    const late = new URL(await begin(undefined, true));
    Date.now = now;
    late.searchParams.delete('prompt');
    late.searchParams.delete('max_age');
    const silent = await browser.follow(late);
    expect(await finish(silent.url.searchParams)).to.deep.equal({
      refused: 'upstream_failed',
      reason: 'upstream_proof_not_new',
    });
  });

  it('makes no account', async () => {
    const outcome = await finish(await comeBack(upstream.person));
    expect(outcome).to.deep.equal({
      refused: 'account_unusable',
      reason: 'upstream_account_unknown',
    });
    expect(await world.records.list()).to.deep.equal([]);
  });

  for (const [given, prepare, reason] of [
    [
      'an account of another customer',
      () => newAccount('person@india.example', 'kenya'),
      'upstream_account_unknown',
    ],
    [
      'a disabled account',
      async () => {
        const { id } = await newAccount('person@india.example');
        await world.records.setDisabled(id, true);
      },
      'upstream_account_unknown',
    ],
    [
      'an account that is linked to somebody else there',
      async () => {
        const { id } = await newAccount('person@india.example');
        await world.database.query('INSERT INTO upstream_link VALUES ($1, $2, $3)', [
          provider.issuer,
          'another-subject',
          id,
        ]);
      },
      'upstream_account_linked_to_another',
    ],
    [
      'an address that the provider has not proven',
      async () => {
        await newAccount('person@india.example');
        await providers.remove(DOMAIN);
        await providers.add({ ...provider, emailVerifiedClaim: 'checked_by_hand' });
      },
      'upstream_email_unproven',
    ],
  ] as const) {
    it(`refuses ${given}, and leaves its password and its sessions`, async () => {
      await prepare();
      const sessions = providerAdapter(world.state, 'Session');
      const [account] = await world.database.query<{ id: string }>('SELECT id FROM account');
      await sessions.upsert('open', { accountId: account?.id, uid: 'open' }, 600);
      const outcome = await finish(await comeBack(upstream.person));
      expect(outcome).to.deep.equal({ refused: 'account_unusable', reason });
      const [row] = await world.database.query<{ has: boolean }>(
        'SELECT password_hash IS NOT NULL AS has FROM account',
      );
      expect(row?.has).to.equal(true);
      expect(await sessions.find('open')).to.include({ accountId: account?.id });
      expect(world.sent).to.deep.equal([]);
    });
  }

  it('refuses a linked account once it is disabled or of another customer', async () => {
    const { id } = await newAccount(upstream.person.email);
    await finish(await comeBack(upstream.person));
    const disabled = { refused: 'account_unusable', reason: 'upstream_account_disabled' };
    await world.records.setDisabled(id, true);
    expect(await finish(await comeBack(upstream.person))).to.deep.equal(disabled);
    await world.records.setDisabled(id, false);
    await world.database.query(`UPDATE account SET customer_id = 'kenya' WHERE id = $1`, [id]);
    expect(await finish(await comeBack(upstream.person))).to.deep.equal(disabled);
  });

  it('lets a provider name nobody of another domain, even at its own customer', async () => {
    await newAccount(upstream.person.email);
    await providers.add({ ...provider, domain: OTHER_DOMAIN });
    const query = await comeBack(upstream.person, await begin(`somebody@${OTHER_DOMAIN}`));
    expect(await finish(query, OTHER_DOMAIN)).to.deep.equal({
      refused: 'account_unusable',
      reason: 'upstream_email_of_another_domain',
    });
  });

  it('takes an answer once, in the browser and at the place where it was asked for', async () => {
    await newAccount(upstream.person.email);
    const query = await comeBack(upstream.person);
    const expired = { refused: 'expired', reason: 'upstream_state_unknown' };
    expect(await finish(query, DOMAIN, 'interaction-2')).to.deep.equal(expired);
    expect(await finish(query, OTHER_DOMAIN)).to.deep.equal(expired);
    const doubled = new URLSearchParams([...query, ['state', query.get('state') ?? '']]);
    expect(await finish(doubled)).to.deep.equal(expired);
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => finish(query)));
    expect(outcomes.filter((outcome) => 'account' in outcome)).to.have.length(1);
    expect(await finish(query)).to.deep.equal(expired);
  });

  for (const [given, change] of [
    ['an error', { error: 'access_denied', code: undefined }],
    ['another code', { code: 'made-up' }],
    ['no code', { code: undefined }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['no issuer, although the provider always names it', { iss: undefined }],
  ] as const) {
    it(`fails when the answer has ${given}`, async () => {
      await newAccount(upstream.person.email);
      const query = await comeBack(upstream.person);
      for (const [name, value] of Object.entries(change)) {
        if (value === undefined) query.delete(name);
        else query.set(name, value);
      }
      expect(await finish(query)).to.deep.equal({
        refused: 'upstream_failed',
        reason: 'upstream_refused',
      });
    });
  }

  it('fails while the secret is wrong there', async () => {
    await newAccount(upstream.person.email);
    await providers.replaceSecret(DOMAIN, new Secret('wrong'));
    const refused = { refused: 'upstream_failed', reason: 'upstream_refused' };
    expect(await finish(await comeBack(upstream.person))).to.deep.equal(refused);
    await providers.replaceSecret(DOMAIN, provider.clientSecret);
    expect(await finish(await comeBack(upstream.person))).to.have.property('account');
  });

  it('fails when the provider was taken away meanwhile, or is another one now', async () => {
    await newAccount(upstream.person.email);
    const changed = { refused: 'upstream_failed', reason: 'upstream_changed' };
    let query = await comeBack(upstream.person);
    await providers.remove(DOMAIN);
    expect(await finish(query)).to.deep.equal(changed);
    await providers.add(provider);
    query = await comeBack(upstream.person);
    await providers.remove(DOMAIN);
    await providers.add({ ...provider, issuer: 'https://login.other.example' });
    expect(await finish(query)).to.deep.equal(changed);
  });

  describe('of another make', () => {
    let server: Server;
    let key: Awaited<ReturnType<typeof newRsaKey>>;
    let signedBy: typeof key;
    let [idToken, userinfo, nonce]: [object, object, string] = [{}, {}, ''];
    before(async () => {
      key = await newRsaKey(2048);
      const { kty, n, e, kid } = key;
      server = createServer(async (request, response) => {
        const issuer = `http://${request.headers.host}`;
        const nowS = Math.floor(Date.now() / 1000);
        const registered = { iss: issuer, sub: 'subject', aud: 'cls', iat: nowS, exp: nowS + 60 };
        const claims = () => ({ ...registered, nonce, ...idToken });
        const answers: Record<string, () => Promise<object>> = {
          '/.well-known/openid-configuration': async () => ({
            ...{
              issuer,
              jwks_uri: `${issuer}/jwks`,
              authorization_endpoint: `${issuer}/authorize`,
            },
            ...{ token_endpoint: `${issuer}/token`, userinfo_endpoint: `${issuer}/userinfo` },
          }),
          '/jwks': async () => ({ keys: [{ kty, n, e, kid }] }),
          '/token': async () => ({
            ...{ access_token: 'token', token_type: 'Bearer' },
            id_token: await signWith(signedBy, claims(), { kid, typ: 'JWT' }),
          }),
          '/userinfo': async () => ({ sub: 'subject', ...userinfo }),
        };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(await answers[request.url ?? '']?.()));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    beforeEach(async () => {
      signedBy = key;
      const secret = new Secret('secret');
      await providers.remove(DOMAIN);
      await providers.add({
        ...provider,
        issuer: issuerNow(),
        clientId: 'cls',
        clientSecret: secret,
      });
    });
    after(() => {
      server?.close();
      server?.closeAllConnections();
    });
    const issuerNow = () => `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    const rowOf = async (id: string) => {
      const sql = 'SELECT password_hash FROM account WHERE id = $1';
      const [row] = await world.database.query<{ password_hash: string | null }>(sql, [id]);
      return row ?? { password_hash: null };
    };
    const signIn = async () => {
      const asked = new URL(await begin()).searchParams;
      nonce = asked.get('nonce') ?? '';
      return finish(new URLSearchParams({ state: asked.get('state') ?? '', code: 'code' }));
    };

    it('takes address and proof from one place: the proof of one is not another’s', async () => {
      const account = await newAccount(`boss@${DOMAIN}`);
      idToken = { email: account.email };
      userinfo = { email: `clerk@${DOMAIN}`, email_verified: true };
      expect(await signIn()).to.deep.equal({
        refused: 'account_unusable',
        reason: 'upstream_account_unknown',
      });
      userinfo = { email: account.email, email_verified: true };
      expect(await signIn()).to.have.nested.property('account.id', account.id);
    });

    for (const [given, sub] of [
      ['an empty identifier', ''],
      ['one of spaces', '   '],
      ['one with a space at its end', 'subject '],
      ['one with a line break', 'sub\nject'],
      ['one with a NUL', 'subject\0'],
      ['one beyond ASCII', 'sub\u0458ect'],
      ['one of 256 characters', 's'.repeat(256)],
      ['a number', 7],
      ['none', null],
      ['a list', ['subject']],
    ] as const) {
      it(`lets nobody in by ${given}`, async () => {
        const account = await newAccount(`boss@${DOMAIN}`);
        await newAccount(`clerk@${DOMAIN}`);
        for (const email of [account.email, `clerk@${DOMAIN}`]) {
          idToken = { sub, email, email_verified: true };
          const outcome = await signIn();
          expect(outcome).to.have.property('refused').that.is.oneOf(REFUSED_BY_CLAIM);
          expect(await world.database.query('SELECT 1 FROM upstream_link')).to.deep.equal([]);
        }
        const { password_hash: hash } = await rowOf(account.id);
        expect(hash).to.be.a('string');
      });
    }

    it('says that an empty identifier names nobody', async () => {
      idToken = { sub: '', email: `boss@${DOMAIN}`, email_verified: true };
      expect(await signIn()).to.deep.equal({
        refused: 'upstream_identity',
        reason: 'upstream_subject_invalid',
      });
    });

    it('takes identifiers of 1 and of 255 characters, and tells their spelling apart', async () => {
      for (const [n, sub] of ['x', 'X', 's'.repeat(255), 'samlp|Asha Rao'].entries()) {
        const account = await newAccount(`person-${n}@${DOMAIN}`);
        idToken = { sub, email: account.email, email_verified: true };
        expect(await signIn(), sub).to.have.nested.property('account.id', account.id);
      }
    });

    for (const [given, email] of [
      ['a list', [`boss@${DOMAIN}`]],
      ['empty', ''],
      ['written with full-width letters', `\uFF42oss@${DOMAIN}`],
      ['with a character that does not show', `bo\u200Bss@${DOMAIN}`],
      ['with a Cyrillic letter', `b\u043Ess@${DOMAIN}`],
      ['with a NUL', `boss\0@${DOMAIN}`],
    ] as const) {
      it(`links no account by an address that is ${given}`, async () => {
        await newAccount(`boss@${DOMAIN}`);
        idToken = { email, email_verified: true };
        expect(await signIn()).to.deep.equal({
          refused: 'upstream_identity',
          reason: 'upstream_email_invalid',
        });
      });
    }

    for (const proof of [['true'], {}, 2, 'yes', '', null]) {
      it(`takes ${JSON.stringify(proof)} for no proof of an address`, async () => {
        const { email } = await newAccount(`boss@${DOMAIN}`);
        idToken = { email, email_verified: proof };
        expect(await signIn()).to.have.property('reason', 'upstream_email_unproven');
      });
    }

    it('takes no ID token that another key has signed under the name of the provider’s', async () => {
      const account = await newAccount(`boss@${DOMAIN}`);
      idToken = { email: account.email, email_verified: true };
      signedBy = await newRsaKey(2048);
      expect(await signIn()).to.deep.equal({
        refused: 'upstream_failed',
        reason: 'upstream_refused',
      });
      signedBy = key;
      expect(await signIn()).to.have.nested.property('account.id', account.id);
    });
  });

  describe('that does not work', () => {
    let server: Server;
    let answer: (issuer: string) => string;
    before((done) => {
      server = createServer((_, response) => response.end(answer(issuerOf(server))));
      server.listen(0, '127.0.0.1', done);
    });
    after(() => void server.close());
    const issuerOf = (of: Server) => `http://127.0.0.1:${(of.address() as { port: number }).port}`;
    for (const [given, text] of [
      ['a page', () => '<html>'],
      ['nothing', () => ''],
      ['another issuer’s metadata', () => JSON.stringify({ issuer: upstream.issuer })],
      ['no endpoint', (issuer: string) => JSON.stringify({ issuer })],
    ] as const) {
      it(`is said before the browser goes anywhere: it answers ${given}`, async () => {
        answer = text;
        await providers.remove(DOMAIN);
        await providers.add({ ...provider, issuer: issuerOf(server) });
        const begun = await world.upstreamSignIn.begin(`a@${DOMAIN}`, INTERACTION, false);
        expect(begun).to.deep.equal({ problem: { code: 'upstream_failed' } });
      });
    }
  });

  for (const [email, code] of [
    ['', 'email_required'],
    ['somebody', 'organisation_unknown'],
    ['a@unknown.example', 'organisation_unknown'],
    [`a@b@${DOMAIN}`, 'organisation_unknown'],
    [`a@sub.${DOMAIN}`, 'organisation_unknown'],
    [`a@evil-${DOMAIN}`, 'organisation_unknown'],
  ] as const) {
    it(`begins with ${code} for ${JSON.stringify(email)}`, async () => {
      const begun = await world.upstreamSignIn.begin(email, INTERACTION, false);
      expect(begun).to.deep.equal({ problem: { field: 'email', code } });
    });
  }

  it('is offered by domain, and not for a disabled customer', async () => {
    const offered = () => world.upstreamSignIn.offered(`Asha@${DOMAIN.toUpperCase()}`);
    const { host } = new URL(upstream.issuer);
    expect(await offered()).to.deep.equal({
      organisation: 'India',
      host,
    });
    await world.customers.setDisabled('india', true);
    expect(await offered()).to.equal(undefined);
    await world.customers.setDisabled('india', false);
  });

  it('keeps the client secret sealed', async () => {
    const stored = await world.database.query('SELECT * FROM upstream_provider');
    expect(JSON.stringify(stored)).not.to.include(provider.clientSecret.expose());
    expect((await providers.find(DOMAIN))?.clientSecret.expose()).to.equal(
      provider.clientSecret.expose(),
    );
    expect(await providers.add(provider), 'one per domain').to.equal(false);
  });
});

describe('the domain of an address', () => {
  for (const [email, domain] of [
    ['a@India.Example', 'india.example'],
    ['a@bücher.example', 'xn--bcher-kva.example'],
    ['a@xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['@india.example', undefined],
    ['a@', undefined],
    ['a@localhost', undefined],
    ['a@-x.example', undefined],
    ['a@b@india.example', undefined],
    ['a@india.example/evil', undefined],
  ] as const) {
    it(`of ${email} is ${domain ?? 'none'}`, () => {
      expect(domainOfEmail(email)).to.equal(domain);
    });
  }

  it('is compared as one, however it is written', () => {
    expect(canonicalDomain(' BÜCHER.example ')).to.equal(canonicalDomain('xn--bcher-kva.example'));
  });
});
