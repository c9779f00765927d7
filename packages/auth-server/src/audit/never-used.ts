import { isForeignKeyViolation, type Sql } from '@cls/shared/sql/database';

/** Why a record cannot be deleted. A record that was used can only be disabled. */
export type Undeletable = 'used' | 'too_old_to_tell';

/**
 * Whether anybody got a token as this client, or signed in through it, as the audit and the last use show. Unknown
 * for a client that is older than the oldest event.
 *
 * @param retentionDays how long events are kept; 0 for ever.
 */
export async function useOfClient(
  sql: Sql,
  { id, table }: { readonly id: string; readonly table: 'application' | 'service_account' },
  retentionDays: number,
): Promise<Undeletable | undefined> {
  const [row] = await sql.query<{ used: boolean; old: boolean }>(
    `SELECT EXISTS (SELECT FROM audit_event WHERE client_id = $1
         AND type IN ('token.issued', 'sign_in.succeeded', 'account.access_allowed'))
         OR EXISTS (SELECT FROM token_use WHERE subject = $1) AS used,
       $2::int > 0 AND created_at < now() - make_interval(days => $2::int) AS old
     FROM ${table} WHERE id = $1`,
    [id, retentionDays],
  );
  if (row?.used) return 'used';
  return row?.old ? 'too_old_to_tell' : undefined;
}

/** A record that others refer to counts as used. */
export async function unlessReferred(
  work: () => Promise<unknown>,
): Promise<Undeletable | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return 'used';
  }
}
