import type { Clock } from '@cls/shared/clock';
import type { Database, Sql } from '@cls/shared/sql/database';
import { digest } from '../crypto/digest.ts';
import { FIRST_DELAY_S, LAST_DELAY_S, THROTTLE_POLICIES } from './policy.ts';
import type { Admission, Throttle, ThrottleSubject } from './throttle.ts';

/** A thousand years. */
const FOR_EVER_S = 31_536_000_000;

/**
 * The present count: one attempt is forgotten each `$7` seconds. `updated_at` is the instant up to
 * which attempts were forgotten, so that no fraction of that time is lost.
 */
const LEFT = `(t.failures - least(t.failures, greatest(0,
  floor(extract(epoch FROM $3::timestamptz - t.updated_at) / $7::float8)))::int)`;

/**
 * Counts the attempt and sets how long the next one must wait, in one statement: parallel attempts
 * are each counted, and attempts during a block are not. Replicas’ clocks differ a little, so what
 * costs no delay is `-infinity` and not the present instant.
 */
const COUNT = `
  INSERT INTO throttle AS t (kind, subject_sha256, failures, blocked_until, updated_at)
  VALUES ($1, $2, 1, '-infinity', $3::timestamptz)
  ON CONFLICT (kind, subject_sha256) DO UPDATE SET
    failures = ${LEFT} + 1,
    blocked_until = CASE
      WHEN ${LEFT} + 1 >= $5 THEN 'infinity'
      WHEN ${LEFT} + 1 < $4 THEN '-infinity'
      ELSE $3::timestamptz
        + make_interval(secs => least($6 * 2.0 ^ least(${LEFT} + 1 - $4, 20), $8)) END,
    updated_at = CASE
      WHEN ${LEFT} = 0 OR $7::float8 >= ${FOR_EVER_S} THEN $3::timestamptz
      ELSE t.updated_at + make_interval(secs => (t.failures - ${LEFT}) * $7::float8) END
  WHERE t.blocked_until <= $3::timestamptz
  RETURNING 1`;

const WAIT = `
  WITH noted AS (
    UPDATE throttle SET refused_until = blocked_until
    WHERE kind = $1 AND subject_sha256 = $2 AND refused_until IS DISTINCT FROM blocked_until
    RETURNING 1)
  SELECT CASE WHEN blocked_until = 'infinity' THEN $4
              WHEN blocked_until <= $3::timestamptz THEN 1
              ELSE least(ceil(extract(epoch FROM blocked_until - $3::timestamptz)), $4) END::int
         AS "waitS", EXISTS (SELECT FROM noted) AS first
  FROM throttle WHERE kind = $1 AND subject_sha256 = $2`;

const CLEAR = 'DELETE FROM throttle WHERE kind = $1 AND subject_sha256 = $2';

const TAKE_BACK = `
  WITH gone AS (DELETE FROM throttle WHERE kind = $1 AND subject_sha256 = $2 AND failures <= 1)
  UPDATE throttle SET failures = failures - 1, blocked_until = '-infinity'
  WHERE kind = $1 AND subject_sha256 = $2 AND failures > 1`;

const NEVER = 2_000_000_000;

/** The throttle in SQL: durable, and one for all replicas. */
export function sqlThrottle(database: Database, clock: Clock): Throttle {
  return {
    async admit(subjects) {
      const now = clock.now().toISOString();
      for (const subject of subjects) {
        const admission = await attempt(database, subject, now);
        if (!admission.admitted) return admission;
      }
      return { admitted: true };
    },
    async withdraw(subjects) {
      for (const subject of subjects) {
        await takeBack(database, subject);
      }
    },
    async succeeded(subjects) {
      for (const subject of subjects) {
        const { clearedBySuccess } = THROTTLE_POLICIES[subject.kind];
        if (clearedBySuccess) await database.query(CLEAR, [subject.kind, throttleKey(subject)]);
        else await takeBack(database, subject);
      }
    },
  };
}

/** Guesses at invented names must not fill the table for ever. A real person comes back sooner. */
const IDLE_MAX = '365 days';

/** Removes counts that have been forgotten completely, and all others after a year. */
export async function sweepThrottle(database: Database, clock: Clock): Promise<void> {
  const now = clock.now().toISOString();
  for (const [kind, { forgetAfterS }] of Object.entries(THROTTLE_POLICIES)) {
    const idle = forgetAfterS === undefined ? IDLE_MAX : `${forgetAfterS} seconds`;
    const each = forgetAfterS === undefined ? '' : ' * failures';
    await database.query(
      `DELETE FROM throttle WHERE kind = $1 AND updated_at < $2::timestamptz - $3::interval${each}
         AND blocked_until <= $2::timestamptz AND blocked_until <> 'infinity'`,
      [kind, now, idle],
    );
  }
}

/** The attempt does not count, so its block is lifted: those before were over, or it was not admitted. */
async function takeBack(sql: Sql, subject: ThrottleSubject): Promise<void> {
  await sql.query(TAKE_BACK, [subject.kind, throttleKey(subject)]);
}

async function attempt(sql: Sql, subject: ThrottleSubject, now: string): Promise<Admission> {
  const { free, hardStop, forgetAfterS } = THROTTLE_POLICIES[subject.kind];
  const key = [subject.kind, throttleKey(subject)];
  const counted = await sql.query(COUNT, [
    ...key,
    now,
    free,
    hardStop ?? NEVER,
    FIRST_DELAY_S,
    forgetAfterS === undefined ? FOR_EVER_S : forgetAfterS / free,
    LAST_DELAY_S,
  ]);
  if (counted.length > 0) return { admitted: true };
  const [row] = await sql.query<{ waitS: number; first: boolean }>(WAIT, [
    ...key,
    now,
    LAST_DELAY_S,
  ]);
  return { admitted: false, retryAfterS: Math.max(1, row?.waitS ?? 1), first: row?.first ?? true };
}

/** What the table has of a subject. */
export function throttleKey({ kind, id }: ThrottleSubject): string {
  return digest(`${kind}:${id}`);
}
