import { isForeignKeyViolation, type Sql } from '@cls/shared/sql/database';

/** Why something that was made is not deleted: `disable` is for what was used. */
export type Undeletable = 'used' | 'too_old_to_tell';

/**
 * Whether anybody got a token as this client, or signed in through it, as the audit shows. Of what
 * is older than the audit's memory nobody knows.
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
         AND type IN ('token.issued', 'sign_in.succeeded', 'account.access_allowed')) AS used,
       $2::int > 0 AND created_at < now() - make_interval(days => $2::int) AS old
     FROM ${table} WHERE id = $1`,
    [id, retentionDays],
  );
  if (row?.used) return 'used';
  return row?.old ? 'too_old_to_tell' : undefined;
}

/** What others refer to has been used. */
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
