import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import type { DeviceAuthorizationResponse } from 'openid-client';
import * as client from 'openid-client';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { Browser, type RelyingParty, relyingParty } from './support/relying-party.ts';

describeOnDatabase('a second device that asks whether it is let in', (engine) => {
  let server: TestAuthServer;
  let tool: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(engine);
    tool = await relyingParty(server, { redirectUris: [], device: true, confidential: false });
  });
  after(() => server?.stop());

  const begin = () => client.initiateDeviceAuthorization(tool.config, { scope: 'openid' });
  const poll = async ({ device_code }: DeviceAuthorizationResponse) => {
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: tool.id,
      device_code,
    });
    const answer = await fetch(`${server.issuer}/oauth/token`, { method: 'POST', body });
    return (await answer.json()) as { error?: string; access_token?: string };
  };
  /** As if that many seconds had passed since the last poll. */
  const wait = (seconds: number) =>
    server.database.query(
      `UPDATE protocol_state SET expires_at = expires_at - make_interval(secs => $1)
       WHERE kind = 'DevicePoll'`,
      [seconds],
    );
  const allow = async ({ verification_uri_complete: uri = '' }: DeviceAuthorizationResponse) => {
    const browser = new Browser();
    const form = await browser.follow(uri);
    const confirm = await browser.submit(form, { confirm: 'yes' });
    const fields = { email: server.person.email, password: PASSWORD };
    return browser.submit(confirm, fields);
  };

  it('gets the time to wait between two polls', async () => {
    expect((await begin()).interval).to.equal(5);
  });

  it('gets slow_down when it asks too soon, and must wait longer each time', async () => {
    const begun = await begin();
    expect(await poll(begun)).to.include({ error: 'authorization_pending' });
    expect(await poll(begun)).to.include({ error: 'slow_down' });
    await wait(5); // No longer enough.
    expect(await poll(begun)).to.include({ error: 'slow_down' });
    await wait(15);
    expect(await poll(begun)).to.include({ error: 'authorization_pending' });
    expect((await poll(await begin())).error, 'another device').to.equal('authorization_pending');
  });

  it('that keeps to the interval is never told so', async () => {
    const begun = await begin();
    for (let n = 0; n < 3; n += 1) {
      expect(await poll(begun)).to.include({ error: 'authorization_pending' });
      await wait(5);
    }
  });

  it('of many polls at once has one that is not too soon', async () => {
    const begun = await begin();
    const answers = await Promise.all(Array.from({ length: 5 }, () => poll(begun)));
    const pending = answers.filter(({ error }) => error === 'authorization_pending');
    expect(pending).to.have.length(1);
  });

  it('gets its token the moment that the person lets it in, and can poll on meanwhile', async () => {
    const begun = await begin();
    await poll(begun);
    await allow(begun);
    expect((await poll(begun)).access_token).to.be.a('string');
  });
});
