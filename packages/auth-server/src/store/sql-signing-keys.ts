import type { Database, ListenGap } from '@cls/shared/sql/database';
import { isUniqueViolation } from '@cls/shared/sql/database';
import type { JWK } from 'jose';
import { newRsaKey } from '../keys/rsa-key.ts';
import type { Sealer } from '../keys/seal.ts';
import type { SigningKey, SigningKeyState, SigningKeyStore } from '../keys/signing-key.ts';
import { CHANGE_CHANNEL } from './change-channel.ts';

interface Row {
  readonly kid: string;
  readonly state: SigningKeyState;
  readonly sealed_private_jwk: string;
}

/** Signing keys in SQL, their private parts sealed. */
export function sqlSigningKeyStore(
  database: Database,
  sealer: Sealer,
  keyBits: number,
): SigningKeyStore {
  const rows = () =>
    database.query<Row>(
      `SELECT kid, state, sealed_private_jwk FROM signing_key
       ORDER BY (state = 'active') DESC, created_at, kid`,
    );
  const open = (row: Row): SigningKey => {
    const text = sealer.unseal(row.sealed_private_jwk, context(row.kid));
    return { kid: row.kid, state: row.state, privateJwk: JSON.parse(text) as JWK };
  };

  return {
    async load() {
      let found = await rows();
      if (!found.some(({ state }) => state === 'active')) {
        await addActiveKey(database, sealer, keyBits);
        found = await rows();
      }
      const [first, ...others] = found.map(open);
      if (first === undefined) throw new Error('the signing key that was just made is gone');
      return [first, ...others];
    },
    async assertOpens() {
      (await rows()).map(open);
    },
    async onChange(listener) {
      const hear = (payload: string) => payload === 'keys' && listener();
      // Nothing can be loaded while the connection is lost; what was missed is loaded when it is back.
      const catchUp = (gap: ListenGap) => gap === 'resumed' && listener();
      await database.listen(CHANGE_CHANNEL, hear, catchUp);
    },
    list: () =>
      database.query(
        `SELECT kid, state, to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "createdAt"
         FROM signing_key ORDER BY created_at, kid`,
      ),
  };
}

/** Of several replicas that start at once, the first to insert wins; the others use its key. */
async function addActiveKey(database: Database, sealer: Sealer, keyBits: number): Promise<void> {
  const jwk = await newRsaKey(keyBits);
  try {
    await database.query(
      `INSERT INTO signing_key (kid, state, sealed_private_jwk) VALUES ($1, 'active', $2)`,
      [jwk.kid, sealer.seal(JSON.stringify(jwk), context(jwk.kid))],
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
}

function context(kid: string): string {
  return `signing_key:${kid}`;
}
