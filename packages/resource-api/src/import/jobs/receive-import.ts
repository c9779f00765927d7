import { createHash } from 'node:crypto';
import type { ImportJob, ImportJobs, JobLimits, NewJob } from './import-job.ts';

export interface ReceiveDeps {
  readonly jobs: Pick<ImportJobs, 'open' | 'append' | 'enqueue' | 'abandon' | 'find'>;
  readonly limits: JobLimits;
  readonly maxBytes: number;
}

export type Received =
  | { readonly outcome: 'new' | 'same'; readonly job: ImportJob }
  /** The key came before with another file, or other parameters. */
  | { readonly outcome: 'other_request' }
  | { readonly outcome: 'in_use' }
  | { readonly outcome: 'too_many'; readonly whose: keyof JobLimits }
  | { readonly outcome: 'too_large' };

/** Of one statement to the database. */
const PART_BYTES = 1024 * 1024;

/**
 * Takes a file part by part into the store: it is never in memory as a whole. A key that came before gets
 * the job of then where file and parameters are the same.
 */
export async function receiveImport(
  { jobs, limits, maxBytes }: ReceiveDeps,
  request: NewJob,
  body: AsyncIterable<Uint8Array>,
): Promise<Received> {
  const opened = await jobs.open(request, limits);
  if (opened.outcome === 'in_use' || opened.outcome === 'too_many') return opened;
  if (opened.outcome === 'known') return compareWithKnown(request, opened.job, body, maxBytes);
  const { key, id } = opened;
  try {
    const file = await storeParts(jobs, key, body, maxBytes);
    if (file === undefined) {
      await jobs.abandon(key);
      return { outcome: 'too_large' };
    }
    await jobs.enqueue(key, file.sha256, file.bytes);
  } catch (error) {
    // A file that is left behind is swept; the first error says more.
    await jobs.abandon(key).catch(() => undefined);
    throw error;
  }
  const job = await jobs.find(request.poster.customer, id);
  if (job === undefined) throw new Error('a job that was just enqueued is not there');
  return { outcome: 'new', job };
}

async function compareWithKnown(
  { parameters }: NewJob,
  job: ImportJob,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Received> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return { outcome: 'too_large' };
    hash.update(chunk);
  }
  const isSame =
    hash.digest('hex') === job.fileSha256 && canonical(parameters) === canonical(job.parameters);
  return isSame ? { outcome: 'same', job } : { outcome: 'other_request' };
}

/** @returns undefined where the file is too large. */
async function storeParts(
  jobs: Pick<ImportJobs, 'append'>,
  key: bigint,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly sha256: string; readonly bytes: number } | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  let part = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const write = async () => {
    const isOurs = await jobs.append(key, part, Buffer.concat(waiting));
    if (!isOurs) throw new Error('the job was given up while its file was received');
    part += 1;
    [waiting, waitingBytes] = [[], 0];
  };
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    hash.update(chunk);
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= PART_BYTES) await write();
  }
  if (waitingBytes > 0) await write();
  return { sha256: hash.digest('hex'), bytes };
}

/** JSON with its members in order, whatever order the database keeps them in. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
