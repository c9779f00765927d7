import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@cls/shared/clock';
import { silentLog } from '@cls/shared/log';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import type { AuditEvent } from '../src/audit/audit-log.ts';
import { rotate } from '../src/keys/rotate.ts';
import { rotateRegularly } from '../src/keys/rotate-regularly.ts';
import { newRsaKey } from '../src/keys/rsa-key.ts';
import { PUBLISHED_MAX, type SigningKeyStore } from '../src/keys/signing-key.ts';
import { sqlSigningKeyStore } from '../src/keys/sql-signing-keys.ts';
import { adminClient, adminToken, newCaller } from './support/administrator.ts';
import { basic, KEY, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';

const EARLY = { early: true };
const IN_TIME = { early: false };
const sealer = aesGcmSealer(new Secret(KEY));

async function keySetOf({ issuer }: TestAuthServer) {
  const response = await fetch(`${issuer}/.well-known/jwks.json`);
  return ((await response.json()) as { keys: { kid: string; alg: string }[] }).keys;
}

async function publishedBy(server: TestAuthServer): Promise<readonly string[]> {
  const keys = await keySetOf(server);
  return keys.filter(({ alg }) => alg === 'RS256').map(({ kid }) => kid);
}

function mintAt({ client, post }: TestAuthServer): Promise<Response> {
  return post('grant_type=client_credentials', basic(client.id, client.secret));
}

/** The key that signed the token of an answer. */
async function kidOf(answer: Response): Promise<string> {
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return decodeProtectedHeader(token).kid ?? '';
}

describeOnDatabase('rotation of the signing key, while the server runs', (engine) => {
  let server: TestAuthServer;
  let keys: SigningKeyStore;
  before(async () => {
    server = await startTestAuthServer(engine);
    keys = sqlSigningKeyStore(server.database, sealer, 2048);
  });
  after(() => server?.stop());

  const published = () => publishedBy(server);
  const signsWith = async () => kidOf(await mintAt(server));
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
    await eventually(async () => expect(await signsWith()).not.to.equal(leaked));
    expect(await status(), 'its public half still verifies').to.equal(200);
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
    expect(await keySetOf(server)).to.have.length(16);
  });
});

describeOnDatabase('a rotation that goes on by itself', (engine) => {
  let server: TestAuthServer;
  let keys: SigningKeyStore;
  const recorded: string[] = [];
  const audit = {
    record: ({ type, subject }: AuditEvent) => void recorded.push(`${type} ${subject}`),
  };
  before(async () => {
    const unlimited = { TOKENS_PER_MINUTE: '0', CUSTOMER_TOKENS_PER_MINUTE: '0' };
    server = await startTestAuthServer(engine, unlimited);
    keys = sqlSigningKeyStore(server.database, sealer, 2048);
  });
  after(() => server?.stop());

  const mint = () => mintAt(server);
  const published = () => publishedBy(server);
  /** As if so much time had passed. */
  const pass = (seconds: number) =>
    server.database.query(
      `UPDATE signing_key SET created_at = created_at - make_interval(secs => $1),
         retired_at = retired_at - make_interval(secs => $1)`,
      [seconds],
    );
  const always = () => true;
  const rotateOnce = () => rotate(keys, audit, always);

  it('publishes, signs and withdraws in ten rotations, while no token fails that is minted meanwhile', async () => {
    let minting = true;
    let minted = 0;
    const faults: string[] = [];
    const rounds = [0, 0];
    const load = async (_: number, caller: number) => {
      while (minting) {
        rounds[caller] = (rounds[caller] ?? 0) + 1;
        const response = await mint();
        if (response.status !== 200) faults.push(`answered ${response.status}`);
        else {
          const kid = await kidOf(response);
          // A verifier that asks anew finds the key of any token that is good.
          if (!(await published()).includes(kid)) faults.push(`${kid} is not published`);
          minted += 1;
        }
        // It stands for callers of every day: more of them take the processor and show nothing else.
        await sleep(20);
      }
    };
    const callers = rounds.map(load);
    /** Requests from before have ended. */
    const roundsEnd = () => {
      const before = [...rounds];
      const began = () => rounds.every((round, caller) => round > (before[caller] ?? 0));
      return eventually(async () => expect(began()).to.equal(true));
    };
    for (let rotation = 0; rotation < 10; rotation += 1) {
      const before = (await keys.list()).find(({ state }) => state === 'active')?.kid;
      for (const [seconds, step] of [
        [0, 'key.staged'],
        [601, 'key.promoted'],
        [25 * 3_600 + 1, 'key.removed'],
      ] as const) {
        // No request takes the 25 hours that pass here in a moment.
        if (step === 'key.removed') await roundsEnd();
        await pass(seconds);
        // Two replicas look at the same time: each step is done, and told, once.
        const both = await Promise.all([rotateOnce(), rotateOnce()]);
        const done = both.flatMap(({ done }) => done.map(({ type }) => type));
        expect(
          done.filter((type) => type === step),
          `${rotation} ${step}`,
        ).to.have.length(1);
        // Where one replica looked after the other's step, it began the next rotation.
        if (step !== 'key.staged' && done.includes('key.staged')) {
          const [staged] = (await keys.list()).filter(({ state }) => state === 'staged');
          await keys.remove(staged?.kid ?? '', IN_TIME);
        }
      }
      expect((await keys.list()).map(({ kid }) => kid)).not.to.include(before);
    }
    minting = false;
    await Promise.all(callers);
    expect(faults).to.deep.equal([]);
    expect(minted).to.be.greaterThan(20);
    expect(recorded.filter((line) => line.startsWith('key.promoted'))).to.have.length(10);
  });

  it('begins when the key has the age that is set, and not before', async () => {
    const rotating = rotateRegularly(keys, 90, {
      ...{ audit, clock: systemClock, log: silentLog, intervalMs: 20 },
    });
    const states = async () => (await keys.list()).map(({ state }) => state).sort();
    const after = async (seconds: number, expected: readonly string[]) => {
      await pass(seconds);
      await eventually(async () => expect(await states()).to.deep.equal(expected));
    };
    await server.database.query('UPDATE signing_key SET created_at = now()');
    await pass(89 * 86_400);
    await new Promise((done) => setTimeout(done, 200));
    expect(await states()).to.deep.equal(['active']);
    await after(86_400, ['active', 'staged']);
    await after(601, ['active', 'retiring']);
    await after(25 * 3_600 + 1, ['active']);
    await rotating.stop();
  });

  it('is overtaken by an emergency: one new key signs, and what others signed is refused', async () => {
    const token = await adminToken(server, await newCaller(server));
    const status = async () => (await adminClient(server, token)('GET', '/accounts')).status;
    expect(await status()).to.equal(200);
    await keys.stage();
    const before = (await keys.list()).map(({ kid }) => kid);
    const { kid, removed } = await keys.replaceAll();
    expect([...removed].sort()).to.deep.equal([...before].sort());
    await eventually(async () => expect(await status()).to.equal(403));
    await eventually(async () => {
      expect(await published()).to.deep.equal([kid]);
      expect(await kidOf(await mint())).to.equal(kid);
    });
  });
});
