import type { Context } from 'koa';

const BODY_MAX_BYTES = 16_384;

/** A form's fields; undefined when the body is no form, or too large. */
export async function readForm(ctx: Context): Promise<URLSearchParams | undefined> {
  if (!ctx.is('application/x-www-form-urlencoded')) return undefined;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of ctx.req as AsyncIterable<Buffer>) {
    length += part.length;
    // Read to its end all the same: leaving early would cut the connection before the answer.
    if (length <= BODY_MAX_BYTES) parts.push(part);
  }
  if (length > BODY_MAX_BYTES) return undefined;
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'));
}
