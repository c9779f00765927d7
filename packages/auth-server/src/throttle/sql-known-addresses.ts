import type { Clock } from '@cls/shared/clock';
import type { Database } from '@cls/shared/sql/database';
import { digest } from '../crypto/digest.ts';
import { KNOWN_ADDRESS_DAYS, KNOWN_ADDRESSES_MAX, type KnownAddresses } from './known-addresses.ts';

/**
 * `$1` account, `$2` address, `$3` now. Writes one row a day, however often the person signs in.
 */
const REMEMBER = `
  INSERT INTO known_address AS k (account_id, address_sha256, seen_at)
  VALUES ($1, $2, $3::timestamptz)
  ON CONFLICT (account_id, address_sha256) DO UPDATE SET seen_at = excluded.seen_at
  WHERE k.seen_at < excluded.seen_at - interval '1 day'
  RETURNING 1`;

const FORGET_OLDER = `
  DELETE FROM known_address WHERE account_id = $1 AND address_sha256 NOT IN (
    SELECT address_sha256 FROM known_address WHERE account_id = $1
    ORDER BY seen_at DESC, address_sha256 LIMIT ${KNOWN_ADDRESSES_MAX})`;

/** The hash includes the account's id, so that one address has a different hash for each person. */
const KNOWS = `
  SELECT a.id, k.hashes FROM account a CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(address_sha256), '{}') AS hashes FROM known_address
    WHERE account_id = a.id
      AND seen_at > $2::timestamptz - interval '${KNOWN_ADDRESS_DAYS} days') AS k
  WHERE a.email = $1 AND NOT a.elsewhere`;

export function sqlKnownAddresses(database: Database, clock: Clock): KnownAddresses {
  const now = () => clock.now().toISOString();
  return {
    async remember(accountId, { id }) {
      const kept = await database.query(REMEMBER, [accountId, hash(accountId, id), now()]);
      if (kept.length > 0) await database.query(FORGET_OLDER, [accountId]);
    },
    async knows(email, { id }) {
      const [row] = await database.query<{ id: string; hashes: string[] }>(KNOWS, [email, now()]);
      // Computed even if there is no account: the answer must take the same time.
      const sought = hash(row?.id ?? '', id);
      return row?.hashes.includes(sought) ?? false;
    },
  };
}

function hash(accountId: string, address: string): string {
  return digest(`${accountId} ${address}`);
}

export async function sweepKnownAddresses(database: Database, clock: Clock): Promise<void> {
  await database.query(
    `DELETE FROM known_address
     WHERE seen_at < $1::timestamptz - interval '${KNOWN_ADDRESS_DAYS} days'`,
    [clock.now().toISOString()],
  );
}
