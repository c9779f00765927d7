import type { Middleware } from 'koa';
import { ACCOUNT_GRANT } from '../../clients/grant-types.ts';
import { digest } from '../../crypto/digest.ts';
import { ROUTES } from '../../web/paths.ts';
import { answerUnchanged } from '../../web/unchanged.ts';

/** Verifiers may keep keys as long; a new key is published longer than that before it signs. */
const MAX_AGE_S = 300;

/** Caching of discovery (RFC 8414) and the key set (RFC 7517), with validators. */
export const metadataCaching: Middleware = async (ctx, next) => {
  // Public, and for every page; the library would echo the origin that asks, `null` included.
  ctx.set('Access-Control-Allow-Origin', '*');
  await next();
  if (ctx.status !== 200) return;
  if (ctx.path !== ROUTES.jwks) ctx.body = honest(ctx.body as Record<string, unknown>);
  const etag = `"${digest(JSON.stringify(ctx.body))}"`;
  ctx.set('Cache-Control', `public, max-age=${MAX_AGE_S}`);
  answerUnchanged(ctx, etag);
};

/** Without our grant for people and the answer of our account pages: nobody else can use them. */
function honest(document: Record<string, unknown>): Record<string, unknown> {
  const without = (name: string, ours: string) =>
    (document[name] as string[]).filter((value) => value !== ours);
  return {
    ...document,
    grant_types_supported: without('grant_types_supported', ACCOUNT_GRANT),
    response_types_supported: without('response_types_supported', 'none'),
  };
}
