import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import type { Database } from '@cls/shared/sql/database';
import { makeStore } from '@cls/testing/embedded-template';
import { requireServer } from '@cls/testing/engines';
import { redisServer, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { digest } from '../src/crypto/digest.ts';
import { providerAdapter } from '../src/library/provider-adapter.ts';
import { sqlUpstreamLinks } from '../src/organisations/sql-upstream.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { sqlSessionStore } from '../src/sessions/sql-session-store.ts';
import { redisStateStore } from '../src/state/redis-state-store.ts';
import { sqlStateStore } from '../src/state/sql-state-store.ts';
import { runTool } from './support/tool.ts';

describe('cls-auth', () => {
  let dataDir: string;
  let holder: Database;
  before(async () => {
    dataDir = join(temporaryDirectory('cls-tool-'), 'data');
    // Held by this process, as by a running service: every command works through it.
    const directory = join(dataDir, 'auth-server', 'database');
    await makeStore(directory, MIGRATIONS);
    holder = await openEmbeddedDatabase(directory);
  });
  after(() => holder.close());
  const run = (words: string, input?: string) =>
    runTool(words.split(' '), { CLS_DATA_DIR: dataDir }, input);
  const outbox = () => join(dataDir, 'auth-server', 'outbox');
  const newestMessage = () => {
    const texts = readdirSync(outbox()).filter((name) => name.endsWith('.txt'));
    return readFileSync(join(outbox(), texts.sort().at(-1) ?? ''), 'utf8');
  };
  const grant = '--customer india --permission cls-deal.view';

  it('creates a customer, and refuses the same again with exit code 1', async () => {
    const made = await run('customers create india --name India --json');
    expect(made.code).to.equal(0);
    expect(JSON.parse(made.stdout)).to.deep.equal({ id: 'india', name: 'India' });
    const again = await run('customers create india --name India');
    expect(again.code).to.equal(1);
    expect(again.stderr).to.include('there is a customer india already');
  });

  it('keeps a name without the blanks around it, with what some scripts need in it', async () => {
    const name = 'می\u200cخواهم';
    const made = await run(`customers create iran --json --name=\u2003${name}\u2003`);
    expect(JSON.parse(made.stdout)).to.deep.equal({ id: 'iran', name });
  });

  for (const [what, command, name] of [
    ['nothing', 'customers create zz', ''],
    ['blanks', `service-accounts create ${grant}`, '\u00a0\u200d'],
    ['101 characters', 'applications create --device', 'x'.repeat(101)],
    ['two lines', 'customers create zz', 'a\nb'],
    ['what turns the text', 'applications create --device', 'Bank\u202eknab'],
  ] as const) {
    it(`takes no name of ${what}`, async () => {
      const refused = await run(`${command} --name=${name}`);
      expect(refused.code).to.equal(2);
      expect(refused.stderr).to.include('--name: expected 1 to 100 characters');
    });
  }

  it('shows a new secret once, and never in a list or in the database', async () => {
    const made = await run(`service-accounts create --name Nightly ${grant} --json`);
    const { clientId, clientSecret } = JSON.parse(made.stdout);
    expect(clientId).to.match(/^svc_[0-9A-Z]{26}$/);
    expect(clientSecret).to.match(/^cls_[0-9A-Za-z]{49}$/);
    const list = await run('service-accounts list --json');
    const [{ createdAt, ...listed }] = JSON.parse(list.stdout);
    expect(Date.parse(createdAt)).to.be.a('number').that.is.not.NaN;
    expect(listed).to.deep.equal({
      clientId,
      name: 'Nightly',
      customer: 'india',
      permissions: ['cls-deal.view'],
      disabled: false,
      secrets: 1,
    });
    expect(list.stdout).not.to.include(clientSecret);
    const stored = await holder.query('SELECT * FROM service_account_secret');
    expect(JSON.stringify(stored)).not.to.include(clientSecret);
  });

  it('replaces a secret with an overlap, and without', async () => {
    const list = await run('service-accounts list --json');
    const [{ clientId }] = JSON.parse(list.stdout);
    const overlapping = await run(`secrets replace ${clientId} --keep-old-for 60s --json`);
    expect(JSON.parse(overlapping.stdout)).to.have.keys('clientId', 'clientSecret', 'secretId');
    const secrets = async () =>
      JSON.parse((await run('service-accounts list --json')).stdout)[0].secrets;
    expect(await secrets()).to.equal(2);
    await run(`secrets replace ${clientId}`);
    expect(await secrets()).to.equal(1);
  });

  it('replaces the secret of a confidential application, and refuses a public one’s', async () => {
    const create = 'applications create --redirect-uri https://portal.example/callback --json';
    const made = JSON.parse((await run(`${create} --name Portal --confidential`)).stdout);
    const replaced = await run(`secrets replace ${made.clientId} --json`);
    const { clientId, clientSecret } = JSON.parse(replaced.stdout);
    expect(clientId).to.equal(made.clientId);
    expect(clientSecret).to.match(/^cls_[0-9A-Za-z]{49}$/);
    expect(clientSecret).not.to.equal(made.clientSecret);
    const open = JSON.parse((await run(`${create} --name Public`)).stdout);
    const refused = await run(`secrets replace ${open.clientId}`);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include('public');
    const [still] = JSON.parse((await run('applications list --json')).stdout).filter(
      (one: { name: string }) => one.name === 'Public',
    );
    expect(still.confidential).to.equal(false);
  });

  it('makes a password, shows it once, and stores it as argon2id', async () => {
    const made = await run(
      `accounts create Asha@India.example ${grant} --generate-password --json`,
    );
    expect(made.code).to.equal(0);
    const { email, password } = JSON.parse(made.stdout);
    expect(email).to.equal('asha@india.example');
    expect(Buffer.from(password, 'base64url')).to.have.length(18);
    const again = await run(`accounts replace-password ${email} --generate-password --json`);
    expect(JSON.parse(again.stdout).password).to.have.length(24).and.not.equal(password);
    const [row] = await holder.query<{ password_hash: string }>(
      'SELECT password_hash FROM account',
    );
    expect(row?.password_hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('enrols a second factor whose secret is stored sealed', async () => {
    const enrolled = await run('accounts enrol-totp asha@india.example --json');
    const { totpSecret, uri } = JSON.parse(enrolled.stdout);
    expect(uri)
      .to.match(/^otpauth:\/\/totp\//)
      .and.include(totpSecret);
    const stored = JSON.stringify(await holder.query('SELECT sealed_secret FROM totp_factor'));
    expect(stored).not.to.include(totpSecret);
    const list = JSON.parse((await run('accounts list --json')).stdout);
    expect(list[0]).to.include({ email: 'asha@india.example', secondFactor: true });
    expect((await run('accounts remove-totp asha@india.example')).code).to.equal(0);
    const twice = await run('accounts remove-totp asha@india.example');
    expect([twice.code, twice.stderr]).to.deep.equal([
      ...[1, 'asha@india.example has no authenticator app\n'],
    ]);
    const after = JSON.parse((await run('accounts list --json')).stdout);
    expect(after[0]).to.include({ secondFactor: false });
  });

  it('disables and enables customers, accounts and service accounts', async () => {
    for (const [noun, id] of [
      ['customers', 'india'],
      ['accounts', 'asha@india.example'],
    ]) {
      const state = async () => JSON.parse((await run(`${noun} list --json`)).stdout)[0].disabled;
      expect((await run(`${noun} disable ${id}`)).code).to.equal(0);
      expect(await state()).to.equal(true);
      expect((await run(`${noun} enable ${id}`)).code).to.equal(0);
      expect(await state()).to.equal(false);
    }
  });

  it('changes what a person may do', async () => {
    const words = 'accounts set-permissions asha@india.example --permission';
    const more = await run(`${words} cls-deal.view external-api.fullcontrol --json`);
    expect(JSON.parse(more.stdout)).to.deep.include({
      email: 'asha@india.example',
      permissions: ['cls-deal.view', 'external-api.fullcontrol'],
    });
    const less = await run(`${words} cls-deal.view`);
    expect(less.stdout).to.equal('asha@india.example has cls-deal.view from now on\n');
    const [account] = JSON.parse((await run('accounts list --json')).stdout);
    expect(account).to.deep.include({ permissions: ['cls-deal.view'] });
  });

  it('lets people, and no service account, manage the integrations of their customer', async () => {
    const words = 'accounts set-permissions asha@india.example --permission cls-deal.view';
    const more = await run(`${words} cls-customer.administer --json`);
    expect(JSON.parse(more.stdout).permissions).to.deep.equal([
      'cls-deal.view',
      'cls-customer.administer',
    ]);
    expect((await run(words)).code).to.equal(0);
    const refused = await run(
      'service-accounts create --name Robot --customer india --permission cls-customer.administer',
    );
    expect(refused.code).to.equal(2);
    expect(refused.stderr).to.include('unknown: cls-customer.administer');
  });

  it('invites a person by a message, and shows the link to nobody else', async () => {
    const made = await run(`accounts invite New.Person@india.example ${grant} --json`);
    expect(made.code, made.stderr).to.equal(0);
    const document = JSON.parse(made.stdout);
    expect(document).to.include({ email: 'new.person@india.example', customer: 'india' });
    const message = newestMessage();
    expect(message)
      .to.include('To: new.person@india.example')
      .and.match(/\/invitation\?token=.{43}&lang=en$/m);
    const again = await run(`accounts invite new.person@india.example ${grant} --language de`);
    expect(newestMessage()).to.include('Guten Tag');
    expect(again.stdout, 'where a developer finds it').to.include(
      `the message is a file in ${outbox()}`,
    );
    const token = /token=(.{43})/.exec(message)?.[1] ?? 'none';
    expect(made.stdout + made.stderr).not.to.include(token);
    const [row] = await holder.query('SELECT password_hash FROM account WHERE id = $1', [
      document.id,
    ]);
    expect(row).to.deep.equal({ password_hash: null });
    const { stdout: list } = await run('accounts list');
    expect(list)
      .to.match(/^new\.person@.* pending$/m)
      .and.not.match(/^asha@.* pending$/m);
    const more = `${grant} external-api.fullcontrol`;
    const other = await run(`accounts invite new.person@india.example ${more}`);
    expect(other.stderr, 'the way on').to.include('cls-auth accounts set-permissions');
  });

  it('removes second factors, ends sessions, and lists what happened', async () => {
    await run('accounts enrol-totp asha@india.example');
    const reset = await run('accounts reset-factors asha@india.example --json');
    expect(JSON.parse(reset.stdout)).to.include({ secondFactor: false });
    expect((await run('accounts end-sessions asha@india.example')).stdout).to.include('ended');
    const ended = await holder.query('SELECT FROM ended_account');
    expect(ended).to.have.length(1);
    const listed = JSON.parse(
      (await run('accounts events asha@india.example --limit 3 --json')).stdout,
    );
    expect(listed.map(({ type }: { type: string }) => type)).to.deep.equal([
      'account.sessions_ended',
      'account.factors_reset',
      'account.totp_enrolled',
    ]);
    expect(listed[0]).to.have.keys('id', 'at', 'type', 'actor');
    expect((await run('accounts events asha@india.example')).stdout).to.include('factors_reset');
  });

  it('says that there is no account where it lists what was tried with an address', async () => {
    const listed = await run('accounts events nobody@india.example --json');
    expect(JSON.parse(listed.stdout)).to.deep.equal([]);
    expect(listed.stderr).to.include('there is no account nobody@india.example');
  });

  it('names the permissions that there are, in the help', async () => {
    const { stdout } = await run('accounts invite --help');
    expect(stdout).to.include('cls-deal.view').and.not.include('cls-accounts.manage');
  });

  it('adds a customer’s provider with a sealed secret, lists and removes it', async () => {
    const words = 'upstream add India.Example --customer india --client-id cls';
    const issuer = 'https://login.india.example';
    const added = await run(`${words} --issuer ${issuer} --json`, 'the-client-secret\n');
    expect(added.code, added.stderr).to.equal(0);
    expect(JSON.parse(added.stdout)).to.include({
      domain: 'india.example',
      redirectUri: 'http://localhost:8080/upstream/india.example',
    });
    const stored = JSON.stringify(await holder.query('SELECT * FROM upstream_provider'));
    expect(stored).to.include(issuer).and.not.include('the-client-secret');
    const list = JSON.parse((await run('upstream list --json')).stdout);
    expect(list).to.deep.equal([
      {
        domain: 'india.example',
        customer: 'india',
        issuer,
        clientId: 'cls',
        emailClaim: 'email',
        emailVerifiedClaim: 'email_verified',
      },
    ]);
    const invited = await run(`accounts invite jo@india.example ${grant} --json`);
    expect(JSON.parse(invited.stdout)).to.include({ expiresAt: null });
    expect(newestMessage())
      .to.include('To: jo@india.example')
      .and.match(/^http:\/\/localhost:8080\/\?lang=en$/m)
      .and.not.match(/Choose|token=/);
    const replace = await run('upstream replace-secret India.Example', 'another-secret\n');
    expect(replace.stdout).to.equal('replaced the client secret of india.example\n');
    const now = JSON.stringify(await holder.query('SELECT * FROM upstream_provider'));
    expect(now).not.to.equal(stored).and.not.include('another-secret');
    const again = await run(`${words} --issuer ${issuer}`, 'x');
    expect(again.code).to.equal(1);
    expect((await run('upstream remove INDIA.example')).code).to.equal(0);
    expect((await run('upstream remove india.example')).code).to.equal(1);
  });

  it('makes the first signing key once, sealed', async () => {
    const first = JSON.parse((await run('keys create --json')).stdout);
    const second = JSON.parse((await run('keys create --json')).stdout);
    expect(first.created).to.equal(true);
    expect(second).to.deep.equal({ kid: first.kid, created: false });
    const [row] = await holder.query<{ sealed_private_jwk: string }>('SELECT * FROM signing_key');
    expect(row?.sealed_private_jwk).to.match(/^v1\./).and.not.include('"d"');
    const keyFile = join(dataDir, 'auth-server', 'key-encryption-key');
    expect(statSync(keyFile).mode & 0o777).to.equal(0o600);
    expect(Buffer.from(readFileSync(keyFile, 'utf8'), 'base64url')).to.have.length(32);
  });

  it('stages, promotes and removes signing keys, and says from when on each may be done', async () => {
    const [first] = JSON.parse((await run('keys list --json')).stdout);
    expect(first).to.include({ state: 'active', retiredAt: null, dueAt: null });
    const { kid, dueAt } = JSON.parse((await run('keys stage --json')).stdout);
    const early = await run('keys promote');
    expect(early.code).to.equal(1);
    expect(early.stderr).to.include(kid).and.to.include(dueAt).and.to.include('--early');
    expect((await run('keys list')).stdout).to.include(`promote from ${dueAt} on`);
    expect((await run('keys promote --early')).stdout).to.include(`${kid} signs now`);
    const good = await run(`keys remove ${first.kid}`);
    expect(good.code).to.equal(1);
    expect(good.stderr).to.match(/may be good until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/);
    const signs = await run(`keys remove ${kid}`);
    expect(signs.stderr).to.equal('this key signs: stage and promote another first\n');
    expect((await run(`keys remove ${first.kid} --early`)).code).to.equal(0);
    const left = JSON.parse((await run('keys list --json')).stdout);
    expect(left.map((key: { kid: string }) => key.kid)).to.deep.equal([kid]);
    expect(JSON.stringify(left)).not.to.include('"d"');
  });

  it('says in a sentence when the encryption key is another', async () => {
    const env = { CLS_DATA_DIR: dataDir, KEY_ENCRYPTION_KEY: 'B'.repeat(43) };
    const refused = await runTool(['keys', 'create'], env);
    expect(refused.code).to.equal(1);
    expect(refused.stderr)
      .to.include('KEY_ENCRYPTION_KEY')
      .and.not.match(/\n\s+at /);
    const enrolment = await runTool(['accounts', 'enrol-totp', 'asha@india.example'], env);
    expect(enrolment.code, 'nothing is sealed that the service could not open').to.equal(1);
  });

  it('records every change', async () => {
    const events = await holder.query<{ type: string }>('SELECT DISTINCT type FROM audit_event');
    expect(events.map(({ type }) => type)).to.include.members([
      'customer.created',
      'customer.disabled',
      'service_account.created',
      'service_account.secret_replaced',
      'application.secret_replaced',
      'account.created',
      'account.totp_enrolled',
      'account.totp_removed',
      'key.created',
      'key.staged',
      'key.promoted',
      'key.removed',
    ]);
  });

  for (const { given, words, input, code, says } of [
    { given: 'no command', words: '', code: 2, says: 'a command is missing' },
    { given: 'an unknown command', words: 'bogus', code: 2, says: 'bogus' },
    { given: 'a missing option', words: 'customers create x', code: 2, says: '--name' },
    {
      given: 'an unknown permission',
      words: 'service-accounts create --name y --customer india --permission all',
      code: 2,
      says: 'cls-deal.view',
    },
    {
      given: 'a person who would administer',
      words: 'accounts invite z@india.example --customer india --permission cls-accounts.manage',
      code: 2,
      says: 'there are cls-deal.view, external-api.fullcontrol',
    },
    {
      given: 'an unknown customer',
      words: 'service-accounts create --name y --customer nobody --permission cls-deal.view',
      code: 1,
      says: 'there is no customer nobody: cls-auth customers list shows all',
    },
    {
      given: 'a bad customer id',
      words: 'customers create India --name x',
      code: 2,
      says: 'lower-case',
    },
    {
      given: 'a password that an operator would type',
      words: `accounts create z@india.example ${grant} --password-stdin`,
      code: 2,
      says: '--generate-password',
    },
    {
      given: 'a person’s new password that an operator would type',
      words: 'accounts replace-password asha@india.example --password-stdin',
      code: 2,
      says: '--generate-password',
    },
    {
      given: 'no password at all',
      words: `accounts create z@india.example ${grant}`,
      code: 2,
      says: '--generate-password',
    },
    {
      given: 'an e-mail that is taken',
      words: `accounts create ASHA@india.example ${grant} --generate-password`,
      code: 1,
      says: 'already',
    },
    {
      given: 'an invitation of somebody who has an account',
      words: `accounts invite asha@india.example ${grant}`,
      code: 1,
      says: 'already',
    },
    {
      given: 'an invitation to an unknown customer',
      words: 'accounts invite z@india.example --customer nobody --permission cls-deal.view',
      code: 1,
      says: 'nobody',
    },
    {
      given: 'an invitation in another language',
      words: `accounts invite z@india.example ${grant} --language fr`,
      code: 2,
      says: 'Allowed choices are en, de',
    },
    {
      given: 'an invitation of no address',
      words: `accounts invite somebody ${grant}`,
      code: 2,
      says: 'e-mail',
    },
    {
      given: 'a provider of no domain',
      words: 'upstream add localhost --customer india --client-id x --issuer https://x.example',
      code: 2,
      says: 'domain',
    },
    {
      given: 'a provider without its secret',
      words: 'upstream add x.example --customer india --client-id x --issuer https://x.example',
      code: 2,
      says: 'standard input',
    },
    {
      given: 'a new secret of no provider',
      words: 'upstream replace-secret x.example',
      input: 'secret',
      code: 1,
      says: 'there is no provider for x.example',
    },
    {
      given: 'a provider with an odd issuer',
      words: 'upstream add x.example --customer india --client-id x --issuer ftp://x.example',
      input: 'secret',
      code: 2,
      says: '--issuer',
    },
    {
      given: 'a redirect URI that no request can name',
      words: 'applications create --name x --redirect-uri https:portal.example',
      code: 2,
      says: '--redirect-uri: expected',
    },
    {
      given: 'a redirect URI with a password in it',
      words: 'applications create --name x --redirect-uri https://a:b@portal.example/',
      code: 2,
      says: '--redirect-uri: expected',
    },
    {
      given: 'an own scheme after signing out of an application on the web',
      words:
        'applications create --name x --redirect-uri https://x.example/ --post-logout-redirect-uri com.x:/',
      code: 2,
      says: '--post-logout-redirect-uri: expected',
    },
    {
      given: 'an own scheme for a server to call',
      words: 'applications create --name x --redirect-uri com.x:/ --backchannel-logout-uri com.x:/',
      code: 2,
      says: '--backchannel-logout-uri: expected',
    },
    {
      given: 'a bad limit',
      words: 'accounts events asha@india.example --limit 0',
      code: 2,
      says: '--limit',
    },
    {
      given: 'an unknown account',
      words: 'accounts disable nobody@india.example',
      code: 1,
      says: 'nobody@india.example',
    },
    {
      given: 'a permission that people cannot have',
      words: 'accounts set-permissions asha@india.example --permission cls-accounts.manage',
      code: 2,
      says: 'there are cls-deal.view, external-api.fullcontrol',
    },
    {
      given: 'permissions of nobody',
      words: 'accounts set-permissions nobody@india.example --permission cls-deal.view',
      code: 1,
      says: 'nobody@india.example',
    },
    {
      given: 'an unknown application',
      words: 'secrets replace app_x',
      code: 1,
      says: 'there is no application app_x',
    },
    {
      given: 'a key to promote where none is staged',
      words: 'keys promote',
      code: 1,
      says: 'cls-auth keys stage',
    },
    {
      given: 'an unknown key',
      words: 'keys remove nosuch',
      code: 1,
      says: 'cls-auth keys list',
    },
    {
      given: 'a bad overlap',
      words: 'secrets replace svc_x --keep-old-for soon',
      code: 2,
      says: '--keep-old-for',
    },
  ]) {
    it(`answers ${given} with exit code ${code} and says why`, async () => {
      const run1 = await runTool(
        words === '' ? [] : words.split(' '),
        { CLS_DATA_DIR: dataDir },
        input,
      );
      expect(run1.code).to.equal(code);
      expect(run1.stderr)
        .to.include(says)
        .and.not.match(/\n\s+at /);
      expect(run1.stdout).to.equal('');
    });
  }

  it('ends what people have signed in when their customer is disabled, and no other’s', async () => {
    const state = sqlStateStore(holder, () => undefined);
    const sessions = providerAdapter(state, 'Session');
    const made = [];
    for (const customer of ['chad', 'mali']) {
      await run(`customers create ${customer} --name ${customer}`);
      const words = `accounts invite a@${customer}.example --permission cls-deal.view --json`;
      const { id: accountId } = JSON.parse((await run(`${words} --customer ${customer}`)).stdout);
      await sessions.upsert(customer, { accountId, uid: `uid-${customer}` }, 600);
      made.push(accountId);
    }
    expect((await run('customers enable chad')).code, 'it is not disabled').to.equal(0);
    expect(await sessions.find('chad')).to.include({ accountId: made[0] });
    expect((await run('customers disable chad')).code).to.equal(0);
    expect((await run('customers enable chad')).code).to.equal(0);
    expect(await sessions.find('chad')).to.equal(undefined);
    expect(await sessions.find('mali')).to.include({ accountId: made[1] });
    await state.close();
  });

  it('brings back nothing when a customer is enabled whose disabling failed half-way', async () => {
    const state = sqlStateStore(holder, () => undefined);
    const sessions = providerAdapter(state, 'Session');
    await run('customers create niger --name Niger');
    const made = await run(
      'accounts invite a@niger.example --permission cls-deal.view --json --customer niger',
    );
    const { id: accountId } = JSON.parse(made.stdout);
    await sessions.upsert('niger', { accountId, uid: 'uid-niger' }, 600);
    // And then what is signed in could not be ended.
    await holder.query(`UPDATE customer SET disabled_at = now() WHERE id = 'niger'`);
    expect((await run('customers enable niger')).code).to.equal(0);
    expect(await sessions.find('niger')).to.equal(undefined);
    await state.close();
  });

  it('ends what people have signed in through a provider when it is removed, and no other’s', async () => {
    const state = sqlStateStore(holder, () => undefined);
    const sessions = providerAdapter(state, 'Session');
    const issuer = 'https://login.example';
    for (const customer of ['togo', 'oman']) {
      await run(`customers create ${customer} --name ${customer}`);
      const words = `upstream add ${customer}.example --customer ${customer} --client-id cls`;
      expect((await run(`${words} --issuer ${issuer}`, 'secret')).code).to.equal(0);
    }
    for (const [name, customer, subject] of [
      ['linked', 'togo', 'subject-1'],
      ['not-linked', 'togo', undefined],
      ['of-another', 'oman', 'subject-2'],
    ] as const) {
      const words = `accounts invite ${name}@${customer}.example --permission cls-deal.view --json`;
      const { id } = JSON.parse((await run(`${words} --customer ${customer}`)).stdout);
      await sessions.upsert(name, { accountId: id, uid: `uid-${name}` }, 600);
      if (subject === undefined) continue;
      await sqlUpstreamLinks(holder).link(issuer, subject, id);
    }
    expect((await run('upstream remove togo.example')).code).to.equal(0);
    expect(await sessions.find('linked')).to.equal(undefined);
    expect(await sessions.find('not-linked')).to.include({ uid: 'uid-not-linked' });
    expect(await sessions.find('of-another')).to.include({ uid: 'uid-of-another' });
    await state.close();
  });

  it('ends what an application got when it is disabled, and of no other', async () => {
    const state = sqlStateStore(holder, () => undefined);
    const grants = providerAdapter(state, 'Grant');
    const [{ id: accountId }] = JSON.parse((await run('accounts list --json')).stdout);
    const create = 'applications create --redirect-uri https://x.example/ --json --name';
    const made = [];
    for (const name of ['Taken', 'Left']) {
      const { clientId } = JSON.parse((await run(`${create} ${name}`)).stdout);
      await grants.upsert(`grant-${name}`, { accountId, clientId }, 600);
      await sqlSessionStore(holder).recordGrant({
        ...{ id: digest(`grant-${name}`), accountId, applicationId: clientId, sessionUid: 'uid' },
        ...{ sid: 'sid', scopes: ['openid'], survivesSignOut: true },
      });
      made.push(clientId);
    }
    expect((await run(`applications enable ${made[0]}`)).code, 'it is not disabled').to.equal(0);
    expect(await grants.find('grant-Taken')).to.include({ clientId: made[0] });
    expect((await run(`applications disable ${made[0]}`)).code).to.equal(0);
    expect((await run(`applications enable ${made[0]}`)).code).to.equal(0);
    expect(await grants.find('grant-Taken')).to.equal(undefined);
    expect(await grants.find('grant-Left')).to.include({ clientId: made[1] });
    await state.close();
  });

  it('brings back nothing when an application is enabled whose disabling failed half-way', async () => {
    const state = sqlStateStore(holder, () => undefined);
    const grants = providerAdapter(state, 'Grant');
    const [{ id: accountId }] = JSON.parse((await run('accounts list --json')).stdout);
    const create = 'applications create --redirect-uri https://x.example/ --json --name Half';
    const { clientId } = JSON.parse((await run(create)).stdout);
    await grants.upsert('grant-half', { accountId, clientId }, 600);
    await sqlSessionStore(holder).recordGrant({
      ...{ id: digest('grant-half'), accountId, applicationId: clientId, sessionUid: 'uid' },
      ...{ sid: 'sid', scopes: ['openid'], survivesSignOut: true },
    });
    // And then what it had got could not be ended.
    await holder.query('UPDATE application SET disabled_at = now() WHERE id = $1', [clientId]);
    expect((await run(`applications enable ${clientId}`)).code).to.equal(0);
    expect(await grants.find('grant-half')).to.equal(undefined);
    await state.close();
  });

  it('ends in Redis what is signed in there', async function () {
    requireServer(this, 'Redis', await redisServer());
    const url = (await redisServer())?.url ?? '';
    const redis = new Redis(url);
    const state = redisStateStore(redis, 0);
    const list = JSON.parse((await run('accounts list --json')).stdout);
    const { id: accountId, email } = list[0];
    const sessions = providerAdapter(state, 'Session');
    const session = `session-${accountId}`;
    await sessions.upsert(session, { accountId, uid: `uid-${accountId}` }, 600);
    const env = { CLS_DATA_DIR: dataDir, REDIS_URL: url };
    const ended = await runTool(['accounts', 'end-sessions', email], env);
    expect(ended.code, ended.stderr).to.equal(0);
    expect(await sessions.find(session)).to.equal(undefined);
    await state.close();
  });

  it('tells whether migrations are pending', async () => {
    expect((await run('migrate --check')).code).to.equal(0);
    const elsewhere = { CLS_DATA_DIR: join(temporaryDirectory('cls-tool-'), 'data') };
    // A store that an interrupted first start has left without a schema.
    await makeStore(join(elsewhere.CLS_DATA_DIR, 'auth-server', 'database'));
    const pending = await runTool(['migrate', '--check'], elsewhere);
    expect(pending.code).to.equal(1);
    expect(pending.stderr).to.include('0029-baseline');
  });
});
