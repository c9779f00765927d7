import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { ClsError } from './errors.ts';
import { linesOf } from './lines.ts';
import type { ExportSummary, Item, Path, RemovedItem } from './types.ts';

/** A line before the summary; with `updatedSince`, also what is gone. */
export type ExportLine<P extends Path, Q = object> =
  | Item<P, Q>
  | (Q extends { readonly updatedSince: string } ? RemovedItem : never);

/**
 * Everything that a question finds, as one stream and one snapshot. Lines come as they arrive, so
 * they are known to be complete only when the iteration has ended without an error: it fails with
 * `export_cut` where the summary is missing, and with `export_damaged` where count or SHA-256 of
 * the lines are not the summary's.
 */
export class Export<P extends Path, Q = object> implements AsyncIterable<ExportLine<P, Q>> {
  readonly #open: () => Promise<ReadableStream<Uint8Array>>;
  readonly #signal: AbortSignal | undefined;
  #summary: ExportSummary | undefined;

  constructor(open: () => Promise<ReadableStream<Uint8Array>>, signal?: AbortSignal) {
    this.#open = open;
    this.#signal = signal;
  }

  /** Counts, times and totals; undefined until an iteration has reached the end. */
  get summary(): ExportSummary | undefined {
    return this.#summary;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ExportLine<P, Q>, void, void> {
    this.#summary = undefined;
    // WebCrypto digests only what is whole in memory, and an export may be larger than that.
    const hash = sha256.create();
    let [count, removed] = [0, 0];
    let summary: ExportSummary | undefined;
    for await (const { bytes, ended } of this.#lines()) {
      if (summary !== undefined) throw damaged('lines after the summary');
      const line = ended ? parsed(bytes) : undefined;
      // The server ends every line; what has no end was cut, even where it parses.
      if (line === undefined) throw cut();
      if (line.object === 'summary') {
        summary = line as ExportSummary;
        continue;
      }
      hash.update(bytes);
      if (line.object === 'removed') removed += 1;
      else count += 1;
      yield line as ExportLine<P, Q>;
    }
    if (summary === undefined) throw cut();
    if (summary.count !== count || (summary.removed ?? 0) !== removed) {
      const [wanted, got] = [summary.count + (summary.removed ?? 0), count + removed];
      throw damaged(`${got} lines, and the summary counts ${wanted}`);
    }
    if (summary.sha256 !== bytesToHex(hash.digest())) {
      throw damaged('the SHA-256 of the lines is not that of the summary');
    }
    this.#summary = summary;
  }

  async *#lines() {
    const stream = await this.#open();
    try {
      yield* linesOf(stream);
    } catch (cause) {
      this.#signal?.throwIfAborted();
      throw cut(cause);
    }
  }
}

function parsed(bytes: Uint8Array): { readonly object?: unknown } {
  try {
    return Object(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch (cause) {
    throw damaged('a line is not JSON', cause);
  }
}

function cut(cause?: unknown): ClsError {
  return new ClsError('export_cut', 'the export ended before its summary: ask again', { cause });
}

function damaged(why: string, cause?: unknown): ClsError {
  return new ClsError('export_damaged', `the export is not as it was sent: ${why}`, { cause });
}
