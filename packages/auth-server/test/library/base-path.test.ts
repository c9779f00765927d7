import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { mountAt } from '../../src/server/every-request.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

describe('the library below a path', () => {
  let bare: BareProvider;
  let server: Server;
  before(async () => {
    bare = await startBareProvider();
    const handler = bare.provider.callback();
    server = createServer((request, response) => {
      mountAt(request, '/below');
      handler(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server?.close();
    bare?.stop();
  });

  it('puts the path before those of its own URLs', async () => {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`);
    expect(await answer.json()).to.include({
      token_endpoint: `http://127.0.0.1:${port}/below/token`,
      end_session_endpoint: `http://127.0.0.1:${port}/below/session/end`,
    });
  });
});
