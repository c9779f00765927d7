import { tokenVerifier } from '@cls/shared/access/verify-token';
import { warnOfClock } from '@cls/shared/access/warn-of-clock';
import type { Refusal } from '@cls/shared/http/refusal';
import { silentLog } from '@cls/shared/log';
import { expect } from 'chai';
import {
  AUDIENCE,
  goodClaims,
  ISSUER,
  newKey,
  signToken,
  type TestKey,
} from '../support/issuer.ts';

const NOW_S = 1_800_000_000;

/** A token that was issued at `NOW_S`, judged by a machine whose clock shows something else. */
describe('a token, where the clocks of issuer and API differ', () => {
  let key: TestKey;
  const lines: { fields: object; message: string }[] = [];
  before(async () => {
    key = await newKey('clock-key');
  });
  beforeEach(() => {
    lines.length = 0;
  });

  const log = {
    ...silentLog,
    warn: (fields: object, message: string) => void lines.push({ fields, message }),
  };
  async function judged(offsetsS: readonly number[], claims = {}, clockToleranceS = 30) {
    let offsetS = 0;
    const verify = tokenVerifier(
      { find: async () => key.publicKey as never },
      { issuer: ISSUER, audience: AUDIENCE, scopeBase: ISSUER, clockToleranceS },
      { now: () => new Date((NOW_S + offsetS) * 1000) },
      warnOfClock(log),
    );
    const token = await signToken(key, goodClaims({ iat: NOW_S, exp: NOW_S + 3_600, ...claims }));
    const refusals: (Refusal | undefined)[] = [];
    for (offsetS of offsetsS) {
      refusals.push(
        await verify(token).then(
          () => undefined,
          (refusal: Refusal) => refusal,
        ),
      );
    }
    const outcomes = refusals.map((refusal) => refusal?.details.code);
    return { outcomes, last: refusals.at(-1) };
  }

  it('is good up to the tolerance, behind and ahead', async () => {
    const { outcomes } = await judged([-30, -5, 0, 5, 3_600, 3_629]);
    expect(outcomes).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(lines).to.deep.equal([]);
  });

  it('has expired once the tolerance after its end has passed', async () => {
    expect((await judged([3_630, 7_200])).outcomes).to.deep.equal([
      'token_expired',
      'token_expired',
    ]);
  });

  it('is refused beyond the tolerance by a refusal that names the clock', async () => {
    const { outcomes, last } = await judged([-31]);
    expect(outcomes).to.deep.equal(['token_invalid']);
    expect(last?.details).to.include({ status: 403 });
    expect(last?.details.detail).to.match(
      /becomes valid in 31 seconds; .* The clock of this server/,
    );
    expect(last?.details.headers).to.deep.equal({
      'WWW-Authenticate': 'Bearer error="invalid_token"',
    });
  });

  it('is refused for an nbf beyond the tolerance too', async () => {
    expect((await judged([0], { nbf: NOW_S + 31 })).outcomes).to.deep.equal(['token_invalid']);
    expect((await judged([0], { nbf: NOW_S + 30 })).outcomes).to.deep.equal([undefined]);
  });

  it('is named in one log line with the clock, however many are refused', async () => {
    await judged([-31, -31, -31]);
    expect(lines).to.have.length(1);
    expect(lines[0]?.fields).to.deep.equal({ aheadS: 31, refused: 1 });
    expect(lines[0]?.message).to.match(/clock of this machine .* CLOCK_TOLERANCE_S/);
  });

  it('of another issuer puts no line about clocks into the log', async () => {
    const { outcomes } = await judged([-31], { iss: 'https://elsewhere.test' });
    expect(outcomes).to.deep.equal(['token_untrusted']);
    expect(lines).to.deep.equal([]);
  });

  it('is judged to the second where no tolerance is configured', async () => {
    const { outcomes } = await judged([-1, 0, 3_599, 3_600], {}, 0);
    expect(outcomes).to.deep.equal(['token_invalid', undefined, undefined, 'token_expired']);
  });
});
