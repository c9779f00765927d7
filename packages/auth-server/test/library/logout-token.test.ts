import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { nameSessions } from '../../src/library/client-metadata.ts';
import { sendLogoutToken } from '../../src/library/reliances/logout-token.ts';
import {
  type BareProvider,
  CALLBACK,
  startBareProvider,
  VERIFIER,
} from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('the library tells an application of a logout', () => {
  let bare: BareProvider;
  let application: Server;
  let uri = '';
  let status = 200;
  const bodies: URLSearchParams[] = [];
  before(async () => {
    application = createServer(async (request, response) => {
      bodies.push(new URLSearchParams(Buffer.concat(await request.toArray()).toString()));
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    uri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/logout`;
    const configuration = {
      fetch: (url: URL | string, { dispatcher: _, ...options }: { dispatcher?: unknown } = {}) =>
        fetch(url, options),
    };
    bare = await startBareProvider({ configuration: configuration as never });
  });
  after(() => {
    application?.close();
    bare?.stop();
  });

  const clientWith = async (metadata: Record<string, unknown>) => {
    bare.clients.set('portal', { ...bare.clients.get('portal'), ...metadata });
    const client = await bare.provider.Client.find('portal');
    if (client === undefined) throw new Error('no client');
    return client;
  };
  const informed = () =>
    clientWith({ backchannel_logout_uri: uri, backchannel_logout_session_required: true });

  it('outside of any request, with a token that names the person and the session', async () => {
    await sendLogoutToken(await informed(), 'person', 'the-sid');
    const token = bodies.at(-1)?.get('logout_token') ?? '';
    expect(decodeProtectedHeader(token)).to.include({ alg: 'RS256', typ: 'logout+jwt' });
    const claims = decodeJwt(token);
    expect(claims).to.include({ iss: bare.issuer, aud: 'portal', sub: 'person', sid: 'the-sid' });
    expect(claims['events']).to.have.property('http://schemas.openid.net/event/backchannel-logout');
  });

  it('and fails where the application does not take it', async () => {
    status = 503;
    const refused = await sendLogoutToken(await informed(), 'person', 'sid').catch(String);
    expect(refused).to.match(/expected 200 OK/);
  });

  it('and names the session in ID tokens of each application by the method that is replaced', async () => {
    bare.clients.set('portal', {
      ...bare.clients.get('portal'),
      backchannel_logout_uri: undefined,
      backchannel_logout_session_required: undefined,
    });
    const sidOf = async () => {
      const code = await bare.signIn(new Browser());
      const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
      const tokens = await bare.token({ ...fields, code_verifier: VERIFIER });
      return decodeJwt(String(tokens['id_token']))['sid'];
    };
    expect(await sidOf()).to.equal(undefined);
    nameSessions(bare.provider);
    expect(await sidOf()).to.be.a('string');
    expect(await sidOf()).not.to.equal(await sidOf());
  });
});
