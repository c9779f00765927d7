import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import type { ClientSecretRecords } from '../src/clients/client-secret-records.ts';
import { basic, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { applicationRecords, clientSecrets } from './support/client-records.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';

describeOnDatabase('the secret of an application, replaced while the server runs', (engine) => {
  let server: TestAuthServer;
  let secrets: ClientSecretRecords;
  let id: string;
  let first: string;
  before(async () => {
    server = await startTestAuthServer(engine);
    secrets = clientSecrets(server.database);
    const created = await applicationRecords(server.database).create({
      name: 'Portal',
      firstParty: true,
      confidential: true,
      redirectUris: ['https://portal.example/callback'],
      postLogoutRedirectUris: [],
      backchannelLogoutUri: null,
      device: false,
    });
    id = created.id;
    first = created.secret?.expose() ?? '';
  });
  after(() => server?.stop());

  /** Who has proven itself hears that the token is bad; who has not, that the client is. */
  const answerTo = async (secret: string) => {
    const body = 'grant_type=refresh_token&refresh_token=none';
    const response = await server.post(body, basic(id, secret));
    return ((await response.json()) as { error: string }).error;
  };

  it('leaves the old one good for the overlap, and no longer', async () => {
    expect(await answerTo(first)).to.equal('invalid_grant');
    const second = (await secrets.replace({ clientId: id }, 60, {})).secret.expose();
    expect(await answerTo(second)).to.equal('invalid_grant');
    expect(await answerTo(first)).to.equal('invalid_grant');
    await server.database.query(
      `UPDATE application_secret SET expires_at = now() WHERE expires_at IS NOT NULL`,
    );
    await eventually(async () => expect(await answerTo(first)).to.equal('invalid_client'));
    expect(await answerTo(second)).to.equal('invalid_grant');
  });

  it('ends all others at once without an overlap, also those that still overlapped', async () => {
    const third = (await secrets.replace({ clientId: id }, 3_600, {})).secret.expose();
    const fourth = (await secrets.replace({ clientId: id }, 0, {})).secret.expose();
    await eventually(async () => expect(await answerTo(third)).to.equal('invalid_client'));
    expect(await answerTo(fourth)).to.equal('invalid_grant');
    const left = (await secrets.list(id)).filter(({ live }) => live);
    expect(left).to.have.length(1);
  });

  it('is not sought in a browser’s request, whose header may be for a proxy in front', async () => {
    const { url } = await authorizationUrl(await relyingParty(server));
    const browser = new Browser((target, init) =>
      fetch(target, {
        ...init,
        headers: { ...(init?.headers as object), ...basic('staging', 'guest') },
      }),
    );
    const page = await browser.follow(url);
    expect(page.response.status).to.equal(200);
    const signedIn = await browser.submit(page, server.person);
    expect(signedIn.url.searchParams.has('code')).to.equal(true);
  });
});
