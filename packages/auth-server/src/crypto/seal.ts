import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt, type Sealer } from '@cls/shared/seal';
import type { Database } from '@cls/shared/sql/database';

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
} as const;

/**
 * Seals everything with another key, or nothing.
 *
 * @returns how many values that are, and how many recovery codes were removed: their hashes are
 *   keyed, and nobody has the codes to hash them anew.
 * @throws {UnsealFailed} when a value does not open with the present key.
 */
export function reseal(
  database: Database,
  from: Sealer,
  to: Sealer,
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
    const codes = await transaction.query('DELETE FROM recovery_code RETURNING 1');
    return { values, recoveryCodes: codes.length };
  });
}
