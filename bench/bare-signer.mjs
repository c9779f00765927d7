// What the token endpoint is measured against: node:http and one RS256 signature, nothing else.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import {
  generateKeyPair,
  SignJWT,
} from '../packages/auth-server/node_modules/jose/dist/webapi/index.js';

const { privateKey } = await generateKeyPair('RS256');
const subject = `svc_${'0'.repeat(26)}`;

createServer(async (request, response) => {
  for await (const _ of request); // Reads the form, as a token endpoint must.
  const token = await new SignJWT({
    account_type: 'service_account',
    customer: 'bench',
    scope: 'http://localhost:8080/auth/cls-deal.view',
    client_id: subject,
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'x'.repeat(43) })
    .setIssuer('http://localhost:8080')
    .setAudience('http://localhost:8080/api')
    .setSubject(subject)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('24h')
    .sign(privateKey);
  const body = JSON.stringify({ access_token: token, expires_in: 86_400, token_type: 'Bearer' });
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
}).listen(Number(process.argv[2]), '127.0.0.1');
