import { newId } from '@cls/shared/new-id';
import type { Database, Transaction } from '@cls/shared/sql/database';
import { storable } from '@cls/shared/text';
import { instant, readAs } from '../../../questions/ask/sql/statement.ts';
import type {
  ClaimedJob,
  FinishedJob,
  ImportJob,
  ImportJobs,
  JobLimits,
  JobStatus,
  NewJob,
  OpenedJob,
} from '../import-job.ts';

/** Who opens or claims a job takes turns: both count what others have. */
const LOCK = 'SELECT pg_advisory_xact_lock(7204321)';
/** A file may pause for so long while it is received. */
const RECEIVE_LEASE_MS = 120_000;
const UNTIL = "clock_timestamp() + $2 * interval '1 millisecond'";

const MEMBERS = `id, status, request AS parameters, file_sha256 AS "fileSha256",
  size_bytes::float8 AS "sizeBytes", subject AS "postedBy", ${instant('created_at')} AS "createdAt",
  ${instant('started_at')} AS "startedAt", ${instant('ended_at')} AS "endedAt",
  import_id AS "importId", report`;

/** Jobs in the tables `import_job` and `import_job_part`. Callers' questions are read as the reader role. */
export function sqlImportJobs(database: Database): ImportJobs {
  return {
    open: (job, limits) =>
      database.transaction(async (transaction) => {
        await transaction.execute(LOCK);
        return openJob(transaction, job, limits);
      }),
    async append(key, part, bytes) {
      const added = await database.query(
        `WITH job AS (UPDATE import_job SET leased_until = ${UNTIL}
           WHERE key = $1 AND status = 'receiving' RETURNING key)
         INSERT INTO import_job_part (job_key, part, content)
         SELECT key, $3, decode($4, 'base64') FROM job RETURNING part`,
        [key, RECEIVE_LEASE_MS, part, Buffer.from(bytes).toString('base64')],
      );
      return added.length > 0;
    },
    async enqueue(key, fileSha256, sizeBytes) {
      await database.query(
        `UPDATE import_job SET status = 'queued', leased_until = NULL, file_sha256 = $2, size_bytes = $3
         WHERE key = $1 AND status = 'receiving'`,
        [key, fileSha256, sizeBytes],
      );
    },
    async abandon(key) {
      await database.query(`DELETE FROM import_job WHERE key = $1 AND status = 'receiving'`, [key]);
    },
    async claim(runner, leaseMs) {
      const open = `SELECT FROM import_job WHERE status IN ('queued', 'running') LIMIT 1`;
      if ((await database.query(open)).length === 0) return undefined;
      return database.transaction(async (transaction) => {
        await transaction.execute(LOCK);
        return claimJob(transaction, runner, leaseMs);
      });
    },
    async renew({ key, runner }, leaseMs) {
      const renewed = await database.query(
        `UPDATE import_job SET leased_until = ${UNTIL}
         WHERE key = $1 AND runner = $3 AND status = 'running' RETURNING key`,
        [key, leaseMs, runner],
      );
      return renewed.length > 0;
    },
    finish: (job, finished) =>
      database.transaction((transaction) => finishJob(transaction, job, finished)),
    async release({ key, runner }) {
      await database.query(
        `UPDATE import_job SET status = 'queued', leased_until = NULL, attempts = attempts - 1
         WHERE key = $1 AND runner = $2 AND status = 'running'`,
        [key, runner],
      );
    },
    async find(customer, id) {
      const sql = `SELECT ${MEMBERS} FROM import_job WHERE id = $1 AND status <> 'receiving'`;
      const [job] = await readAs<ImportJob>(database, { customer }, { sql, parameters: [id] });
      return job;
    },
    list(customer, limit, before) {
      const sql = `SELECT ${MEMBERS} FROM import_job
        WHERE status <> 'receiving' AND customer_id = $1
          AND ($3::text IS NULL OR key < (SELECT key FROM import_job WHERE id = $3))
        ORDER BY key DESC LIMIT $2`;
      const parameters = [customer, limit, before ?? null];
      return readAs<ImportJob>(database, { customer }, { sql, parameters });
    },
    async sweep(keptDays) {
      await database.query(
        `DELETE FROM import_job WHERE (ended_at < clock_timestamp() - $1 * interval '1 day'
             AND NOT (status = 'applied' AND request->>'kind' = 'journals'))
           OR (status = 'receiving' AND leased_until < clock_timestamp())`,
        [keptDays],
      );
    },
  };
}

