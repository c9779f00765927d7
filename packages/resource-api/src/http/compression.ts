import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress as brotliCallback,
  constants,
  createGzip,
  gzip as gzipCallback,
} from 'node:zlib';

const brotli = promisify(brotliCallback);
const gzip = promisify(gzipCallback);
/** Below this the gain is less than a packet. */
const WORTH_BYTES = 1_024;
/** The fastest level: decimals and repeated names shrink tenfold with it. */
const GZIP = { level: 1 };
/** Takes about twice the time of gzip at its fastest, and gives a body a third smaller. */
const BROTLI = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
};

/** A content coding of RFC 9110 §8.4.1 that a body is sent in. */
type Coding = 'br' | 'gzip';

/** Of bytes that are held elsewhere, as those of the documentation: each is compressed once. */
const compressed: Readonly<Record<Coding, WeakMap<Buffer, Promise<Buffer>>>> = {
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
  body: Buffer | Readable,
): Coding | undefined {
  const isStream = body instanceof Readable;
  if (acceptEncoding === undefined || (!isStream && body.length < WORTH_BYTES)) return undefined;
  const named = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    named.set(coding, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (coding: Coding) => named.get(coding) ?? named.get('*') ?? 0;
  const br = isStream ? 0 : weightOf('br');
  const most = Math.max(br, weightOf('gzip'));
  // A body as it is, is acceptable without being named.
  if (most === 0 || most < (named.get('identity') ?? 0)) return undefined;
  return br === most ? 'br' : 'gzip';
}

/** A body in a coding; a stream's as it comes, with a failure passed on. */
export function encoded(body: Buffer | Readable, coding: Coding): Promise<Buffer> | Readable {
  if (body instanceof Readable) {
    const stream = createGzip(GZIP);
    // The reader sees a failure by an end without an end-of-stream.
    return pipeline(body, stream, () => undefined);
  }
  const before = compressed[coding].get(body);
  if (before !== undefined) return before;
  const params = { ...BROTLI, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const result = coding === 'gzip' ? gzip(body, GZIP) : brotli(body, { params });
  compressed[coding].set(body, result);
  return result;
}
