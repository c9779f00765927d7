import { expect } from 'chai';
import { answerAsJson } from '../../src/library/reliances/json-errors.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

describe('the library’s answer to a refused request', () => {
  let bare: BareProvider;
  let asked = false;
  before(async () => {
    bare = await startBareProvider({
      prepare: (provider) =>
        provider.use((ctx, next) => {
          if (asked) answerAsJson(ctx.req);
          return next();
        }),
    });
  });
  after(() => bare?.stop());

  const typeOf = async () => {
    const headers = { accept: 'text/html' };
    const body = new URLSearchParams({ grant_type: 'none' });
    const answer = await fetch(`${bare.issuer}/token`, { method: 'POST', headers, body });
    return answer.headers.get('content-type') ?? '';
  };

  it('is a page to a browser, and JSON where that is asked for in its place', async () => {
    expect(await typeOf()).to.include('text/html');
    asked = true;
    expect(await typeOf()).to.include('application/json');
  });
});
