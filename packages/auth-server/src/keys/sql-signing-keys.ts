import type { Sealer } from '@cls/shared/seal';
import type { Database, ListenGap, Sql } from '@cls/shared/sql/database';
import { isUniqueViolation } from '@cls/shared/sql/database';
import type { JWK } from 'jose';
import { SEALED } from '../crypto/seal.ts';
import { CHANGE_CHANNEL } from '../state/change-channel.ts';
import { hasPrivateHalf, newRsaKey, publicHalf, withoutPrivateHalf } from './rsa-key.ts';
import {
  PUBLISHED_AFTER_S,
  PUBLISHED_FIRST_S,
  PUBLISHED_MAX,
  type SigningKey,
  type SigningKeyListing,
  type SigningKeyState,
  type SigningKeyStore,
} from './signing-key.ts';

const context = SEALED.signing_key.context;

interface Row {
  readonly kid: string;
  readonly state: SigningKeyState;
  readonly sealed_private_jwk: string;
}

/**
 * How often the keys are compared, where a notification was lost: a key that leaked is withdrawn everywhere
 * within a minute.
 */
const LOOK_EVERY_MS = 10_000;

/** Signing keys in SQL, their private parts sealed. */
export function sqlSigningKeyStore(
  database: Database,
  sealer: Sealer,
  keyBits: number,
  lookEveryMs = LOOK_EVERY_MS,
): SigningKeyStore {
  const rows = () =>
    database.query<Row>(
      `SELECT kid, state, sealed_private_jwk FROM signing_key
       ORDER BY (state = 'active') DESC, created_at, kid`,
    );
  const open = ({ sealed_private_jwk: sealed, ...row }: Row): SigningKey => {
    const text = sealer.unseal(sealed, context(row.kid));
    const jwk = JSON.parse(text) as JWK;
    return { ...row, jwk: row.state === 'retiring' ? publicHalf(jwk) : jwk };
  };

  return {
    async load() {
      let found = await rows();
      if (!found.some(({ state }) => state === 'active')) {
        await addKey(database, sealer, keyBits, 'active');
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
      await watchKeys(database, lookEveryMs, listener);
    },
    list: async () => (await listings(database)).map(({ due: _, ...listing }) => listing),
    async stage() {
      const known = (await rows()).map(open); // Or the servers could not open what we seal here.
      if (known.length >= PUBLISHED_MAX) return { refused: 'too_many' };
      const kid = await addKey(database, sealer, keyBits, 'staged');
      if (kid === undefined) return { refused: 'staged_already' };
      return stepOf(await listings(database), kid);
    },
    promote: ({ early }) =>
      database.transaction(async (transaction) => {
        const found = await listings(transaction, 'FOR UPDATE');
        const staged = found.find(({ state }) => state === 'staged');
        if (staged === undefined) return { refused: 'none_staged' };
        if (!staged.due && !early) return { refused: 'early', key: staged };
        await transaction.query(
          `UPDATE signing_key SET state = 'retiring', retired_at = now() WHERE state = 'active'`,
        );
        await transaction.query(`UPDATE signing_key SET state = 'active' WHERE kid = $1`, [
          staged.kid,
        ]);
        await destroyPrivateHalves(transaction, sealer);
        return { key: staged };
      }),
    destroyRetired: () => destroyPrivateHalves(database, sealer),
    remove: (kid, { early }) =>
      database.transaction(async (transaction) => {
        const found = await listings(transaction, 'FOR UPDATE');
        const step = stepOf(found, kid);
        if ('refused' in step) return step;
        const { state } = step.key;
        if (state === 'active') return { refused: 'signs' };
        // A staged key has signed nothing: no token needs it.
        if (state === 'retiring' && !step.key.due && !early) return { refused: 'early', ...step };
        await transaction.query('DELETE FROM signing_key WHERE kid = $1', [kid]);
        return step;
      }),
    async replaceAll() {
      (await rows()).map(open); // Or the servers could not open what we seal here.
      const jwk = await newRsaKey(keyBits);
      return database.transaction(async (transaction) => {
        const removed = await transaction.query<{ kid: string }>(
          'DELETE FROM signing_key RETURNING kid',
        );
        await insertKey(transaction, sealer, jwk, 'active');
        return { kid: jwk.kid, removed: removed.map(({ kid }) => kid) };
      });
    },
  };
}

/**
 * Seals retiring keys anew without their private halves. They still look like private keys: 0.5.0, which may run
 * beside this build, reads each as one, and does not sign with these.
 */
async function destroyPrivateHalves(sql: Sql, sealer: Sealer): Promise<readonly string[]> {
  const destroyed: string[] = [];
  for (const { kid, sealed_private_jwk: sealed } of await sql.query<Row>(
    `SELECT kid, sealed_private_jwk FROM signing_key WHERE state = 'retiring'`,
  )) {
    const jwk = JSON.parse(sealer.unseal(sealed, context(kid))) as JWK;
    if (!hasPrivateHalf(jwk)) continue;
    const text = JSON.stringify(withoutPrivateHalf(jwk));
    // A value that was sealed anew meanwhile is left for the next time.
    const changed = await sql.query(
      `UPDATE signing_key SET sealed_private_jwk = $3
       WHERE kid = $1 AND sealed_private_jwk = $2 RETURNING kid`,
      [kid, sealed, sealer.seal(text, context(kid))],
    );
    if (changed.length > 0) destroyed.push(kid);
  }
  return destroyed;
}

/** Calls back when the list of keys has changed since the last look. */
async function watchKeys(sql: Sql, everyMs: number, listener: () => void): Promise<void> {
  const look = async () => {
    const keys = await sql.query<{ kid: string; state: string }>(
      'SELECT kid, state FROM signing_key ORDER BY kid',
    );
    return keys.map(({ kid, state }) => `${kid} ${state}`).join();
  };
  let seen = await look();
  const compare = async () => {
    const found = await look();
    if (found === seen) return;
    seen = found;
    listener();
  };
  // While the database is away there is nothing to compare with.
  setInterval(() => void compare().catch(() => undefined), everyMs).unref();
}

type Listing = SigningKeyListing & { readonly due: boolean };

/** Oldest first. The database's clock, which all share, decides whether a key is due. */
function listings(sql: Sql, lock: 'FOR UPDATE' | '' = ''): Promise<Listing[]> {
  const time = (column: string) =>
    `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
  const dueAt = `CASE state WHEN 'staged' THEN created_at + make_interval(secs => $1)
      WHEN 'retiring' THEN retired_at + make_interval(secs => $2) END`;
  return sql.query(
    `SELECT kid, state, ${time('created_at')} AS "createdAt", ${time('retired_at')} AS "retiredAt",
       ${time(`(${dueAt})`)} AS "dueAt", coalesce((${dueAt}) <= now(), false) AS due
     FROM signing_key ORDER BY created_at, kid ${lock}`,
    [PUBLISHED_FIRST_S, PUBLISHED_AFTER_S],
  );
}

function stepOf(found: readonly Listing[], kid: string) {
  const key = found.find((one) => one.kid === kid);
  return key === undefined ? ({ refused: 'unknown' } as const) : { key };
}

/**
 * Of several processes that add one at once, the first to insert wins: there is one active and one
 * staged key.
 *
 * @returns the new key's kid; undefined where another was first.
 */
async function addKey(
  database: Database,
  sealer: Sealer,
  keyBits: number,
  state: 'active' | 'staged',
): Promise<string | undefined> {
  const jwk = await newRsaKey(keyBits);
  try {
    await insertKey(database, sealer, jwk, state);
    return jwk.kid;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return undefined;
  }
}

async function insertKey(
  sql: Sql,
  sealer: Sealer,
  jwk: JWK & { readonly kid: string },
  state: 'active' | 'staged',
): Promise<void> {
  await sql.query('INSERT INTO signing_key (kid, state, sealed_private_jwk) VALUES ($1, $2, $3)', [
    ...[jwk.kid, state, sealer.seal(JSON.stringify(jwk), context(jwk.kid))],
  ]);
}
