import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { GatheredBytes } from '@cls/shared/http/gathered-bytes';
import type { ImportJob, ImportJobs, JobLimits, NewJob, OpenedJob } from './import-job.ts';

export interface ReceiveDeps {
  readonly jobs: Pick<ImportJobs, 'open' | 'append' | 'enqueue' | 'abandon' | 'find'>;
  readonly limits: JobLimits;
  readonly maxBytes: number;
}

export type Received =
  | { readonly outcome: 'new' | 'same'; readonly job: ImportJob }
  /** The key came before with another file, or other parameters. */
  | { readonly outcome: 'other_request' }
  | { readonly outcome: 'too_large' }
  | Extract<OpenedJob, { outcome: 'in_use' | 'too_many' }>;

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
  if (opened.outcome === 'known') {
    const file = await readParts(body, maxBytes);
    if (file === undefined) return { outcome: 'too_large' };
    const { job } = opened;
    const parameters: unknown = JSON.parse(JSON.stringify(request.parameters));
    const isSame = file.sha256 === job.fileSha256 && isDeepStrictEqual(parameters, job.parameters);
    return isSame ? { outcome: 'same', job } : { outcome: 'other_request' };
  }
  const { key, id } = opened;
  try {
    const file = await readParts(body, maxBytes, async (part, bytes) => {
      if (await jobs.append(key, part, bytes)) return;
      throw new Error('the job was given up while its file was received');
    });
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

/** @returns undefined where the file is too large. */
async function readParts(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  write: (part: number, bytes: Uint8Array) => Promise<void> = async () => undefined,
): Promise<{ readonly sha256: string; readonly bytes: number } | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  let part = 0;
  const waiting = new GatheredBytes();
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    hash.update(chunk);
    waiting.add(chunk);
    if (waiting.length < PART_BYTES) continue;
    await write(part, waiting.take());
    part += 1;
  }
  if (waiting.length > 0) await write(part, waiting.take());
  return { sha256: hash.digest('hex'), bytes };
}
