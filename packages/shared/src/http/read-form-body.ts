import type { Context } from 'koa';

const FORM = 'application/x-www-form-urlencoded';
const BODY_MAX_BYTES = 16_384;

/** A form's fields, each as often as it was sent; undefined when the body is no form, or too large. */
export async function readFormBody(ctx: Context): Promise<URLSearchParams | undefined> {
  if (!ctx.is(FORM)) return undefined;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of ctx.req as AsyncIterable<Buffer>) {
    length += part.length;
    // Read to its end all the same: leaving early would cut the connection before the answer.
    if (length <= BODY_MAX_BYTES) parts.push(part);
  }
  return length > BODY_MAX_BYTES
    ? undefined
    : new URLSearchParams(Buffer.concat(parts).toString('utf8'));
}
