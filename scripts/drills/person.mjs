// A person who signs in with a browser, into an application that keeps a refresh token.
import { createHash, randomBytes } from 'node:crypto';
import { Browser } from '../../packages/auth-server/dist/test/support/relying-party.js';

/** @returns the family of refresh tokens: the newest one, and how often it was used */
export async function signIn(send, { person, portal }) {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL('https://cls.example/oauth/authorize');
  url.search = new URLSearchParams({
    ...{ client_id: portal.clientId, redirect_uri: portal.callback, response_type: 'code' },
    ...{ scope: 'openid email', state: 'drill' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const browser = new Browser(send);
  const { email, password } = person;
  const page = await browser.submit(await browser.follow(url), { email, password });
  const code = page.url.searchParams.get('code');
  if (code === null) throw new Error(`the sign-in ended at ${page.url}`);
  const answer = await send('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, redirect_uri: portal.callback },
      ...{ code_verifier: verifier, client_id: portal.clientId },
    }),
  });
  const { refresh_token: token } = await answer.json();
  if (token === undefined) throw new Error('the sign-in gave no refresh token');
  return { token, used: 0 };
}
