import { randomBytes } from 'node:crypto';
import { Secret } from '@cls/shared/secret';
import type { Database, Sql } from '@cls/shared/sql/database';
import { digest } from '../crypto/digest.ts';

/** The secrets of one kind of client: table `<kind>_secret`, owner column `<kind>_id`. */
export function sqlClientSecrets(kind: 'service_account' | 'application') {
  const table = `${kind}_secret`;
  const owner = `${kind}_id`;

  async function add(sql: Sql, id: string): Promise<Secret> {
    const secret = randomBytes(32).toString('base64url');
    await sql.query(`INSERT INTO ${table} (sha256, ${owner}) VALUES ($1, $2)`, [
      digest(secret),
      id,
    ]);
    return new Secret(secret);
  }

  return {
    /** SQL for the live secrets of the owner whose id is `of`, as `ClientSecretHash[]`. */
    selectOf: (of: string) => `coalesce((
      SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'sha256', sha256, 'expiresAtMs', extract(epoch FROM expires_at) * 1000)) ORDER BY sha256)
      FROM ${table} WHERE ${owner} = ${of} AND (expires_at IS NULL OR expires_at > now())
    ), '[]')`,
    /** Returned here and never again. */
    add,
    /** @param overlapS seconds that the old secrets stay good; 0 ends them at once. */
    replace: (database: Database, id: string, overlapS: number): Promise<Secret> =>
      database.transaction(async (transaction) => {
        // One after the other: of two at once each would leave the other's secret good for ever.
        await transaction.query(`SELECT FROM ${kind} WHERE id = $1 FOR UPDATE`, [id]);
        await transaction.query(
          `UPDATE ${table}
           SET expires_at = least(coalesce(expires_at, 'infinity'), now() + make_interval(secs => $2))
           WHERE ${owner} = $1`,
          [id, overlapS],
        );
        await transaction.query(
          `DELETE FROM ${table} WHERE ${owner} = $1 AND expires_at <= now()`,
          [id],
        );
        return add(transaction, id);
      }),
  };
}
