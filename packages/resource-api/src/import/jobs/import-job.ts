import type { StatementSource } from '../file/table.ts';

export type ImportKind = 'statement' | 'journals';

export interface ImportParameters {
  readonly kind: ImportKind;
  /** Writes what was checked; otherwise nothing is written. */
  readonly apply: boolean;
  readonly profile?: string;
  /** The date of a statement that has no column for it, as `YYYY-MM-DD`. */
  readonly asOf?: string;
  readonly expected: { readonly rows?: number; readonly sums: Readonly<Record<string, string>> };
  readonly withoutTotals?: string;
  readonly accept: Readonly<Record<string, string>>;
}

export interface ImportWork extends ImportParameters {
  readonly source: StatementSource;
  readonly poster: Pick<ImportPoster, 'customer' | 'subject'>;
  /** The profile as it was when the file was posted: JSON, as it was registered. */
  readonly document: unknown;
}

/** What an import came to. `checked`: it has no faults, and nothing was written. */
export interface ImportResult {
  readonly status: 'checked' | 'applied' | 'refused';
  readonly importId?: string | undefined;
  /** For the caller: JSON of bounded size. */
  readonly report: Readonly<Record<string, unknown>>;
}

/**
 * Checks a file, or checks and posts it in one transaction. A file that was applied before is applied.
 *
 * @throws {DatabaseUnavailable} where another attempt may succeed.
 */
export type RunImport = (work: ImportWork) => Promise<ImportResult>;

/** `failed`: the import ended in a way that no file should cause. */
export type JobStatus = 'queued' | 'running' | 'checked' | 'applied' | 'refused' | 'failed';

/** A file that was posted, and what became of it. Instants are RFC 3339 in UTC. */
export interface ImportJob {
  readonly id: string;
  readonly status: JobStatus;
  readonly parameters: ImportParameters;
  readonly fileSha256: string;
  readonly sizeBytes: number;
  readonly postedBy: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly importId: string | null;
  readonly report: Readonly<Record<string, unknown>> | null;
}

/** Who posts. Jobs are seen by their customer alone. */
export interface ImportPoster {
  readonly customer: string;
  readonly subject: string;
  readonly clientId: string;
}

export interface NewJob {
  readonly poster: ImportPoster;
  readonly idempotencyKey: string;
  readonly parameters: ImportParameters;
  readonly document: unknown;
}

/** How many jobs may be open: neither ended nor given up. */
export interface JobLimits {
  readonly perCaller: number;
  readonly inAll: number;
}

export type OpenedJob =
  | { readonly outcome: 'opened'; readonly key: bigint; readonly id: string }
  | { readonly outcome: 'known'; readonly job: ImportJob }
  | { readonly outcome: 'in_use' }
  | { readonly outcome: 'too_many'; readonly whose: keyof JobLimits };

/** A job that this process alone may run. */
export interface ClaimedJob {
  readonly key: bigint;
  readonly id: string;
  readonly runner: string;
  readonly attempts: number;
  readonly poster: Pick<ImportPoster, 'customer' | 'subject'>;
  readonly parameters: ImportParameters;
  readonly document: unknown;
}

export interface FinishedJob {
  readonly status: Exclude<JobStatus, 'queued' | 'running'>;
  readonly importId?: string | undefined;
  readonly report: Readonly<Record<string, unknown>>;
}

export interface ImportJobs {
  open(job: NewJob, limits: JobLimits): Promise<OpenedJob>;
  /** Adds the next part of a file, numbered from 0. @returns false where the job was given up. */
  append(key: bigint, part: number, bytes: Uint8Array): Promise<boolean>;
  /** The file is there as a whole: somebody may run the job. */
  enqueue(key: bigint, fileSha256: string, sizeBytes: number): Promise<void>;
  abandon(key: bigint): Promise<void>;
  /**
   * The oldest job that waits, or whose runner is gone; undefined where there is none, or while another
   * job runs: the book takes one at a time.
   */
  claim(runner: string, leaseMs: number): Promise<ClaimedJob | undefined>;
  /** @returns false where another runner has the job, or it has ended. */
  renew(job: Pick<ClaimedJob, 'key' | 'runner'>, leaseMs: number): Promise<boolean>;
  /** Ends a job and removes its file. Does nothing where another runner has the job. */
  finish(job: Pick<ClaimedJob, 'key' | 'runner'>, result: FinishedJob): Promise<void>;
  release(job: Pick<ClaimedJob, 'key' | 'runner'>): Promise<void>;
  find(customer: string, id: string): Promise<ImportJob | undefined>;
  /** Newest first. @param before the id of a job: only older ones. */
  list(customer: string, limit: number, before: string | undefined): Promise<readonly ImportJob[]>;
  /**
   * Removes jobs that ended longer ago, and files that never came as a whole. Of journal files that were
   * applied, nothing else says for ever who posted them.
   */
  sweep(keptDays: number): Promise<void>;
}
