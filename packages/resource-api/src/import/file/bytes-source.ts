import type { StatementSource } from './table.ts';

/** What a chunk becomes is held until its rows are read: of small ones, memory is taken back sooner. */
export const CHUNK_BYTES = 16 * 1024;

/** A file that is in memory, such as the body of a request. */
export function bytesSource(name: string, bytes: Uint8Array): StatementSource {
  return {
    name,
    size: bytes.length,
    async *bytes(start = 0, end = bytes.length) {
      for (let at = start; at < end; at += CHUNK_BYTES) {
        yield bytes.subarray(at, Math.min(at + CHUNK_BYTES, end));
      }
    },
  };
}

export async function firstBytes(
  chunks: AsyncIterable<Uint8Array>,
  length: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let missing = length;
  for await (const chunk of chunks) {
    parts.push(chunk);
    missing -= chunk.length;
    if (missing <= 0) break;
  }
  return Buffer.concat(parts).subarray(0, length);
}
