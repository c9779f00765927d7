import type { Database } from '@cls/shared/sql/database';
import type { OnceKind, SessionStore } from './session-store.ts';

const SWEEP_INTERVAL_MS = 60_000;

/** Sessions in SQL; expired rows are swept in the background. */
export function sqlSessionStore(
  database: Database,
  onError: (error: unknown) => void,
): SessionStore {
  const sweeper = setInterval(() => void sweep(database).catch(onError), SWEEP_INTERVAL_MS);
  sweeper.unref();
  const end = async (key: string) => {
    await database.query('DELETE FROM explorer_session WHERE id_sha256 = $1', [key]);
  };
  const keepOnce = async (kind: OnceKind, key: string, sealed: string, ttlS: number) => {
    const kept = await database.query(
      `INSERT INTO explorer_once AS o (kind, id_sha256, sealed, expires_at)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4))
       ON CONFLICT (kind, id_sha256) DO UPDATE
       SET sealed = excluded.sealed, expires_at = excluded.expires_at WHERE o.expires_at <= now()
       RETURNING 1`,
      [kind, key, sealed, ttlS],
    );
    return kept.length === 1;
  };
  return {
    async create({ key, sid, sealed, ttlS }) {
      await database.query(
        `INSERT INTO explorer_session (id_sha256, sid_sha256, sealed, expires_at)
         VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
        [key, sid, sealed, ttlS],
      );
      // Asked after it is there: whoever ended the sid before could not see it.
      const ended = await database.query(
        `SELECT FROM explorer_once WHERE kind = 'ended' AND id_sha256 = $1 AND expires_at > now()`,
        [sid],
      );
      if (ended.length > 0) await end(key);
    },
    async find(key) {
      const [row] = await database.query<{ sealed: string }>(
        'SELECT sealed FROM explorer_session WHERE id_sha256 = $1 AND expires_at > now()',
        [key],
      );
      return row?.sealed;
    },
    async replace(key, from, to) {
      const replaced = await database.query(
        `UPDATE explorer_session SET sealed = $3
         WHERE id_sha256 = $1 AND sealed = $2 AND expires_at > now() RETURNING 1`,
        [key, from, to],
      );
      return replaced.length === 1;
    },
    async lease(key, forMs) {
      const leased = await database.query(
        `UPDATE explorer_session SET leased_until = clock_timestamp() + make_interval(secs => $2)
         WHERE id_sha256 = $1 AND (leased_until IS NULL OR leased_until <= clock_timestamp())
         RETURNING 1`,
        [key, forMs / 1_000],
      );
      return leased.length === 1;
    },
    end,
    async endAll(sid, ttlS) {
      await keepOnce('ended', sid, '', ttlS);
      await database.query('DELETE FROM explorer_session WHERE sid_sha256 = $1', [sid]);
    },
    keepOnce: ({ kind, key, sealed, ttlS }) => keepOnce(kind, key, sealed, ttlS),
    async look(kind, key) {
      const [row] = await database.query<{ sealed: string }>(
        `SELECT sealed FROM explorer_once
         WHERE kind = $1 AND id_sha256 = $2 AND expires_at > now()`,
        [kind, key],
      );
      return row?.sealed;
    },
    async take(kind, key) {
      const [row] = await database.query<{ sealed: string; live: boolean }>(
        `DELETE FROM explorer_once WHERE kind = $1 AND id_sha256 = $2
         RETURNING sealed, expires_at > now() AS live`,
        [kind, key],
      );
      return row?.live === true ? row.sealed : undefined;
    },
    async ready() {
      await database.query(
        `INSERT INTO explorer_once (kind, id_sha256, sealed, expires_at)
         VALUES ('ready', '', '', now()) ON CONFLICT (kind, id_sha256) DO UPDATE
         SET expires_at = now()`,
      );
    },
    close: async () => clearInterval(sweeper),
  };
}

async function sweep(database: Database): Promise<void> {
  await database.query('DELETE FROM explorer_session WHERE expires_at <= now()');
  await database.query('DELETE FROM explorer_once WHERE expires_at <= now()');
}
