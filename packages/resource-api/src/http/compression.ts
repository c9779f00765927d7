import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress as brotliCallback,
  brotliCompressSync,
  constants,
  createGzip,
  gzip as gzipCallback,
  gzipSync,
} from 'node:zlib';

const brotli = promisify(brotliCallback);
const gzip = promisify(gzipCallback);
/** Below this the gain is less than a packet. */
const WORTH_BYTES = 1_024;
/**
 * Up to this size a body is compressed at once, which takes 50 µs for 28 kB. A thread of the pool
 * would take as long, and handing it the work four times that.
 */
const AT_ONCE_BYTES = 64 * 1024;
/** The fastest level: decimals and repeated names shrink tenfold with it. */
const GZIP_LEVEL = 1;
/** Takes about twice the time of gzip at its fastest, and gives a body a third smaller. */
const BROTLI_QUALITY = 4;

/** A content coding of RFC 9110 §8.4.1 that a body is sent in. */
export type Coding = 'br' | 'gzip';

/** Of bytes that are held elsewhere, as those of the documentation: each is compressed once. */
const compressed: Readonly<Record<Coding, WeakMap<Buffer, Buffer | Promise<Buffer>>>> = {
  br: new WeakMap(),
  gzip: new WeakMap(),
};

/**
 * The coding for a body, by `Accept-Encoding` (RFC 9110 §12.5.3): the one that the client prefers,
 * and brotli where it has no preference. A stream is never sent as brotli: it is not cached, and
 * compressing it takes longer.
 *
 * @returns undefined where the body is sent as it is.
 */
export function codingFor(
  acceptEncoding: string | undefined,
  body: Buffer | string | Readable,
): Coding | undefined {
  const isStream = body instanceof Readable;
  if (acceptEncoding === undefined || (!isStream && body.length < WORTH_BYTES)) return undefined;
  const { br, gzip: zip, identity } = weightsOf(acceptEncoding);
  const brotliWeight = isStream ? 0 : br;
  const most = Math.max(brotliWeight, zip);
  if (most === 0 || most < identity) return undefined;
  return brotliWeight === most ? 'br' : 'gzip';
}

interface Weights extends Readonly<Record<Coding, number>> {
  /** What the client gave it by name; it is always acceptable. */
  readonly identity: number;
}

function weightsOf(acceptEncoding: string): Weights {
  const named = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    named.set(coding, weight === undefined ? 1 : Number(weight) || 0);
  }
  const of = (coding: string) => named.get(coding) ?? named.get('*') ?? 0;
  return { br: of('br'), gzip: of('gzip'), identity: named.get('identity') ?? 0 };
}

/** A body in a coding; a stream's as it comes, with a failure passed on. */
export function encoded(
  body: Buffer | string | Readable,
  coding: Coding,
): Buffer | Promise<Buffer> | Readable {
  if (body instanceof Readable) {
    const stream = createGzip({ level: GZIP_LEVEL });
    // The reader sees a failure by an end without an end-of-stream.
    return pipeline(body, stream, () => undefined);
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const before = compressed[coding].get(bytes);
  if (before !== undefined) return before;
  const result = coding === 'br' ? brotliOf(bytes) : gzipOf(bytes);
  compressed[coding].set(bytes, result);
  return result;
}

function gzipOf(bytes: Buffer): Buffer | Promise<Buffer> {
  const options = { level: GZIP_LEVEL };
  return bytes.length <= AT_ONCE_BYTES ? gzipSync(bytes, options) : gzip(bytes, options);
}

function brotliOf(bytes: Buffer): Buffer | Promise<Buffer> {
  const options = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  };
  return bytes.length <= AT_ONCE_BYTES
    ? brotliCompressSync(bytes, options)
    : brotli(bytes, options);
}
