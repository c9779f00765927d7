import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listening } from '@cls/shared/http/listening';
import { temporaryDirectory } from '@cls/testing/servers';
import { runProgram } from '@cls/testing/tool-help';
import { expect } from 'chai';
import { exportJWK, generateKeyPair } from 'jose';
import { checks } from '../src/cli/check.ts';
import { parseConfig, parseDatabase } from '../src/config.ts';

const TOOL = fileURLToPath(new URL('../../bin/cls-explorer.mjs', import.meta.url));

describe('cls-explorer check', () => {
  const answers = new Map<string, unknown>();
  let server: Server;
  let url: string;
  before(async () => {
    server = createServer((request, response) => {
      const answer = answers.get(request.url ?? '');
      response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
    });
    url = `http://127.0.0.1:${await listening(server, { host: '127.0.0.1', port: 0 })}`;
    const { publicKey } = await generateKeyPair('RS256', { extractable: true });
    const key = { ...(await exportJWK(publicKey)), kid: 'a', alg: 'RS256', use: 'sig' };
    answers.set('/jwks', { keys: [key] });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  async function check(): Promise<readonly string[]> {
    const config = parseConfig({
      ...{ ISSUER: url, EXPLORER_CLIENT_ID: 'app_1', EXPLORER_CLIENT_SECRET: 'hidden-word' },
      CLS_DATA_DIR: join(temporaryDirectory('cls-explorer-'), 'data'),
    });
    const findings = (await Promise.all(checks(config))).flat();
    return findings.map(({ part, check: name, result }) => `${part} ${name}: ${result}`);
  }

  it('finds an issuer that is another, and an API that is none', async () => {
    answers.set('/.well-known/openid-configuration', { issuer: 'https://other.example' });
    const found = await check();
    expect(found).to.include.members(['issuer metadata: failed', 'API versions: failed']);
  });

  it('finds both in order, with the issuer’s key set and clock', async () => {
    const endpoints = { jwks_uri: `${url}/jwks`, token_endpoint: `${url}/token` };
    answers.set('/.well-known/openid-configuration', { issuer: url, ...endpoints });
    answers.set('/token', { error: 'invalid_grant' });
    answers.set('/api', { object: 'list', data: [{ id: 'v1' }] });
    const inOrder = [
      'issuer metadata',
      'issuer client',
      'key set keys',
      'key set clock',
      'API versions',
    ];
    const found = await check();
    expect(found).to.include.members(inOrder.map((one) => `${one}: ok`));
    expect(found).to.include('sessions store: ok');
  });

  it('finds an id or a secret that auth-server does not know', async () => {
    answers.set('/token', { error: 'invalid_client' });
    expect(await check()).to.include('issuer client: failed');
  });
});

describe('cls-explorer migrate', () => {
  it('shows examples that run as they are in the environment of the service', async () => {
    const { stdout } = await runProgram(TOOL, ['migrate', '--help']);
    expect(stdout).to.match(
      /\nExamples:\n {2}cls-explorer migrate\n {2}cls-explorer migrate --check\n$/,
    );
  });

  it('needs no application’s id or secret, only where the store is', () => {
    const CLS_DATA_DIR = join(temporaryDirectory('cls-explorer-'), 'data');
    const env = { ISSUER: 'http://localhost:1', CLS_DATA_DIR };
    expect(() => parseConfig(env)).to.throw('EXPLORER_CLIENT_ID');
    const EXPLORER_DATABASE_URL = 'postgres://owner@db/cls_explorer';
    expect(parseDatabase({ ...env, EXPLORER_DATABASE_URL })).to.include({ kind: 'postgres' });
  });
});
