import { runHosted } from '@cls/testing/tool-host';
import { expect } from 'chai';
import {
  AUDIENCE,
  goodClaims,
  ISSUER,
  type JwksServer,
  newKey,
  signToken,
  startJwksServer,
  type TestKey,
} from '../support/issuer.ts';

const TOOL = new URL('../../src/cli/run.js', import.meta.url);

describe('cls-api token explain', () => {
  let key: TestKey;
  let issuer: JwksServer;
  before(async () => {
    key = await newKey('test-key');
    issuer = await startJwksServer([key.jwk]);
  });
  after(() => issuer?.stop());

  const explain = async (token: string, ...words: string[]) => {
    const env = { ISSUER, AUDIENCE, SCOPE_BASE: ISSUER, JWKS_URL: issuer.url };
    return runHosted(TOOL, ['token', 'explain', ...words], env, token);
  };
  const nowS = () => Math.floor(Date.now() / 1_000);
  const signed = (changes: Record<string, unknown>, by = key) => signToken(by, goodClaims(changes));

  it('says of a good token that it is taken, and how long still', async () => {
    const token = await signed({ iat: nowS(), exp: nowS() + 7_300 });
    const { code, stdout } = await explain(`Bearer ${token}\n`);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^accepted\nThe API takes this token; it ends in 2 hours\.\n/);
    expect(stdout).to.include(`  aud        ${AUDIENCE}\n`);
    expect(stdout).not.to.include(token.slice(-20));
  });

  it('says when a token expired, and which audience, issuer, key or permission it lacks', async () => {
    const other = await newKey('other-key');
    const rows: readonly (readonly [string, string, string])[] = [
      [
        await signed({ iat: nowS() - 90_000, exp: nowS() - 7_300 }),
        'token_expired',
        'It expired 2 hours ago, at ',
      ],
      [
        await signed({ aud: 'https://other.test/api' }),
        'token_untrusted',
        `It is for another API: expected ${AUDIENCE}; found "https://other.test/api".`,
      ],
      [
        await signed({ iss: 'https://other.test' }),
        'token_untrusted',
        `Another issuer made it: expected ${ISSUER}; found "https://other.test".`,
      ],
      [
        await signed({}, other),
        'token_untrusted',
        'It was signed with a key that the issuer does not publish: removed, or never its own',
      ],
      [
        await signed({}, { ...other, kid: key.kid }),
        'token_invalid',
        'Its signature is wrong: the token was changed, or cut',
      ],
      [
        await signed({ scope: 'openid' }),
        'insufficient_permission',
        `Its scope is “openid”; this needs one of: ${ISSUER}/auth/cls-deal.view`,
      ],
      [await signed({ cnf: { jkt: 'x' } }), 'token_invalid', 'It is bound to something that'],
      [await signed({ customer: '?' }), 'token_invalid', 'The claim customer is wrong: expected'],
      [
        'abc',
        'token_invalid',
        'It is no token, or not a whole one: expected three parts of base64url',
      ],
    ];
    for (const [token, code, why] of rows) {
      const { code: exit, stdout } = await explain(token, '--json');
      expect(exit, why).to.equal(1);
      const told = JSON.parse(stdout);
      expect(told, why).to.include({ accepted: false, code });
      expect(told.why).to.include(why);
    }
  });

  it('says no more than it knows: without keys, or without a token', async () => {
    await issuer.stop();
    const { stdout } = await explain(await signed({}), '--json');
    expect(JSON.parse(stdout)).to.include({ status: 503, code: 'keys_unavailable' });
    await issuer.start();
    const empty = await explain('\n');
    expect([empty.code, empty.stderr]).to.deep.equal([
      2,
      'expected an access token on standard input\n',
    ]);
  });
});
