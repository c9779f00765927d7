// An application that people sign in into, and that reads balances for them:
//
//   npx cls-auth applications create --name Portal --redirect-uri http://localhost:3000/callback
//   npm install openid-client
//   CLIENT_ID=app_… node portal.mjs      then open http://localhost:3000
//
// PORTAL_PORT is another port for it, ISSUER another address of CLS.
import { createServer } from 'node:http';
import * as client from 'openid-client';

const { ISSUER = 'http://localhost:8080', PORTAL_PORT = '3000', CLIENT_ID } = process.env;
const home = `http://localhost:${PORTAL_PORT}/`;
const redirect_uri = `${home}callback`;
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, undefined, client.None(), {
  execute: [client.allowInsecureRequests], // For http on one's own machine, and nowhere else.
});
/** Where the browser keeps the sign-in that it began: an answer to any other one is refused. */
const COOKIE = 'sign_in';
const cookie = (value, age) =>
  `${COOKIE}=${value}; Max-Age=${age}; Path=/callback; HttpOnly; SameSite=Lax`; // And Secure, over https.

async function signIn() {
  const state = client.randomState();
  const verifier = client.randomPKCECodeVerifier();
  const location = client.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: `openid email ${ISSUER}/auth/cls-deal.view`,
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { location: location.href, 'set-cookie': cookie(`${state}.${verifier}`, 900) };
}

async function signedIn(url, cookies = '') {
  const kept = cookies.match(new RegExp(`(?:^|; )${COOKIE}=([^.;]+)\\.([^;]+)`));
  if (kept === null) throw new Error(`This browser began no sign-in: begin at ${home}`);
  const [, expectedState, pkceCodeVerifier] = kept;
  const checks = { expectedState, pkceCodeVerifier, idTokenExpected: true };
  const tokens = await client.authorizationCodeGrant(config, url, checks);
  const api = new URL(`${ISSUER}/api/v1/cls/balances?limit=1`);
  const balances = await client.fetchProtectedResource(config, tokens.access_token, api, 'GET');
  return { person: tokens.claims(), balances: await balances.json() };
}

createServer(async (request, response) => {
  try {
    const url = new URL(request.url, home);
    if (url.pathname === '/') {
      response.writeHead(302, await signIn()).end();
    } else if (url.pathname === '/callback') {
      const seen = await signedIn(url, request.headers.cookie);
      response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': cookie('', 0) });
      response.end(JSON.stringify(seen, undefined, 2));
    } else {
      response.writeHead(404).end('Not found\n');
    }
  } catch (error) {
    response.writeHead(400).end(`${error.error ?? error.message}\n`);
  }
}).listen(Number(PORTAL_PORT), () => process.stdout.write(`open ${home}\n`));
