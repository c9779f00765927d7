import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { checkDirectory } from '../src/check/check-directory.ts';
import { checkClient, checkIssuer } from '../src/check/check-issuer.ts';
import { listening } from '../src/http/listening.ts';
import { reasonOf } from '../src/reason.ts';

describe('a check of the issuer', () => {
  let server: Server;
  let issuer: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const json = (status: number, body: unknown) => (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status).end(JSON.stringify(body));
  before(async () => {
    server = createServer((request, response) => answer(request, response));
    issuer = `http://127.0.0.1:${await listening(server, { host: '127.0.0.1', port: 0 })}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const ask = async (wrong: object = {}, mayBeDown = false) => {
    const expected = {
      issuer,
      audience: 'https://cls.example/api',
      scopeBase: 'https://cls.example',
    };
    const { findings } = await checkIssuer(issuer, { ...expected, ...wrong }, mayBeDown);
    return findings.map(({ check, result, found, todo }) => ({ check, result, found, todo }));
  };
  const metadata = () => ({
    issuer,
    protected_resources: ['https://cls.example/api'],
    scopes_supported: ['openid', 'https://cls.example/auth/cls-deal.view'],
  });

  it('is in order where both are configured alike', async () => {
    answer = json(200, metadata());
    const results = (await ask()).map(({ check, result }) => `${check} ${result}`);
    expect(results).to.deep.equal(['metadata ok', 'audience ok', 'scopes ok']);
  });

  it('names a wrong ISSUER, AUDIENCE and SCOPE_BASE, what both sides have and what to do', async () => {
    answer = json(200, metadata());
    for (const [wrong, check, setting] of [
      [{ issuer: `${issuer}/x` }, 'metadata', 'ISSUER'],
      [{ audience: 'https://other.example' }, 'audience', 'AUDIENCE'],
      [{ scopeBase: 'https://other.example' }, 'scopes', 'SCOPE_BASE'],
    ] as const) {
      const failed = (await ask(wrong)).filter(({ result }) => result === 'failed');
      expect(failed.map(({ check: name }) => name)).to.deep.equal([check]);
      expect(failed[0]?.todo).to.include(setting);
      expect(failed[0]?.found).to.include(Object.values(wrong)[0]);
    }
  });

  it('says so where nobody answers, or something else does', async () => {
    answer = json(502, {});
    expect((await ask())[0]).to.include({ check: 'metadata', result: 'failed' });
    expect((await ask({}, true))[0]).to.include({ check: 'metadata', result: 'warning' });
    for (const body of [null, 'nothing', 7, ['nothing'], { issuer: { toString: 1 } }]) {
      answer = json(200, body);
      const [finding] = await ask();
      expect(finding, JSON.stringify(body)).to.include({ check: 'metadata', result: 'failed' });
      expect(finding?.todo).to.include('set ISSUER');
    }
  });

  it('tells a client that is known from one with a wrong id or secret', async () => {
    let asked = '';
    const client = { clientId: 'app_1', clientSecret: 'hidden word:%' };
    const check = (error: string, status: number) => {
      answer = (request, response) => {
        asked = Buffer.from(`${request.headers.authorization?.slice(6)}`, 'base64').toString();
        json(status, { error })(request, response);
      };
      return checkClient(`${issuer}/oauth/token`, client, 'EXPLORER_CLIENT_ID');
    };
    expect(await check('invalid_grant', 400)).to.include({ check: 'client', result: 'ok' });
    expect(asked).to.equal('app_1:hidden%20word%3A%25');
    const refused = await check('invalid_client', 401);
    expect(refused).to.include({ check: 'client', result: 'failed' });
    expect(refused.todo).to.include('EXPLORER_CLIENT_ID');
    expect(await check('temporarily_unavailable', 503)).to.include({ result: 'warning' });
    expect(JSON.stringify(refused)).not.to.include('hidden');
    answer = json(200, null);
    const odd = await checkClient(`${issuer}/oauth/token`, client, 'EXPLORER_CLIENT_ID');
    expect(odd).to.include({ result: 'warning', todo: 'look at the log of auth-server' });
  });
});

describe('what a check finds', () => {
  it('names NODE_EXTRA_CA_CERTS where a certificate is not trusted, and only then', () => {
    const untrusted = Object.assign(new Error('self-signed certificate in certificate chain'), {
      code: 'SELF_SIGNED_CERT_IN_CHAIN',
    });
    expect(reasonOf(untrusted)).to.include('NODE_EXTRA_CA_CERTS');
    expect(reasonOf(new Error('fetch failed', { cause: untrusted }))).to.match(
      /^fetch failed \(self-signed .*NODE_EXTRA_CA_CERTS/,
    );
    expect(reasonOf(new Error('fetch failed', { cause: new Error('refused') }))).to.equal(
      'fetch failed (refused)',
    );
  });

  it('says that a directory cannot be written, not that its disk has no room', () => {
    // Not even an administrator may write there.
    for (const directory of ['/proc/cls', '/proc/self']) {
      const finding = checkDirectory('audit', 'directory', directory);
      expect(finding).to.include({ result: 'failed' });
      expect(finding.found).to.include(`${directory} cannot be written`);
    }
  });
});
