import type { Context, Middleware } from 'koa';
import { errors } from '../../library/oidc.ts';
import { contextOf } from '../../library/request-context.ts';
import { readBody } from '../../web/read-body.ts';
import { formRequest, toForm } from './json-token-request.ts';
import { BODY_MAX_BYTES, tooLarge } from './token-error.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MEDIA = /^\s*([\w/+.-]+)\s*(?:;\s*charset\s*=\s*"?([\w-]+)"?\s*)?$/i;

/**
 * Hands the library a form in any case: a form as it came, JSON as the form that it stands for.
 *
 * @throws {errors.InvalidRequest} 400 for another type, charset or encoding, or parameters in the
 *   URL; 413 for too large a body.
 */
export const tokenBody: Middleware = async (ctx, next) => {
  if (ctx.querystring !== '') {
    throw new errors.InvalidRequest('parameters belong in the body, never in the URL');
  }
  const json = mediaOf(ctx) === JSON_TYPE;
  if (Number(ctx.get('content-length')) > BODY_MAX_BYTES) throw tooLarge();
  if (json) {
    const body = await readBody(ctx.req, BODY_MAX_BYTES);
    if (body === undefined) throw tooLarge();
    const request = formRequest(ctx.req, toForm(body, ctx.get('authorization')));
    ctx.req = request;
    contextOf(ctx).cameAsJson = true;
    ctx.request.req = request;
  }
  await next();
};

function mediaOf(ctx: Context): string {
  const [, type = '', charset = 'utf-8'] = MEDIA.exec(ctx.get('content-type')) ?? [];
  const media = type.toLowerCase();
  const known = media === FORM || media === JSON_TYPE;
  if (!known || charset.toLowerCase() !== 'utf-8' || ctx.get('content-encoding') !== '') {
    throw new errors.InvalidRequest(`the body must be ${FORM} or ${JSON_TYPE}, plain UTF-8`);
  }
  return media;
}
