import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { adminClient, askForToken, newCaller } from './support/administrator.ts';
import {
  createPerson,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
} from './support/auth-server.ts';
import { authorizationUrl, Browser, exchange, relyingParty } from './support/relying-party.ts';

const NAME = 'Asha Rao';
const EMAIL = 'asha@india.example';

describeOnDatabase('what applications call a person', (engine) => {
  let server: TestAuthServer;
  let id: string;
  before(async () => {
    server = await startTestAuthServer(engine);
    id = await createPerson(server.database, EMAIL);
    await sqlAccounts(server.database).rename(id, NAME);
  });
  after(() => server?.stop());

  const userinfo = async (scope: string, email = EMAIL) => {
    const party = await relyingParty(server);
    const flow = await authorizationUrl(party, { scope });
    const browser = new Browser();
    const fields = { email, password: PASSWORD };
    const { url } = await browser.submit(await browser.follow(flow.url), fields);
    const tokens = await exchange(party, flow, url);
    return client.fetchUserInfo(party.config, tokens.access_token, tokens.claims()?.sub ?? '');
  };

  it('is at userinfo with `profile`, and not without', async () => {
    expect(await userinfo('openid profile')).to.deep.equal({ sub: id, name: NAME });
    expect(await userinfo('openid email')).not.to.have.property('name');
  });

  it('is left out where nobody said', async () => {
    const person = await userinfo('openid profile', server.person.email);
    expect(person).to.have.keys('sub');
  });

  it('is asked about on behalf of a third party', async () => {
    const party = await relyingParty(server, { firstParty: false });
    const browser = new Browser();
    const flow = await authorizationUrl(party, { scope: 'openid profile' });
    const fields = { email: EMAIL, password: PASSWORD };
    const { response } = await browser.submit(await browser.follow(flow.url), fields);
    expect(await response.text()).to.include('See your name');
  });

  it('is shown on the account page, and in the file of all that is kept', async () => {
    const browser = new Browser();
    const fields = { email: EMAIL, password: PASSWORD };
    const start = await browser.follow(`${server.issuer}/account`);
    const { response } = await browser.submit(start, fields);
    expect(await response.text()).to.include(NAME);
    const file = await browser.open(`${server.issuer}/account/data.json`);
    expect(await file.json()).to.have.nested.property('account.name', NAME);
  });

  it('is changed by the person, and taken away by leaving it empty', async () => {
    const email = 'renames@india.example';
    await createPerson(server.database, email);
    const browser = new Browser();
    const open = async (path: string) => {
      const at = await browser.follow(`${server.issuer}${path}`);
      return { ...at, text: await at.response.text() };
    };
    const start = await open('/account/name');
    await browser.submit(start, { email, password: PASSWORD });
    const change = async (name: string) => {
      const { response } = await browser.submit(await open('/account/name'), { name });
      return response.text();
    };
    const changed = await change('  Mina  Lee ');
    expect(changed).to.include('Mina  Lee').and.include('Your name was changed.');
    expect(await userinfo('openid profile', email)).to.include({ name: 'Mina  Lee' });
    for (const wrong of ['a\u202Eb', 'x'.repeat(101), 'Pay at evil.example', 'http://x', 'a@b']) {
      expect(await change(wrong)).to.include('at most 100 characters on one line');
    }
    expect(await userinfo('openid profile', email)).to.include({ name: 'Mina  Lee' });
    expect(await change(' ')).to.include('Your name was changed.');
    expect(await userinfo('openid profile', email)).to.have.keys('sub');
  });

  it('is given, changed and taken away by an administrator', async () => {
    const caller = await newCaller(server);
    const token = (await (
      await askForToken(server, caller, { resource: `${server.issuer}/admin` })
    ).json()) as { access_token: string };
    const call = adminClient(server, token.access_token);
    const invited = await call('POST', '/accounts', {
      ...{ email: 'named@india.example', name: ' Mina  Lee ', permissions: ['cls-deal.view'] },
    });
    expect(invited.body.account).to.include({ name: 'Mina  Lee' });
    const path = `/accounts/${invited.body.account.id}`;
    expect((await call('PUT', `${path}/name`, { name: NAME })).body).to.include({ name: NAME });
    expect((await call('PUT', `${path}/name`, { name: null })).body).not.to.have.property('name');
    for (const body of [
      {},
      { name: '' },
      { name: 'a\u202Eb' },
      { name: 'www.evil.example' },
      { name: 1 },
      { nom: 'x' },
    ]) {
      expect((await call('PUT', `${path}/name`, body)).status).to.equal(400);
    }
  });
});
