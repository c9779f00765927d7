import type { Log } from '@cls/shared/log';
import type { Database } from '@cls/shared/sql/database';
import type { TokenBudget, TokenUseStore } from './token-budget.ts';

const SHARE_INTERVAL_MS = 1_000;

/** In the order of the subjects, so that replicas do not wait for each other in a circle. */
const ADD = `
  INSERT INTO token_use AS t (subject, paid_until, used_at, used_from)
  SELECT subject, now() + make_interval(secs => "takenS"), now() - make_interval(secs => "agoS"), address
  FROM json_to_recordset($1::json) AS u (subject text, "takenS" float8, "agoS" float8, address text)
  ORDER BY subject
  ON CONFLICT (subject) DO UPDATE SET
    paid_until = greatest(t.paid_until, now()) + (excluded.paid_until - now()),
    used_at = greatest(t.used_at, excluded.used_at),
    used_from = CASE WHEN excluded.used_at >= t.used_at
                THEN coalesce(excluded.used_from, t.used_from) ELSE t.used_from END
  RETURNING subject, extract(epoch FROM paid_until - now())::float8 AS "aheadS"`;

/** What service accounts and customers took, of all replicas. */
export function sqlTokenUse(database: Database): TokenUseStore {
  return {
    async add(uses) {
      const rows = await database.query<{ subject: string; aheadS: number }>(ADD, [
        JSON.stringify(uses),
      ]);
      return new Map(rows.map(({ subject, aheadS }) => [subject, aheadS]));
    },
  };
}

/**
 * Shares what is given out, once a second where there is something to share. While the database
 * does not answer, each process counts alone, and shares later. @returns stops, and shares the rest.
 */
export function shareTokenUse(
  budget: TokenBudget,
  store: TokenUseStore,
  log: Log,
): () => Promise<void> {
  let sharing: Promise<void> | undefined;
  const share = (all = false) => {
    sharing ??= budget
      .share(store, all)
      .catch((err: unknown) =>
        log.debug({ err }, 'the other replicas hear later how many tokens were given out'),
      )
      .finally(() => {
        sharing = undefined;
      });
    return sharing;
  };
  const timer = setInterval(() => void share(), SHARE_INTERVAL_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await sharing;
    await share(true);
  };
}

/** Rows of accounts and customers that are no more. */
export async function sweepTokenUse(database: Database): Promise<void> {
  await database.query(
    `DELETE FROM token_use WHERE subject NOT IN
       (SELECT id FROM service_account UNION ALL SELECT id FROM customer
        UNION ALL SELECT id FROM service_account_secret UNION ALL SELECT id FROM application_secret)`,
  );
}
