import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Middleware } from 'koa';

const LEAST_BYTES = 1_000;
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compresses texts; streams go through as they come. */
export const compression: Middleware = async (ctx, next) => {
  await next();
  const body: unknown = ctx.body;
  const isText =
    typeof body === 'string' || (Buffer.isBuffer(body) && ctx.type.startsWith('text/'));
  if (!isText || ctx.method === 'HEAD') return;
  ctx.vary('Accept-Encoding');
  const bytes = Buffer.from(body);
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  if (bytes.length < LEAST_BYTES || encoding === 'identity' || encoding === false) return;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
  ctx.set('Content-Encoding', encoding);
  ctx.body = encoding === 'br' ? await brotli(bytes, quality) : await gzipped(bytes);
};
