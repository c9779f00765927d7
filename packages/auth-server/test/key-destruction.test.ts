import { createPrivateKey, createPublicKey, type JsonWebKey, sign, verify } from 'node:crypto';
import { systemClock } from '@cls/shared/clock';
import { silentLog } from '@cls/shared/log';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import type { Database, SqlValue } from '@cls/shared/sql/database';
import { describeOnEngines } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { SEALED } from '../src/crypto/seal.ts';
import { rotateRegularly } from '../src/keys/rotate-regularly.ts';
import type { SigningKeyStore } from '../src/keys/signing-key.ts';
import { sqlSigningKeyStore } from '../src/keys/sql-signing-keys.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { KEY } from './support/auth-server.ts';

const EARLY = { early: true };
const DATA = Buffer.from('header.payload');
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const;
/** The longest member that says nothing: the number one. */
const NOTHING = 'AQ';
const sealer = aesGcmSealer(new Secret(KEY));

describeOnEngines('the private half of a signing key that another one has replaced', (engine) => {
  let database: Database;
  let keys: SigningKeyStore;
  beforeEach(async () => {
    database = await engine.open(MIGRATIONS);
    keys = sqlSigningKeyStore(database, sealer, 2048);
    await keys.load();
    await keys.stage();
  });
  afterEach(() => database?.close());

  /** What a thief has who stole a dump and the key that opens it, by the state of each key. */
  const stolen = async () => {
    const rows = await database.query<{ kid: string; state: string; sealed: string }>(
      'SELECT kid, state, sealed_private_jwk AS sealed FROM signing_key',
    );
    const open = (kid: string, sealed: string) =>
      JSON.parse(sealer.unseal(sealed, SEALED.signing_key.context(kid))) as JsonWebKey;
    return Object.fromEntries(rows.map(({ kid, state, sealed }) => [state, open(kid, sealed)]));
  };
  const halfOf = (jwk: JsonWebKey | undefined) => {
    const secrets = PRIVATE.filter(
      (member) => ![undefined, NOTHING, jwk?.n].includes(jwk?.[member]),
    );
    return secrets.length === 0 ? 'public' : 'private';
  };
  const halves = async () =>
    Object.fromEntries(Object.entries(await stolen()).map(([state, jwk]) => [state, halfOf(jwk)]));
  /** As a build of 0.5.0 does it. */
  const promoteByFormerBuild = () =>
    database.transaction(async (transaction) => {
      await transaction.query(
        `UPDATE signing_key SET state = 'retiring', retired_at = now() WHERE state = 'active'`,
      );
      await transaction.query(`UPDATE signing_key SET state = 'active' WHERE state = 'staged'`);
    });

  it('is destroyed in the step that lets the other one sign', async () => {
    const { active } = await stolen();
    expect(await halves()).to.deep.equal({ active: 'private', staged: 'private' });
    await keys.promote(EARLY);
    expect(await halves()).to.deep.equal({ active: 'private', retiring: 'public' });
    const { retiring } = await stolen();
    expect(retiring).to.include({ n: active?.n, e: active?.e, kid: active?.['kid'] });
    const loaded = await keys.load();
    expect(loaded.map(({ state, jwk }) => [state, 'd' in jwk])).to.deep.equal([
      ['active', true],
      ['retiring', false],
    ]);
    expect(await keys.destroyRetired()).to.deep.equal([]);
  });

  it('cannot be had from the row, whose public half a build of 0.5.0 goes on publishing', async () => {
    const signature = sign('sha256', DATA, privateKeyOf((await stolen())['active']));
    await keys.promote(EARLY);
    const asFormerBuild = privateKeyOf((await stolen())['retiring']);
    const published = createPublicKey(asFormerBuild);
    expect(verify('sha256', DATA, published, signature)).to.equal(true);
    expect(verify('sha256', DATA, published, sign('sha256', DATA, asFormerBuild))).to.equal(false);
  });

  it('stays where the step fails half-way, with the key that signs', async () => {
    const failing: Database = {
      ...database,
      transaction: (work) =>
        database.transaction((transaction) =>
          work({
            ...transaction,
            query: async (sql, params) => {
              if (sql.includes('SET sealed_private_jwk')) throw new Error('the connection is lost');
              return transaction.query(sql, params);
            },
          }),
        ),
    };
    const promoting = sqlSigningKeyStore(failing, sealer, 2048).promote(EARLY);
    expect(await promoting.catch((error: Error) => error.message)).to.equal(
      'the connection is lost',
    );
    expect(await halves()).to.deep.equal({ active: 'private', staged: 'private' });
    await keys.promote(EARLY);
    expect(await halves()).to.deep.equal({ active: 'private', retiring: 'public' });
  });

  it('is destroyed soon after a build of 0.5.0 left it, also where the operator alone rotates', async () => {
    await promoteByFormerBuild();
    expect(await halves()).to.deep.equal({ active: 'private', retiring: 'private' });
    const rotating = rotateRegularly(keys, 0, {
      ...{ audit: { record: () => undefined }, clock: systemClock, log: silentLog },
      intervalMs: 20,
    });
    await eventually(async () =>
      expect(await halves()).to.deep.equal({ active: 'private', retiring: 'public' }),
    );
    await rotating.stop();
    expect(await keys.list(), 'nothing else is done').to.have.length(2);
  });

  it('is destroyed once, where several replicas look at the same time', async () => {
    await promoteByFormerBuild();
    const destroyed = await Promise.all([keys.destroyRetired(), keys.destroyRetired()]);
    expect(destroyed.flat()).to.have.length(1);
  });

  it('is destroyed at the next look, where the row was sealed anew meanwhile', async () => {
    await promoteByFormerBuild();
    const resealed: Database = {
      ...database,
      async query<Row>(sql: string, params?: readonly SqlValue[]) {
        if (!sql.startsWith('UPDATE')) return database.query<Row>(sql, params);
        const { retiring } = await stolen();
        const kid = retiring?.['kid'] as string;
        const anew = sealer.seal(JSON.stringify(retiring), SEALED.signing_key.context(kid));
        const set = 'UPDATE signing_key SET sealed_private_jwk = $2 WHERE kid = $1';
        await database.query(set, [kid, anew]);
        return database.query<Row>(sql, params);
      },
    };
    expect(await sqlSigningKeyStore(resealed, sealer, 2048).destroyRetired()).to.deep.equal([]);
    expect(await halves()).to.include({ retiring: 'private' });
    expect(await keys.destroyRetired()).to.have.length(1);
    expect(await halves()).to.include({ retiring: 'public' });
  });
});

function privateKeyOf(jwk: JsonWebKey | undefined) {
  return createPrivateKey({ key: jwk ?? {}, format: 'jwk' });
}
