import { STATUS_LIST_MEDIA_TYPE, STATUS_LISTS_PATH } from '@cls/shared/access/status-list';
import type { Middleware } from 'koa';
import type { StatusLists } from '../../token-status/status-lists.ts';
import { answerUnchanged } from '../../web/unchanged.ts';

const PATH = new RegExp(`^${STATUS_LISTS_PATH}/(\\d{1,10})$`);

/** `GET /status-lists/{list}`: which tokens are revoked, for every resource server (Token Status List §8). */
export function statusListEndpoint(lists: StatusLists): Middleware {
  return async (ctx, next) => {
    const [, list] = PATH.exec(ctx.path) ?? [];
    const known = list === undefined ? undefined : await lists(Number(list));
    if (known === undefined) return next();
    const { token, etag } = known;
    ctx.set('Access-Control-Allow-Origin', '*');
    ctx.set('Cache-Control', 'no-cache'); // Kept with its ETag, and asked for each time.
    if (answerUnchanged(ctx, etag)) return;
    ctx.set('Content-Type', STATUS_LIST_MEDIA_TYPE);
    ctx.body = token;
  };
}
