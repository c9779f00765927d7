import { randomUUID } from 'node:crypto';
import type { Database } from '@cls/shared/sql/database';

const KEPT_S = 60;

/**
 * Whether the database takes writes, which all but service accounts' tokens need. It writes a row
 * of this process, which is swept like all protocol state.
 */
export function writeProbe(database: Database): () => Promise<void> {
  const process = randomUUID();
  return async () => {
    await database.query(
      `INSERT INTO protocol_state (kind, id_sha256, payload, expires_at)
       VALUES ('ReadinessProbe', $1, '{}', now() + make_interval(secs => $2))
       ON CONFLICT (kind, id_sha256) DO UPDATE SET expires_at = excluded.expires_at`,
      [process, KEPT_S],
    );
  };
}
