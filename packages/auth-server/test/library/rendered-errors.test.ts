import { expect } from 'chai';
import { handOverErrors } from '../../src/library/reliances/rendered-errors.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

describe('the library’s errors', () => {
  let bare: BareProvider;
  before(async () => {
    bare = await startBareProvider();
  });
  after(() => bare?.stop());

  const typeFor = async (accept: string) => {
    const body = new URLSearchParams({ grant_type: 'none' });
    const answer = await fetch(`${bare.issuer}/token`, {
      ...{ method: 'POST', headers: { accept }, body },
    });
    return answer.headers.get('content-type') ?? '';
  };

  it('are a page to a browser and JSON to a program, until all are handed over', async () => {
    expect(await typeFor('text/html')).to.include('text/html');
    expect(await typeFor('application/json')).to.include('application/json');
    handOverErrors(bare.provider);
    expect(await typeFor('text/html')).to.include('text/html');
    expect(await typeFor('application/json')).to.include('text/html');
  });

  it('leave the request its own preference', async () => {
    const asked: unknown[] = [];
    const other = await startBareProvider({
      configuration: {
        renderError(ctx, out) {
          asked.push(ctx.request.accepts('json', 'html'));
          ctx.body = out;
        },
      },
      prepare: handOverErrors,
    });
    await other.token({ grant_type: 'none' });
    expect(asked).to.deep.equal(['json']);
    other.stop();
  });

  it('end the request when they are thrown again', async () => {
    const thrown: unknown[] = [];
    const other = await startBareProvider({
      configuration: {
        renderError(_ctx, _out, error) {
          throw error;
        },
      },
      prepare(provider) {
        handOverErrors(provider);
        provider.use(async (ctx, next) => {
          await next().catch((error: unknown) => thrown.push(error));
          ctx.body = {};
        });
      },
    });
    expect(await other.token({ grant_type: 'none' })).to.deep.equal({});
    expect(thrown).to.have.lengthOf(1);
    expect((thrown as { error: string }[])[0]?.error).to.equal('unsupported_grant_type');
    other.stop();
  });
});
