// openid-client: npm install openid-client
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as client from 'openid-client';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI: redirect_uri } = process.env;
const auth = client.ClientSecretBasic(CLIENT_SECRET);
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, undefined, auth, {
  execute: [client.allowInsecureRequests], // For http on one's own machine, and nowhere else.
});
const pkceCodeVerifier = client.randomPKCECodeVerifier();
const expectedState = client.randomState();
const url = client.buildAuthorizationUrl(config, {
  redirect_uri,
  scope: `openid email profile ${ISSUER}/auth/cls-deal.view`,
  state: expectedState,
  code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: 'S256',
});
console.log(url.href); // Open it, and paste the address where the browser ends.
const [ended] = await once(createInterface(process.stdin), 'line');
const checks = { pkceCodeVerifier, expectedState };
const first = await client.authorizationCodeGrant(config, new URL(ended), checks);
const tokens = await client.refreshTokenGrant(config, first.refresh_token);
const person = await client.fetchUserInfo(config, tokens.access_token, first.claims().sub);
console.log(JSON.stringify({ scope: tokens.scope, person }));
process.exit();
