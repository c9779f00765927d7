// oauth4webapi: npm install oauth4webapi
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as oauth from 'oauth4webapi';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI } = process.env;
const http = { [oauth.allowInsecureRequests]: true }; // For http on one's own machine, and nowhere else.
const issuer = new URL(ISSUER);
const found = await oauth.discoveryRequest(issuer, http);
const as = await oauth.processDiscoveryResponse(issuer, found);
const client = { client_id: CLIENT_ID };
const auth = oauth.ClientSecretBasic(CLIENT_SECRET);
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const url = new URL(as.authorization_endpoint);
url.search = new URLSearchParams({
  client_id: CLIENT_ID,
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: `openid email profile ${ISSUER}/auth/cls-deal.view`,
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
});
console.log(url.href); // Open it, and paste the address where the browser ends.
const [ended] = await once(createInterface(process.stdin), 'line');
const answer = oauth.validateAuthResponse(as, client, new URL(ended), state);
const asked = [as, client, auth];
const first = await oauth.processAuthorizationCodeResponse(
  as,
  client,
  await oauth.authorizationCodeGrantRequest(...asked, answer, REDIRECT_URI, verifier, http),
);
const { sub } = oauth.getValidatedIdTokenClaims(first);
const tokens = await oauth.processRefreshTokenResponse(
  as,
  client,
  await oauth.refreshTokenGrantRequest(...asked, first.refresh_token, http),
);
const told = await oauth.userInfoRequest(as, client, tokens.access_token, http);
const person = await oauth.processUserInfoResponse(as, client, sub, told);
console.log(JSON.stringify({ scope: tokens.scope, person }));
process.exit();
