import { silentLog } from '@cls/shared/log';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { type AuthServer, startAuthServer } from '../src/compose.ts';
import {
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
} from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

describe('a restart with MFA_POLICY=required', () => {
  let before: TestAuthServer;
  let running: AuthServer | undefined;
  let portal: RelyingParty;
  after(() => running?.stop());

  it('ends what was signed in without a second factor, and nothing else', async () => {
    before = await startTestAuthServer(anyEngine);
    portal = await relyingParty(before);
    const { person, guarded } = before;
    const [weak, strong] = [new Browser(), new Browser()];
    const first = await authorizationUrl(portal);
    const weakAnswer = await weak.submit(await weak.follow(first.url), { ...person });
    const weakTokens = await exchange(portal, first, weakAnswer.url);
    const second = await authorizationUrl(portal);
    const { email } = guarded;
    const page = await strong.submit(await strong.follow(second.url), {
      email,
      password: PASSWORD,
    });
    const strongAnswer = await strong.submit(page, { code: totpCode(guarded.totpSecret) });
    const strongTokens = await exchange(portal, second, strongAnswer.url);
    const held = await authorizationUrl(portal);
    const heldAnswer = await weak.follow(held.url);
    expect(heldAnswer.url.searchParams.has('code')).to.equal(true);
    await before.stop();

    running = await startAuthServer({ ...before.config, mfaPolicy: 'required' }, silentLog);
    const refresh = (token = '') =>
      client.refreshTokenGrant(portal.config, token).then(
        () => 'refreshed',
        (error: { error?: string }) => error.error,
      );
    expect(await refresh(weakTokens.refresh_token)).to.equal('invalid_grant');
    expect(await refresh(strongTokens.refresh_token)).to.equal('refreshed');
    const late = exchange(portal, held, heldAnswer.url).catch(
      (error: { error?: string }) => error.error,
    );
    expect(await late).to.equal('invalid_grant');
    const asked = await weak.follow((await authorizationUrl(portal)).url);
    expect(asked.url.pathname).to.match(/^\/interaction\//);
    const pages = await weak.follow(`${before.issuer}/account`);
    expect(pages.url.pathname).to.match(/^\/interaction\//);
    // Where nobody may be asked, the application hears that it must let the person sign in.
    const quiet = await weak.follow((await authorizationUrl(portal, { prompt: 'none' })).url);
    expect(quiet.url.searchParams.get('error')).to.equal('login_required');
  });
});
