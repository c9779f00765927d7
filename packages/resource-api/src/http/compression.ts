import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip as gzipCallback } from 'node:zlib';

const gzip = promisify(gzipCallback);
/** Below this the gain is less than a packet. */
const WORTH_BYTES = 1_024;
/** The fastest level: decimals and repeated names shrink tenfold with it. */
const LEVEL = 1;

/** What was compressed before, for as long as its bytes are kept. */
const compressed = new WeakMap<Buffer, Promise<Buffer>>();

export function isWorthCompressing(body: Buffer | string | Readable): boolean {
  return body instanceof Readable || body.length >= WORTH_BYTES;
}

/** The gzip of a body; a stream's as it comes, with a failure passed on. */
export function gzipped(body: Buffer | string | Readable): Promise<Buffer> | Readable {
  if (body instanceof Readable) {
    const stream = createGzip({ level: LEVEL });
    // The reader sees a failure by an end without an end-of-stream.
    return pipeline(body, stream, () => undefined);
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const known = compressed.get(bytes);
  if (known !== undefined) return known;
  const result = gzip(bytes, { level: LEVEL });
  compressed.set(bytes, result);
  return result;
}
