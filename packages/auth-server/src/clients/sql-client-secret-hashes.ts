import { randomBytes } from 'node:crypto';
import type { Sealer } from '@cls/shared/seal';
import type { Sql } from '@cls/shared/sql/database';
import { digest, hashWith } from '../crypto/digest.ts';
import { SEALED } from '../crypto/seal.ts';
import { type ClientSecretHashes, isFormerSecret } from './client-secret.ts';

const KEY_ID = 'current';

/** The key is random and stored sealed, so it stays when KEY_ENCRYPTION_KEY is replaced. */
export function sqlClientSecretHashes(database: Sql, sealer: Sealer): ClientSecretHashes {
  let known: ((text: string) => string) | undefined;
  const context = SEALED.client_secret_key.context(KEY_ID);
  const load = async (sql: Sql) => {
    const [row] = await sql.query<{ sealed: string }>(
      'SELECT sealed_key AS sealed FROM client_secret_key WHERE id = $1',
      [KEY_ID],
    );
    return row && hashWith(Buffer.from(sealer.unseal(row.sealed, context), 'base64url'));
  };
  return {
    async of(text) {
      if (isFormerSecret(text)) return digest(text);
      known ??= await load(database);
      return known?.(text);
    },
    async ofNew(sql, text) {
      // Not kept before its transaction is committed: `of` reads it then.
      let hash = known ?? (await load(sql));
      if (hash === undefined) {
        const sealed = sealer.seal(randomBytes(32).toString('base64url'), context);
        // Who loses the race waits for the winner, whose key both use.
        await sql.query('INSERT INTO client_secret_key VALUES ($1, $2) ON CONFLICT DO NOTHING', [
          KEY_ID,
          sealed,
        ]);
        hash = await load(sql);
      }
      if (hash === undefined) throw new Error('the key of client secrets is gone');
      return hash(text);
    },
  };
}
