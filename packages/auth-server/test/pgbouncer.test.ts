import { postgresThroughPgbouncer, requirePgbouncer } from '@cls/testing/engines';
import { expect } from 'chai';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, exchange, relyingParty } from './support/relying-party.ts';

describe('auth-server on a database behind pgbouncer', () => {
  let server: TestAuthServer;
  before(async function () {
    await requirePgbouncer(this);
    server = await startTestAuthServer(postgresThroughPgbouncer);
  });
  after(() => server?.stop());

  it('gives tokens to many callers at once', async () => {
    const { id, secret } = server.client;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => server.postJson({ client_id: id, client_secret: secret })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
  });

  it('signs people in, and one of many exchanges of a code wins', async () => {
    const portal = await relyingParty(server);
    const browser = new Browser();
    const flow = await authorizationUrl(portal);
    const { email } = server.person;
    const { url } = await browser.submit(await browser.follow(flow.url), {
      email,
      password: PASSWORD,
    });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => exchange(portal, flow, url)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
  });
});
