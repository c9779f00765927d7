import { decodeJwt, type JWTPayload } from 'jose';
import type { Middleware } from 'koa';
import { ROUTES } from '../../web/paths.ts';

/** What a refusal needs; none of it gives anything to anybody. */
const OF_THE_ANSWER = ['response_mode', 'state'] as const;

/**
 * Requests that come as an object (OpenID Connect Core 1.0 §6) are refused with
 * `request_not_supported`. The application may have said in the object alone how it wants to be
 * answered, and by which `state` it knows the answer. The address of the answer comes from the
 * request's own `redirect_uri`, never from the object.
 */
export const refusedRequestObject: Middleware = (ctx, next) => {
  const { request } = ctx.query;
  if (ctx.path !== ROUTES.authorization || typeof request !== 'string') return next();
  const said = claimsOf(request);
  for (const name of OF_THE_ANSWER) {
    const value = said[name];
    if (ctx.query[name] === undefined && typeof value === 'string') {
      ctx.query = { ...ctx.query, [name]: value };
    }
  }
  return next();
};

function claimsOf(object: string): JWTPayload {
  try {
    return decodeJwt(object);
  } catch {
    return {};
  }
}