async function finishJob(
  transaction: Transaction,
  { key, runner }: Pick<ClaimedJob, 'key' | 'runner'>,
  { status, importId, report }: FinishedJob,
): Promise<void> {
  const ended = await transaction.query(
    `UPDATE import_job SET status = $3, import_id = $4, report = $5::jsonb,
       ended_at = clock_timestamp(), leased_until = NULL
     WHERE key = $1 AND runner = $2 AND status = 'running' RETURNING key`,
    [key, runner, status, importId ?? null, reportJson(report)],
  );
  if (ended.length === 0) return;
  await transaction.query('DELETE FROM import_job_part WHERE job_key = $1', [key]);
}

/** A report may quote a file, whose characters the database need not be able to keep. */
function reportJson(report: FinishedJob['report']): string {
  return JSON.stringify(report, (_, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  );
}

async function openJob(
  transaction: Transaction,
  { poster, idempotencyKey, parameters, document }: NewJob,
  limits: JobLimits,
): Promise<OpenedJob> {
  const { customer, subject, clientId } = poster;
  // Its sender is gone, and may be the one that sends the key again.
  await transaction.execute(
    `DELETE FROM import_job WHERE status = 'receiving' AND leased_until < clock_timestamp()`,
  );
  const [known] = await transaction.query<Omit<ImportJob, 'status'> & { status: StoredStatus }>(
    `SELECT ${MEMBERS} FROM import_job WHERE customer_id = $1 AND subject = $2 AND idempotency_key = $3`,
    [customer, subject, idempotencyKey],
  );
  if (known !== undefined) {
    const { status } = known;
    return status === 'receiving'
      ? { outcome: 'in_use' }
      : { outcome: 'known', job: { ...known, status } };
  }
  const [open] = await transaction.query<Record<keyof JobLimits, number>>(
    `SELECT count(*) FILTER (WHERE subject = $1)::int AS "perCaller", count(*)::int AS "inAll"
     FROM import_job WHERE status IN ('receiving', 'queued', 'running')`,
    [subject],
  );
  const whose = (['perCaller', 'inAll'] as const).find((one) => (open?.[one] ?? 0) >= limits[one]);
  if (whose !== undefined) return { outcome: 'too_many', whose };
  const id = newId('job');
  const [made] = await transaction.query<{ key: bigint }>(
    `INSERT INTO import_job (id, customer_id, subject, client_id, idempotency_key, request, profile,
       status, leased_until)
     VALUES ($1, $3, $4, $5, $6, $7::jsonb, $8::jsonb, 'receiving', ${UNTIL}) RETURNING key`,
    [
      ...[id, RECEIVE_LEASE_MS, customer, subject, clientId, idempotencyKey],
      JSON.stringify(parameters),
      document === undefined ? null : JSON.stringify(document),
    ],
  );
  if (made === undefined) throw new Error('INSERT returned no row');
  return { outcome: 'opened', key: made.key, id };
}

type StoredStatus = JobStatus | 'receiving';

async function claimJob(
  transaction: Transaction,
  runner: string,
  leaseMs: number,
): Promise<ClaimedJob | undefined> {
  const [job] = await transaction.query<Omit<ClaimedJob, 'runner'>>(
    `UPDATE import_job SET status = 'running', runner = $1, leased_until = ${UNTIL},
       attempts = attempts + 1, started_at = coalesce(started_at, clock_timestamp())
     WHERE key = (SELECT min(key) FROM import_job WHERE status IN ('queued', 'running'))
       AND (status = 'queued' OR leased_until < clock_timestamp())
       AND NOT EXISTS (SELECT FROM import_job
         WHERE status = 'running' AND leased_until >= clock_timestamp())
     RETURNING key, id, attempts, request AS parameters, profile AS document,
       jsonb_build_object('customer', customer_id, 'subject', subject) AS poster`,
    [runner, leaseMs],
  );
  return job && { ...job, runner };
}

export async function* jobFile(
  database: Database,
  { key }: Pick<ClaimedJob, 'key'>,
): AsyncGenerator<Uint8Array> {
  for (let part = 0; ; part += 1) {
    const [found] = await database.query<{ content: string }>(
      `SELECT encode(content, 'base64') AS content FROM import_job_part
       WHERE job_key = $1 AND part = $2`,
      [key, part],
    );
    if (found === undefined) return;
    yield Buffer.from(found.content, 'base64');
  }
}
