import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { anyEngine } from '@cls/testing/engines';
import { freePort } from '@cls/testing/servers';
import { sqlUpstreamProviders } from '../../src/organisations/sql-upstream.ts';
import { KEY, startTestAuthServer, type TestAuthServer } from './auth-server.ts';
import { applicationRecords } from './client-records.ts';

/** A provider of the organisation that has the domain: another auth-server, which knows `server` as an application. */
export async function startOrganisation(
  server: TestAuthServer,
  domain: string,
): Promise<TestAuthServer> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const upstream = await startTestAuthServer(anyEngine, { ISSUER: issuer, AUTH_PORT: `${port}` });
  const { id, secret } = await applicationRecords(upstream.database).create({
    ...{ name: 'CLS', firstParty: true, confidential: true, device: false },
    redirectUris: [`${server.issuer}/upstream/${domain}`],
    ...{ postLogoutRedirectUris: [], backchannelLogoutUri: null },
  });
  await sqlUpstreamProviders(server.database, aesGcmSealer(new Secret(KEY))).add({
    ...{ domain, customer: 'india', issuer, clientId: id },
    ...{ clientSecret: secret ?? new Secret(''), emailClaim: 'email' },
    emailVerifiedClaim: 'email_verified',
  });
  return upstream;
}
