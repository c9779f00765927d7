// What the token endpoint is measured against: node:http and one RS256 signature, nothing else.
// `crypto.sign` with a callback signs on Node's thread pool, and is the fastest way there is.

import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const subject = `svc_${'0'.repeat(26)}`;
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = encode({ alg: 'RS256', typ: 'at+jwt', kid: 'x'.repeat(43) });

createServer((request, response) => {
  request.resume(); // Reads the form, as a token endpoint must.
  request.once('end', () => {
    const iat = Math.floor(Date.now() / 1000);
    const claims = encode({
      account_type: 'service_account',
      customer: 'bench',
      jti: randomUUID(),
      sub: subject,
      iat,
      exp: iat + 86_400,
      scope: 'http://localhost:8080/auth/cls-deal.view',
      client_id: subject,
      iss: 'http://localhost:8080',
      aud: 'http://localhost:8080/api',
    });
    const signed = `${header}.${claims}`;
    sign('sha256', Buffer.from(signed), privateKey, (error, signature) => {
      if (error) throw error;
      const token = `${signed}.${signature.toString('base64url')}`;
      const body = JSON.stringify({
        access_token: token,
        expires_in: 86_400,
        token_type: 'Bearer',
      });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
    });
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
