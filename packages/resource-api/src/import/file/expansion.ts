import { pipeline, Readable } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { unpackedMaxBytes } from './limits.ts';
import { UnreadableFile } from './table.ts';

type Chunks = AsyncIterable<Uint8Array>;

const CHUNK_BYTES = 64 * 1024;

const INFLATERS = { gzip: createGunzip, zip: createInflateRaw };

/** Unpacks gzip of any number of members, or what a zip holds. */
export async function* inflated(packed: Chunks, format: keyof typeof INFLATERS): Chunks {
  const inflate = INFLATERS[format]({ chunkSize: CHUNK_BYTES });
  // An error of either stream ends the other, and reaches the loop below.
  pipeline(Readable.from(packed), inflate, () => undefined);
  try {
    yield* inflate;
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'Z_BUF_ERROR') {
      const message = `the ${format} file ends too early; it was not copied completely`;
      throw new UnreadableFile('truncated_file', message);
    }
    if (!code.startsWith('Z_')) throw error;
    throw new UnreadableFile('damaged_file', `the ${format} file is damaged (${code})`);
  }
}

/** Passes on what was unpacked, up to what a compressed file of that size may hold. */
export async function* limitExpansion(unpacked: Chunks, packedBytes: number): Chunks {
  const most = unpackedMaxBytes(packedBytes);
  let bytes = 0;
  for await (const chunk of unpacked) {
    bytes += chunk.length;
    if (bytes > most) {
      const message = `expected that the file unpacks to at most ${most} bytes; unpack and check it first`;
      throw new UnreadableFile('too_large_unpacked', message);
    }
    yield chunk;
  }
}
