import { hkdfSync } from 'node:crypto';
import { aesGcmSealer, decrypt, encrypt } from '@cls/shared/seal';
import type { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { type Resealed, reseal, type SealedColumn } from '@cls/shared/sql/reseal';
import { recoveryKeyOf } from './recovery-key.ts';

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

/** Where sealed values are. */
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
  client_secret_key: {
    column: 'sealed_key',
    key: 'id',
    owner: 'id',
    context: (id: string) => `client_secret_key:${id}`,
  },
  security_contact: {
    column: 'sealed_webhook_secret',
    key: 'customer_id',
    owner: 'customer_id',
    context: (customer: string) => `security_contact:${customer}`,
  },
  recovery_code_key: {
    column: 'sealed_key',
    key: 'id',
    owner: 'id',
    context: (id: string) => `recovery_code_key:${id}`,
  },
} as const satisfies Record<string, SealedColumn>;

/**
 * Seals with the current KEY_ENCRYPTION_KEY what the previous one sealed. What opens with neither stays
 * as it is.
 */
export function resealWith(
  database: Database,
  current: Secret,
  previous: Secret,
): Promise<Resealed> {
  const sealer = aesGcmSealer(current);
  const { context } = SEALED.recovery_code_key;
  return database.transaction(async (transaction) => {
    // Hashes of short recovery codes were made with either key, and cannot be made anew.
    for (const { id, bytes } of [current, previous].map(recoveryKeyOf)) {
      await transaction.query(
        `INSERT INTO recovery_code_key (id, sealed_key)
         SELECT $1, $2 WHERE EXISTS (SELECT FROM recovery_code) ON CONFLICT DO NOTHING`,
        [id, sealer.seal(bytes.toString('base64url'), context(id))],
      );
    }
    const any = aesGcmSealer(current, undefined, previous);
    return reseal(transaction, SEALED, sealer, any);
  });
}
