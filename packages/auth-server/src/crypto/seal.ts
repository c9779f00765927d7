import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';

const VERSION = 'v1';

/** The value was sealed with another key, for another record, or was changed since. */
export class UnsealFailed extends Error {
  override readonly name = 'UnsealFailed';

  constructor(context: string) {
    super(
      `${context} cannot be opened with this KEY_ENCRYPTION_KEY: it was sealed with another key, or changed since`,
    );
  }
}

/**
 * Seals small secrets at rest with AES-256-GCM. `context` names the record (such as
 * `signing_key:<kid>`) and is authenticated, so that a sealed value moved to another record does
 * not open there.
 */
export interface Sealer {
  seal(plaintext: string, context: string): string;
  /** @throws {UnsealFailed} */
  unseal(sealed: string, context: string): string;
}

/** @param key 32 bytes in base64url. */
export function aesGcmSealer(key: Secret): Sealer {
  const keyBytes = Buffer.from(key.expose(), 'base64url');
  return {
    seal: (plaintext, context) => `${VERSION}.${encrypt(plaintext, keyBytes, context)}`,
    unseal(sealed, context) {
      try {
        const [version, text = ''] = sealed.split('.');
        if (version !== VERSION) throw new Error('unknown version');
        return decrypt(text, keyBytes, context);
      } catch {
        throw new UnsealFailed(context);
      }
    },
  };
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D): nonce, tag and ciphertext in base64url.
 *
 * @param key 32 bytes.
 * @param context authenticated beside the text: the same must be given to decrypt.
 */
function encrypt(text: string, key: Buffer, context = ''): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** @throws when `encrypted` was not made with this key and context. */
function decrypt(encrypted: string, key: Buffer, context = ''): string {
  const bytes = Buffer.from(encrypted, 'base64url');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}

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
