import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { newRsaKey } from '../src/keys/rsa-key.ts';
import { PUBLISHED_MAX, type SigningKeyStore } from '../src/keys/signing-key.ts';
import { sqlSigningKeyStore } from '../src/keys/sql-signing-keys.ts';
import { adminClient, adminToken, newCaller } from './support/administrator.ts';
import { basic, KEY, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';

const EARLY = { early: true };
const IN_TIME = { early: false };
const sealer = aesGcmSealer(new Secret(KEY));

describeOnDatabase('rotation of the signing key, while the server runs', (engine) => {
  let server: TestAuthServer;
  let keys: SigningKeyStore;
  before(async () => {
    server = await startTestAuthServer(engine);
    keys = sqlSigningKeyStore(server.database, sealer, 2048);
  });
  after(() => server?.stop());

  const published = async () => {
    const response = await fetch(`${server.issuer}/.well-known/jwks.json`);
    return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  const signsWith = async () => {
    const { id, secret } = server.client;
    const response = await server.post('grant_type=client_credentials', basic(id, secret));
    const { access_token: token } = (await response.json()) as { access_token: string };
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    return header.kid as string;
  };
  const inState = async (state: string) =>
    (await keys.list()).filter((key) => key.state === state).map(({ kid }) => kid);
  const age = (column: 'created_at' | 'retired_at', kid: string | undefined, seconds: number) =>
    server.database.query(
      `UPDATE signing_key SET ${column} = ${column} - make_interval(secs => $2) WHERE kid = $1`,
      [kid ?? null, seconds],
    );

  it('publishes a staged key, and signs with the one before', async () => {
    const [first] = await published();
    await keys.stage();
    await eventually(async () => expect(await published()).to.have.length(2));
    expect(await signsWith()).to.equal(first);
    expect(await keys.stage()).to.deep.equal({ refused: 'staged_already' });
  });

  it('refuses to sign with it before verifiers can know it, and does so after', async () => {
    const [staged] = await inState('staged');
    await age('created_at', staged, 300);
    expect(await keys.promote(IN_TIME)).to.include({ refused: 'early' });
    await age('created_at', staged, 301);
    expect(await keys.promote(IN_TIME)).not.to.have.property('refused');
    await eventually(async () => expect(await signsWith()).to.equal(staged));
    expect(await published(), 'tokens of the old key stay good').to.have.length(2);
    expect(await keys.promote(IN_TIME)).to.deep.equal({ refused: 'none_staged' });
  });

  it('withdraws the old key when its last tokens have expired, and not before', async () => {
    const [retiring] = await inState('retiring');
    const [active] = await inState('active');
    expect(await keys.remove(active ?? '', EARLY)).to.deep.equal({ refused: 'signs' });
    await age('retired_at', retiring, 24 * 3_600);
    expect(await keys.remove(retiring ?? '', IN_TIME)).to.include({ refused: 'early' });
    await age('retired_at', retiring, 3_601);
    expect(await keys.remove(retiring ?? '', IN_TIME)).not.to.have.property('refused');
    await eventually(async () => expect(await published()).to.deep.equal([active]));
    expect(await keys.remove(retiring ?? '', IN_TIME)).to.deep.equal({ refused: 'unknown' });
  });

  it('takes back a staged key, which has signed nothing', async () => {
    await keys.stage();
    const [staged] = await inState('staged');
    expect(await keys.remove(staged ?? '', IN_TIME)).not.to.have.property('refused');
    await eventually(async () => expect(await published()).not.to.include(staged));
  });

  it('replaces a key that leaked at once: what it signed is refused', async () => {
    const token = await adminToken(server, await newCaller(server));
    const status = async () => (await adminClient(server, token)('GET', '/accounts')).status;
    expect(await status()).to.equal(200);
    const [leaked] = await inState('active');
    await keys.stage();
    await keys.promote(EARLY);
    await keys.remove(leaked ?? '', EARLY);
    await eventually(async () => expect(await status()).to.equal(403));
    // Those who verify and the one who signs hear of it by themselves.
    await eventually(async () => expect(await signsWith()).not.to.equal(leaked));
  });

  it('lets one of several who stage at once win', async () => {
    const steps = await Promise.all([keys.stage(), keys.stage(), keys.stage()]);
    const refused = steps.filter((step) => 'refused' in step);
    expect(refused).to.deep.equal([{ refused: 'staged_already' }, { refused: 'staged_already' }]);
  });

  it('never publishes more keys than verifiers take', async () => {
    const jwk = await newRsaKey(2048);
    for (let count = (await keys.list()).length; count < PUBLISHED_MAX; count += 1) {
      const kid = `old-${count}`;
      await server.database.query(
        `INSERT INTO signing_key (kid, state, sealed_private_jwk, retired_at)
         VALUES ($1, 'retiring', $2, now())`,
        [kid, sealer.seal(JSON.stringify({ ...jwk, kid }), `signing_key:${kid}`)],
      );
    }
    await keys.promote(EARLY);
    expect(await keys.stage()).to.deep.equal({ refused: 'too_many' });
    await eventually(async () => expect(await published()).to.have.length(PUBLISHED_MAX));
  });
});
