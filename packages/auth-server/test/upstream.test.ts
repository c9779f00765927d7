import { createServer, type Server } from 'node:http';
import { Secret } from '@cls/shared/secret';
import { describeOnEngines, pglite } from '@cls/shared/testing/engines';
import { expect } from 'chai';
import type { Account } from '../src/accounts/account.ts';
import { aesGcmSealer } from '../src/keys/seal.ts';
import { sqlApplications } from '../src/store/sql-applications.ts';
import { sqlUpstreamProviders } from '../src/store/sql-upstream.ts';
import { canonicalDomain, domainOfEmail } from '../src/upstream/email-domain.ts';
import type { UpstreamProvider, UpstreamRecords } from '../src/upstream/upstream-provider.ts';
import {
  type AccountWorld,
  BY,
  ISSUER,
  openAccountWorld,
  PASSWORD,
} from './support/account-world.ts';
import { startTestAuthServer, type TestAuthServer, totpCode } from './support/auth-server.ts';
import { Browser } from './support/relying-party.ts';

const DOMAIN = 'india.example';
const OTHER_DOMAIN = 'other.example';
const INTERACTION = 'interaction-1';

describeOnEngines('signing in through an organisation’s own provider', (engine) => {
  let upstream: TestAuthServer;
  let world: AccountWorld;
  let providers: UpstreamRecords;
  let provider: UpstreamProvider;
  before(async () => {
    upstream = await startTestAuthServer(pglite);
    const { id, secret } = await sqlApplications(upstream.database).create({
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
    const passwordHash = await world.passwords.hash(PASSWORD);
    const permissions = ['cls-deal.view'] as const;
    return world.reload(await world.records.create({ email, customer, permissions, passwordHash }));
  };
  const begin = async (email = `somebody@${DOMAIN}`) => {
    const begun = await world.upstreamSignIn.begin(email, INTERACTION);
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
    expect(await world.records.hasPassword(account.id)).to.equal(false);
    expect(world.sent).to.deep.equal([
      { to: account.email, kind: 'organisation_linked', name: 'India' },
    ]);
    expect(world.events.map(({ type }) => type)).to.deep.equal(['account.organisation_linked']);
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

  it('says when the provider has proven a second factor', async () => {
    await newAccount(upstream.guarded.email);
    const outcome = await finish(await comeBack(upstream.guarded));
    expect(outcome).to.have.property('amr').that.includes.members(['pwd', 'otp', 'mfa']);
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
    it(`refuses ${given}, and leaves its password`, async () => {
      await prepare();
      const outcome = await finish(await comeBack(upstream.person));
      expect(outcome).to.deep.equal({ refused: 'account_unusable', reason });
      const [row] = await world.database.query<{ has: boolean }>(
        'SELECT password_hash IS NOT NULL AS has FROM account',
      );
      expect(row?.has).to.equal(true);
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

  it('fails when the secret is wrong there, and when the provider was taken away', async () => {
    await newAccount(upstream.person.email);
    await providers.remove(DOMAIN);
    await providers.add({ ...provider, clientSecret: new Secret('wrong') });
    const refused = { refused: 'upstream_failed', reason: 'upstream_refused' };
    expect(await finish(await comeBack(upstream.person))).to.deep.equal(refused);
    const query = await comeBack(upstream.person);
    await providers.remove(DOMAIN);
    expect(await finish(query)).to.include({ refused: 'upstream_failed' });
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
        const begun = await world.upstreamSignIn.begin(`a@${DOMAIN}`, INTERACTION);
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
      const begun = await world.upstreamSignIn.begin(email, INTERACTION);
      expect(begun).to.deep.equal({ problem: { field: 'email', code } });
    });
  }

  it('is offered by domain, and not for a disabled customer', async () => {
    const offered = () => world.upstreamSignIn.offered(`Asha@${DOMAIN.toUpperCase()}`);
    const { host } = new URL(upstream.issuer);
    expect(await offered()).to.deep.equal({
      organisation: 'India',
      host,
      origin: new URL(upstream.issuer).origin,
    });
    expect(await world.upstreamSignIn.exists()).to.equal(true);
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
