import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt, type Sealer } from '@cls/shared/seal';
import type { Database } from '@cls/shared/sql/database';
import type { RecoveryKey } from './recovery-key.ts';

/**
 * Encrypts protocol state under its own identifier; the answer is base64url. Identifiers are bearer
 * secrets (a session cookie, a refresh token), and payloads name further ones. A store gets digests
 * of identifiers alone, so a copy of the store can neither be used nor read.
 */
export function sealState(text: string, identifier: string): string {
  return encrypt(text, keyFrom(identifier));
}

/** @throws when `sealed` was not made by `sealState` under this `identifier`. */
export function unsealState(sealed: string, identifier: string): string {
  return decrypt(sealed, keyFrom(identifier));
}

function keyFrom(identifier: string): Buffer {
  return Buffer.from(hkdfSync('sha256', identifier, '', 'cls protocol state', 32));
}

/** Where sealed values are, the primary key of their rows, and what each value is bound to. */
export const SEALED = {
  signing_key: {
    column: 'sealed_private_jwk',
    key: 'kid',
    owner: 'kid',
    context: (kid: string) => `signing_key:${kid}`,
  },
  totp_factor: {
    column: 'sealed_secret',
    key: 'factor_id',
    owner: 'account_id',
    context: (accountId: string) => `totp_factor:${accountId}`,
  },
  upstream_provider: {
    column: 'sealed_client_secret',
    key: 'domain',
    owner: 'domain',
    context: (domain: string) => `upstream_provider:${domain}`,
  },
  recovery_code_key: {
    column: 'sealed_key',
    key: 'id',
    owner: 'id',
    context: (id: string) => `recovery_code_key:${id}`,
  },
} as const;

/**
 * Seals everything with another key, or nothing.
 *
 * @param recovery the key of recovery codes that follows from the key before: it is stored now,
 *   because nobody has the codes to hash them anew.
 * @returns how many values that are, and how many recovery codes have a stored key from now on.
 * @throws {UnsealFailed} when a value does not open with the present key.
 */
export function reseal(
  database: Database,
  from: Sealer,
  to: Sealer,
  recovery: RecoveryKey,
): Promise<{ values: number; recoveryCodes: number }> {
  return database.transaction(async (transaction) => {
    let values = 0;
    for (const [table, { column, key, owner, context }] of Object.entries(SEALED)) {
      const rows = await transaction.query<{ key: string; owner: string; sealed: string }>(
        `SELECT ${key} AS key, ${owner} AS owner, ${column} AS sealed FROM ${table} FOR UPDATE`,
      );
      for (const { key: id, owner: about, sealed } of rows) {
        const anew = to.seal(from.unseal(sealed, context(about)), context(about));
        await transaction.query(`UPDATE ${table} SET ${column} = $2 WHERE ${key} = $1`, [id, anew]);
      }
      values += rows.length;
    }
    const { context } = SEALED.recovery_code_key;
    await transaction.query(
      `INSERT INTO recovery_code_key (id, sealed_key)
       SELECT $1, $2 WHERE EXISTS (SELECT FROM recovery_code WHERE key_id IS NULL)
       ON CONFLICT DO NOTHING`,
      [recovery.id, to.seal(recovery.bytes.toString('base64url'), context(recovery.id))],
    );
    const codes = await transaction.query(
      'UPDATE recovery_code SET key_id = $1 WHERE key_id IS NULL RETURNING 1',
      [recovery.id],
    );
    return { values, recoveryCodes: codes.length };
  });
}
