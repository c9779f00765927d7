import { expect } from 'chai';
import { errors } from '../../src/library/oidc.ts';
import { checkParameters } from '../../src/library/reliances/parameter-checks.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

describe('a check of a parameter that the library knows', () => {
  let bare: BareProvider;
  const seen: (string | undefined)[] = [];
  before(async () => {
    bare = await startBareProvider({
      configuration: {
        extraParams: checkParameters({
          response_mode: (_, value) => seen.push(value),
          scope(_, value) {
            if (value === 'read') throw new errors.InvalidScope('not alone', value);
          },
        }),
      },
    });
  });
  after(() => bare?.stop());

  const ask = (more: Record<string, string>) =>
    fetch(bare.authorizationUrl(more), { redirect: 'manual' });

  it('runs before anybody signs in, and its error is the answer', async () => {
    expect((await ask({ scope: 'read' })).headers.get('location')).to.include('error=invalid_sc');
    expect((await ask({})).headers.get('location')).to.match(/^\/interaction\//);
  });

  it('runs where the parameter was not sent, too', async () => {
    seen.length = 0;
    await ask({});
    await ask({ response_mode: 'query' });
    expect(seen).to.deep.equal([undefined, 'query']);
  });
});
