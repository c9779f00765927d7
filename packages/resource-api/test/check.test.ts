import { join } from 'node:path';
import type { Finding } from '@cls/shared/check/finding';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { type JwksServer, newKey, startJwksServer } from './support/issuer.ts';
import { runWith } from './support/tool.ts';

describe('cls-api check', () => {
  let jwks: JwksServer;
  before(async () => {
    jwks = await startJwksServer([(await newKey('check-key')).jwk]);
  });
  after(() => jwks.stop());
  const CLS_DATA_DIR = join(temporaryDirectory('cls-check-'), 'data');

  async function keySet(url = jwks.url): Promise<readonly string[]> {
    const { stdout, code } = await runWith({ CLS_DATA_DIR, JWKS_URL: url }, 'check', '--json');
    const { passed, findings } = JSON.parse(stdout) as {
      passed: boolean;
      findings: readonly Finding[];
    };
    expect(code).to.equal(passed ? 0 : 1);
    return findings
      .filter(({ part }) => part === 'key set')
      .map(({ check, result, found }) => `${result} ${check}: ${found}`);
  }

  it('reads the other service’s key set, as the API does', async () => {
    const [keys, clock] = await keySet();
    expect(keys).to.match(/^ok keys: 1 key/);
    expect(clock).to.match(/^ok clock/);
  });

  it('finds a key set that is not one, an error, and an issuer that is down', async () => {
    const answerWith = (status: number, body: string) =>
      jwks.serveWith((_, response) => void response.writeHead(status).end(body));
    answerWith(200, '{"keys":[]}');
    expect((await keySet())[0]).to.match(/^failed keys: .*not a key set/);
    answerWith(502, 'bad gateway');
    expect((await keySet())[0]).to.match(/^failed reachable: .*answers 502/);
    expect((await keySet('http://127.0.0.1:1/jwks.json'))[0]).to.match(/^failed reachable/);
  });

  it('finds an issuer whose clock is minutes off', async () => {
    const { jwk } = await newKey('check-key');
    jwks.serveWith((_, response) => {
      response.sendDate = false;
      response.setHeader('date', new Date(Date.now() + 300_000).toUTCString());
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    expect((await keySet())[1]).to.match(/^failed clock: (29\d|30\d).\d s ahead of/);
  });
});
