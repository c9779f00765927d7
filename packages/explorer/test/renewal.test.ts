import { createServer, type Server } from 'node:http';
import { systemClock } from '@cls/shared/clock';
import { listening } from '@cls/shared/http/listening';
import { Secret } from '@cls/shared/secret';
import { expect } from 'chai';
import type { Issuer } from '../src/issuer/issuer.ts';
import { openIdIssuer } from '../src/issuer/openid-client.ts';
import { IssuerUnavailable, SignInOver } from '../src/sessions/session.ts';

describe('tokens that the issuer does not renew', () => {
  let server: Server;
  let issuer: Issuer;
  let answer = { status: 200, error: '' };
  before(async () => {
    const metadata: Record<string, string> = {};
    server = createServer((request, response) => {
      const isToken = request.url === '/token';
      response.writeHead(isToken ? answer.status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isToken ? { error: answer.error } : metadata));
    });
    const url = `http://127.0.0.1:${await listening(server, { host: '127.0.0.1', port: 0 })}`;
    Object.assign(metadata, { issuer: url, token_endpoint: `${url}/token` });
    const settings = { issuer: url, clientId: 'app_1', clientSecret: new Secret('hidden-word') };
    const scopes = { scope: 'openid', administratorScope: 'administer' };
    issuer = openIdIssuer(
      { ...settings, ...scopes, baseUrl: 'http://localhost:8083', timeoutS: 10 },
      systemClock,
    );
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const renewed = () => issuer.renew('refresh-token').catch((error: unknown) => error);

  it('end the session where it gives none any more', async () => {
    answer = { status: 400, error: 'invalid_grant' };
    expect(await renewed()).to.be.instanceOf(SignInOver);
  });

  it('end no session where it says to come back later, or does not answer', async () => {
    // Others of the explorer's address used up the limit: nothing is said of this token.
    answer = { status: 429, error: 'too_many_attempts' };
    expect(await renewed()).to.be.instanceOf(IssuerUnavailable);
    answer = { status: 503, error: 'temporarily_unavailable' };
    expect(await renewed()).to.be.instanceOf(IssuerUnavailable);
  });
});
