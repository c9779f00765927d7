import { INTEGRATIONS_PERMISSION, type Permission } from '@cls/shared/access-token';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlTotpFactors } from '../src/factors/sql-totp-factors.ts';
import { sqlCustomers } from '../src/organisations/sql-customers.ts';
import {
  basic,
  claimsOf,
  createPerson,
  FULL,
  KEY,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
  VIEW,
} from './support/auth-server.ts';
import {
  applicationRecords,
  clientSecrets,
  serviceAccountRecords,
} from './support/client-records.ts';
import { Browser, relyingParty } from './support/relying-party.ts';

const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const ROOT = '/account/integrations';
const SECRET = /cls_[0-9A-Za-z]{49}/;

describe('the pages for a customer’s integrations', () => {
  let server: TestAuthServer;
  let n = 0;

  before(async () => {
    server = await startTestAuthServer(anyEngine, { EXPLORER_URL: 'https://balances.example' });
    await sqlCustomers(server.database).create('norway', 'Norway', false);
  });
  after(() => server?.stop());

  const read = async ({ url, response }: { url: URL; response: Response }) => ({
    url,
    response,
    text: await response.text(),
  });
  const open = async (browser: Browser, path: string) =>
    read(await browser.follow(`${server.issuer}${path}`));
  type Shown = Awaited<ReturnType<typeof read>>;
  const submit = async (browser: Browser, page: Shown, fields: Record<string, string>) =>
    read(await browser.submit(page, fields));
  const title = ({ text }: Shown) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1];

  const newPerson = async (
    permissions: Parameters<typeof createPerson>[2] = [VIEW, INTEGRATIONS_PERMISSION],
    factor = true,
  ) => {
    n += 1;
    const email = `admin-${n}@india.example`;
    const id = await createPerson(server.database, email, permissions);
    const sealer = aesGcmSealer(new Secret(KEY));
    const factors = sqlTotpFactors(server.database, sealer, { now: () => new Date() });
    if (factor) await factors.enrol(id, TOTP_SECRET);
    return { id, email };
  };
  const signIn = async (email: string, path = ROOT, browser = new Browser()) => {
    let page = await open(browser, path);
    page = await submit(browser, page, { email, password: PASSWORD });
    if (page.text.includes('name="code"')) {
      page = await submit(browser, page, { code: totpCode(TOTP_SECRET) });
    }
    return { browser, page };
  };
  const administrator = async () => {
    const { id, email } = await newPerson();
    return { id, ...(await signIn(email)) };
  };
  const newIntegration = async (
    name: string,
    { customer = 'india', permissions = [VIEW] as readonly Permission[] } = {},
  ) => {
    const made = await serviceAccountRecords(server.database).create({
      ...{ name, customer, permissions },
    });
    const [secret] = await clientSecrets(server.database).list(made.id);
    return { id: made.id, secretId: secret?.id ?? '', secret: made.secret.expose() };
  };
  const tokenWith = async (id: string, secret: string, more = '') => {
    const form = `grant_type=client_credentials${more}`;
    const response = await server.post(form, basic(id, secret));
    await response.text();
    return response.status;
  };
  /** The server hears of the change in a moment. */
  const refused = (id: string, secret: string) =>
    eventually(async () => expect(await tokenWith(id, secret)).to.equal(401), 2_000);
  const liveSecrets = async (id: string) =>
    (await clientSecrets(server.database).list(id)).filter(({ live }) => live);
  const shownSecret = ({ text }: Shown) => SECRET.exec(text)?.[0] ?? '';
  const events = (subject: string) =>
    server.database.query<{ type: string; about: string; actor: string; address: string }>(
      `SELECT type, about, actor, address FROM audit_event
       WHERE subject = $1 AND type LIKE 'service_account.%' ORDER BY id`,
      [subject],
    );
  /** The service stores events in the background; reading a page of them makes it hurry. */
  const stored = (browser: Browser) => open(browser, `${ROOT}/requests`);

  it('list the customer’s service accounts and live secrets, and none of another customer', async () => {
    const { id, secretId, secret } = await newIntegration('Ledger sync');
    await newIntegration('Fjord sync', { customer: 'norway' });
    await clientSecrets(server.database).create(id, { name: 'Data centre', endsInS: 86_400 });
    await clientSecrets(server.database).revoke(
      await clientSecrets(server.database)
        .create(id, { name: 'Old one' })
        .then((made) => ({ id: made.id, clientId: id })),
    );
    await server.database.query(`INSERT INTO token_use VALUES ($1, now(), now(), '192.0.2.7')`, [
      secretId,
    ]);
    const { page } = await administrator();
    expect(title(page)).to.equal('Integrations');
    expect(page.text).to.include('Ledger sync').and.include(id).and.include(secretId);
    expect(page.text).to.match(/last used <time[^>]*>[^<]*<\/time> from 192\.0\.2\.7/);
    expect(page.text)
      .to.include('Data centre')
      .and.match(/Ends <time/);
    expect(page.text).to.not.include('Fjord sync').and.not.include('Old one');
    expect(page.text)
      .to.not.include(secret)
      .and.not.match(/sha256|hash/);
    expect(page.response.headers.get('cache-control')).to.equal('no-store');
  });

  it('make a secret, show it once, and make no other when the page is loaded again', async () => {
    const { id } = await newIntegration('Once');
    const { browser, id: person } = await administrator();
    const form = await open(browser, `${ROOT}/new-secret?client=${id}`);
    const refused = await submit(browser, form, { name: ' ' });
    expect(refused.response.status).to.equal(422);
    const shown = await submit(browser, refused, { name: 'Payments' });
    const secret = shownSecret(shown);
    expect(shown.url.href).to.equal(`${server.issuer}${ROOT}/secret`);
    expect(shown.response.headers.get('cache-control')).to.equal('no-store');
    expect(await tokenWith(id, secret)).to.equal(200);
    const again = await open(browser, `${ROOT}/secret`);
    expect(again.url.pathname).to.equal(ROOT);
    expect(again.text).to.include('Payments').and.not.match(SECRET);
    expect(await liveSecrets(id)).to.have.length(2);
    const other = await submit(browser, form, { name: 'Reports' });
    expect(shownSecret(other)).to.match(SECRET).and.not.equal(secret);
    await stored(browser);
    const [created] = await events(id);
    const [, first] = (await liveSecrets(id)).map((one) => one.id);
    expect(created).to.include({
      ...{ type: 'service_account.secret_created', about: first, actor: person },
    });
    expect(created?.address).to.match(/127\.0\.0\.1|::1/);
  });

  it('make one secret where a form is sent twice before the secret was seen', async () => {
    const { id } = await newIntegration('Twice');
    const { browser } = await administrator();
    const form = await open(browser, `${ROOT}/new-secret?client=${id}`);
    const csrf = /name="csrf" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    const body = new URLSearchParams({ csrf, name: 'Payments' });
    const lost = await browser.open(form.url, { method: 'POST', body });
    expect(lost.status).to.equal(303);
    const shown = await submit(browser, form, { name: 'Payments' });
    expect(await tokenWith(id, shownSecret(shown))).to.equal(200);
    expect(await liveSecrets(id)).to.have.length(2);
  });

  it('end a leaked secret also while a new one of its service account waits to be seen', async () => {
    const { id, secretId, secret } = await newIntegration('Unseen');
    const { browser } = await administrator();
    const form = await open(browser, `${ROOT}/new-secret?client=${id}`);
    const csrf = /name="csrf" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    const body = new URLSearchParams({ csrf, name: 'Payments' });
    expect((await browser.open(form.url, { method: 'POST', body })).status).to.equal(303);
    const asked = await open(browser, `${ROOT}/leaked?secret=${secretId}`);
    const shown = await submit(browser, asked, { confirm: 'yes' });
    await refused(id, secret);
    expect(await tokenWith(id, shownSecret(shown))).to.equal(200);
    expect(await liveSecrets(id)).to.have.length(1);
  });

  it('refuse an eleventh secret', async () => {
    const { id } = await newIntegration('Many');
    for (let i = 1; i < 10; i += 1) {
      await clientSecrets(server.database).create(id, { name: `Number ${i}` });
    }
    const { browser } = await administrator();
    const form = await open(browser, `${ROOT}/new-secret?client=${id}`);
    const refused = await submit(browser, form, { name: 'Eleventh' });
    expect(refused.response.status).to.equal(422);
    expect(refused.text).to.include('at most 10 secrets');
    expect(await liveSecrets(id)).to.have.length(10);
  });

  it('replace a secret at once, or let the old one be accepted for as long as was chosen', async () => {
    const { id, secretId, secret } = await newIntegration('Replaced');
    const { browser, id: person } = await administrator();
    const form = await open(browser, `${ROOT}/replace?secret=${secretId}`);
    const kept = shownSecret(await submit(browser, form, { keep: '7d' }));
    expect(await tokenWith(id, secret), 'the old one').to.equal(200);
    expect(await tokenWith(id, kept), 'the new one').to.equal(200);
    const old = (await liveSecrets(id)).find((one) => one.id === secretId);
    const days = ((old?.endsAt?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).to.be.within(6.9, 7);
    expect((await open(browser, ROOT)).text).to.match(/Ends <time/);
    const unknown = await submit(browser, form, { keep: '99d' });
    expect(title(unknown), 'a choice that there is not').to.equal('Replace this secret');
    const newest = shownSecret(await submit(browser, form, { keep: '0d' }));
    await refused(id, secret);
    expect(await tokenWith(id, newest)).to.equal(200);
    const twice = await submit(browser, form, { keep: '0d' });
    expect(twice.url.pathname, 'one that has ended').to.equal(ROOT);
    expect(await liveSecrets(id)).to.have.length(2);
    await stored(browser);
    expect((await events(id)).map(({ type, actor }) => [type, actor])).to.deep.equal([
      ['service_account.secret_replaced', person],
      ['service_account.secret_replaced', person],
    ]);
  });

  it('end all secrets of a service account where one has leaked, and show a new one', async () => {
    const { id, secretId, secret } = await newIntegration('Leaky');
    await clientSecrets(server.database).create(id, { name: 'Second' });
    const { browser, id: person } = await administrator();
    const asked = await open(browser, `${ROOT}/leaked?secret=${secretId}`);
    expect(title(asked)).to.equal('Has this secret leaked?');
    expect(await tokenWith(id, secret), 'before the answer').to.equal(200);
    const shown = await submit(browser, asked, { confirm: 'yes' });
    await refused(id, secret);
    expect(await tokenWith(id, shownSecret(shown))).to.equal(200);
    expect(await liveSecrets(id)).to.have.length(1);
    const twice = await submit(browser, asked, { confirm: 'yes' });
    expect(twice.url.pathname, 'once more').to.equal(ROOT);
    expect(await tokenWith(id, shownSecret(shown)), 'still').to.equal(200);
    await stored(browser);
    const [event, ...others] = await events(id);
    expect(event).to.include({ type: 'service_account.compromised', actor: person });
    expect(others).to.have.length(0);
  });

  it('revoke a secret, but one that is in use only after a warning', async () => {
    const { id, secretId, secret } = await newIntegration('Revoked');
    const { browser, id: person } = await administrator();
    const asked = await open(browser, `${ROOT}/revoke?secret=${secretId}`);
    expect(title(asked)).to.equal('Revoke this secret?');
    await server.database.query(`INSERT INTO token_use VALUES ($1, now(), now(), '192.0.2.7')`, [
      secretId,
    ]);
    const warned = await submit(browser, asked, { confirm: 'yes' });
    expect(title(warned)).to.equal('Revoke a secret that is in use?');
    expect(await tokenWith(id, secret)).to.equal(200);
    const done = await submit(browser, warned, { confirm: 'yes' });
    expect(done.text).to.include('The secret has ended');
    await refused(id, secret);
    await stored(browser);
    expect(await events(id)).to.deep.include({
      ...{ type: 'service_account.secret_revoked', about: secretId, actor: person },
      address: (await events(id))[0]?.address,
    });
  });

  for (const [action, name] of [
    ['new-secret', 'client'],
    ['replace', 'secret'],
    ['revoke', 'secret'],
    ['leaked', 'secret'],
  ] as const) {
    it(`answer at ${action} for another customer’s ids as for unknown ones`, async () => {
      const own = await newIntegration(`Own ${action}`);
      const other = await newIntegration(`Other ${action}`, { customer: 'norway' });
      const { browser } = await administrator();
      const ids = (one: typeof own) => (name === 'client' ? one.id : one.secretId);
      const form = await open(browser, `${ROOT}/${action}?${name}=${ids(own)}`);
      const csrf = /name="csrf" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
      const body = { csrf, name: 'Mine', keep: '0d', confirm: 'yes' };
      const unknown = ids(other).replace(/.{8}$/, '0'.repeat(8));
      for (const id of [ids(other), unknown]) {
        const url = `${server.issuer}${ROOT}/${action}?${name}=${id}`;
        const asked = await browser.open(url);
        expect([asked.status, asked.headers.get('location')]).to.deep.equal([303, ROOT]);
        const sent = { method: 'POST', body: new URLSearchParams(body) };
        const answer = await browser.open(url, sent);
        expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, ROOT]);
      }
      expect(await tokenWith(other.id, other.secret)).to.equal(200);
      expect(await liveSecrets(other.id)).to.have.length(1);
    });
  }

  it('are not there for people without the permission, nor in their navigation', async () => {
    const { email } = await newPerson([VIEW]);
    const { browser, page } = await signIn(email, '/account');
    expect(page.text).to.not.include('Integrations');
    for (const path of ['', '/new-secret', '/requests', '/people', '/secret']) {
      const { response } = await open(browser, ROOT + path);
      expect(response.status, path).to.equal(404);
    }
    const posted = await browser.open(`${server.issuer}${ROOT}/leaked`, { method: 'POST' });
    expect(posted.status).to.equal(404);
  });

  it('send people without a second factor to their sign-in methods', async () => {
    const { email } = await newPerson(undefined, false);
    const { browser, page } = await signIn(email, '/account');
    expect(page.text).to.include('Integrations');
    const sent = await open(browser, ROOT);
    expect(sent.url.pathname).to.equal('/account/factors');
    expect(sent.text).to.include('To manage integrations, you need a second step');
  });

  it('ask for the second factor in a session that began without one', async () => {
    const { id, email } = await newPerson(undefined, false);
    const { browser } = await signIn(email, '/account');
    const sealer = aesGcmSealer(new Secret(KEY));
    const factors = sqlTotpFactors(server.database, sealer, { now: () => new Date() });
    await factors.enrol(id, TOTP_SECRET);
    let page = await open(browser, ROOT);
    expect(page.url.pathname).to.match(/^\/interaction\//);
    if (page.text.includes('name="password"')) {
      page = await submit(browser, page, { email, password: PASSWORD });
    }
    page = await submit(browser, page, { code: totpCode(TOTP_SECRET) });
    expect([page.url.pathname, title(page)]).to.deep.equal([ROOT, 'Integrations']);
  });

  it('ask for a fresh proof before each change, and before a new secret is seen', async () => {
    const { id, secretId } = await newIntegration('Guarded');
    const { browser } = await administrator();
    const forms = [
      `new-secret?client=${id}`,
      ...['replace', 'revoke', 'leaked'].map((action) => `${action}?secret=${secretId}`),
    ];
    const pages = [];
    for (const form of forms) pages.push(await open(browser, `${ROOT}/${form}`));
    const late = Date.now() + 400_000;
    const now = Date.now;
    Date.now = () => late;
    try {
      for (const [index, form] of forms.entries()) {
        const asked = await open(browser, `${ROOT}/${form}`);
        expect(title(asked), form).to.equal('Confirm that it is you');
        expect(asked.url.searchParams.get('to')).to.equal(`${ROOT}/${form}`);
        const fields = { name: 'Mine', keep: '0d', confirm: 'yes' };
        const sent = await submit(browser, pages[index] as Shown, fields);
        expect(title(sent), form).to.equal('Confirm that it is you');
      }
      expect(title(await open(browser, `${ROOT}/secret`))).to.equal('Confirm that it is you');
      expect(title(await open(browser, ROOT)), 'to look').to.equal('Integrations');
    } finally {
      Date.now = now;
    }
    expect(await liveSecrets(id)).to.have.length(1);
  });

  it('give no secret of a service account that may do more than the person', async () => {
    const { id, secretId, secret } = await newIntegration('Mighty', { permissions: [FULL] });
    const { browser, page } = await administrator();
    expect(page.text).to.include('The operator of CLS makes its secrets.');
    expect(page.text).to.not.include(`replace?secret=${secretId}`);
    for (const path of [`new-secret?client=${id}`, `replace?secret=${secretId}`]) {
      expect((await open(browser, `${ROOT}/${path}`)).url.pathname).to.equal(ROOT);
    }
    const asked = await open(browser, `${ROOT}/leaked?secret=${secretId}`);
    const done = await submit(browser, asked, { confirm: 'yes' });
    expect(done.text).to.include('All secrets of the service account have ended');
    await refused(id, secret);
    expect(await liveSecrets(id)).to.have.length(0);
  });

  it('lead to the page of the use of the API, where there is an explorer', async () => {
    const { page } = await administrator();
    expect(page.text).to.include('<a class="button" href="https://balances.example/usage">');
  });

  it('show the token requests of the customer with the reasons of refusals, the newest first', async () => {
    const { id, secret } = await newIntegration('Asking');
    const other = await newIntegration('Fjord asking', { customer: 'norway' });
    await tokenWith(other.id, other.secret);
    expect(await tokenWith(id, secret)).to.equal(200);
    await refused(id, other.secret);
    const scope = encodeURIComponent(`${server.config.scopeBase}/auth/${FULL}`);
    expect(await tokenWith(id, secret, `&scope=${scope}`)).to.equal(400);
    const { browser } = await administrator();
    const { text } = await open(browser, `${ROOT}/requests`);
    const rows = [...text.matchAll(/<tr><td.*?<\/tr>/gs)].map(([row]) => row);
    const [newest, second, third] = rows.filter((row) => row.includes('>Asking<'));
    expect(newest).to.include('names a permission that the service account does not have');
    expect(second).to.include('The secret or key is wrong or has ended');
    expect(third)
      .to.include('Token issued')
      .and.match(/127\.0\.0\.1|::1/);
    expect(text).to.not.include('Fjord').and.not.include(secret);
  });

  it('list the customer’s people, page by page, and none of another customer', async () => {
    const { browser } = await administrator();
    await server.database.query(
      `INSERT INTO account (id, customer_id, email, permissions)
       SELECT 'acc_' || lpad(i::text, 26, '0'), CASE WHEN i > 120 THEN 'norway' ELSE 'india' END,
              'person' || i || '@' || CASE WHEN i > 120 THEN 'norway' ELSE 'india' END || '.example',
              '{cls-deal.view}' FROM generate_series(1, 121) AS i`,
    );
    const first = await open(browser, `${ROOT}/people`);
    expect(first.text).to.include('person1@<wbr>india.example').and.include('Invited');
    const [, more = ''] = /href="([^"]*people\?after=[^"]*)"/.exec(first.text) ?? [];
    const { text } = await open(browser, more);
    expect(text).to.include('admin-1@<wbr>india.example').and.not.include('>person1@');
    expect(text).to.include('With a second step at sign-in').and.include(INTEGRATIONS_PERMISSION);
    expect(first.text + text).to.not.include('norway');
  });

  it('say when people last signed in, and who never did', async () => {
    const { browser } = await administrator();
    await newPerson([VIEW], false);
    const { text } = await open(browser, `${ROOT}/people?after=acc_1`);
    expect(text).to.match(/last signed in <time datetime="\d{4}-\d\d-\d\dT/);
    expect(text).to.include('never signed in');
  });

  it('list the customer’s applications, with what they may ask for, and none of another customer', async () => {
    const { browser, page } = await administrator();
    const links = { initiate_login_uri: 'https://portal.india.example/login?from=cls' };
    const mine = await relyingParty(server, {
      ...{ name: 'Indian portal', customer: 'india', links, scopes: ['openid', VIEW] },
    });
    await relyingParty(server, { name: 'Fjord portal', customer: 'norway' });
    expect(page.text).to.include(`href="${ROOT}/applications"`);
    const { text } = await open(browser, `${ROOT}/applications`);
    expect(text).to.include('Indian portal').and.include(mine.id).and.include(VIEW);
    const iss = encodeURIComponent(server.issuer);
    expect(text).to.include(`href="https://portal.india.example/login?from=cls&amp;iss=${iss}"`);
    expect(text).to.not.include('Fjord');
  });

  it('show the logo of an application until it is switched off', async () => {
    const { browser } = await administrator();
    const records = applicationRecords(server.database);
    const { id } = await relyingParty(server, { name: 'Indian desk', customer: 'india' });
    await records.update(id, { logo: { name: `${id}.png`, body: Buffer.from('a picture') } });
    const shown = (await open(browser, `${ROOT}/applications`)).text;
    expect(shown).to.include(`<img src="/assets/${id}.png" width="40" height="40" alt="">`);
    await records.setDisabled(id, true);
    const { text } = await open(browser, `${ROOT}/applications`);
    expect(text).to.include('Indian desk').and.not.include('<img src="/assets/');
  });

  it('have a permission that a token of the person names after a second factor alone', async () => {
    const scopeOf = (permission: string) => `${server.config.scopeBase}/auth/${permission}`;
    const scopesWith = async (body: object) => {
      const response = await server.postJson(body);
      expect(response.status).to.equal(200);
      return `${claimsOf(await response.text())['scope']}`.split(' ');
    };
    const one = await newPerson([VIEW, INTEGRATIONS_PERMISSION], false);
    const password = { password: PASSWORD };
    expect(await scopesWith({ email: one.email, ...password })).to.deep.equal([scopeOf(VIEW)]);
    const scope = scopeOf(INTEGRATIONS_PERMISSION);
    const asked = await server.postJson({ email: one.email, ...password, scope });
    expect(asked.status).to.equal(400);
    const only = await newPerson([INTEGRATIONS_PERMISSION], false);
    const none = await server.postJson({ email: only.email, ...password });
    expect(none.status).to.equal(400);
    const two = await newPerson();
    const proven = { email: two.email, ...password, otp: totpCode(TOTP_SECRET) };
    expect(await scopesWith(proven)).to.deep.equal([scopeOf(VIEW), scope]);
  });
});
