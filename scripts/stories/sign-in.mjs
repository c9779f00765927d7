// A person signs in to an application with password and second factor, up to the code.

import { sqlTotpFactors } from '../../packages/auth-server/dist/src/factors/sql-totp-factors.js';
import {
  createPerson,
  KEY,
  PASSWORD,
  startTestAuthServer,
  totpCode,
} from '../../packages/auth-server/dist/test/support/auth-server.js';
import {
  authorizationUrl,
  Browser,
  REDIRECT_URI,
  relyingParty,
} from '../../packages/auth-server/dist/test/support/relying-party.js';
import { aesGcmSealer } from '../../packages/shared/dist/src/seal.js';
import { Secret } from '../../packages/shared/dist/src/secret.js';
import { pglite } from '../../packages/testing/dist/src/engines.js';

const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

export async function prepare() {
  const server = await startTestAuthServer(pglite);
  const { database, issuer } = server;
  const portal = await relyingParty(server);
  const sealer = aesGcmSealer(new Secret(KEY));
  const totpFactors = sqlTotpFactors(database, sealer, { now: () => new Date() });
  let people = 0;
  let email;
  return {
    // A code is good once: each run signs in somebody else.
    async beforeRun() {
      people += 1;
      email = `person-${people}@india.example`;
      await totpFactors.enrol(await createPerson(database, email), TOTP_SECRET);
    },
    async run() {
      const browser = new Browser();
      const { url } = await authorizationUrl(portal);
      const first = await browser.follow(url);
      const second = await browser.submit(first, { email, password: PASSWORD });
      const end = await browser.submit(second, { code: totpCode(TOTP_SECRET) });
      if (!end.url.href.startsWith(REDIRECT_URI))
        throw new Error(`ended at ${end.url} of ${issuer}`);
    },
    stop: () => server.stop(),
  };
}
