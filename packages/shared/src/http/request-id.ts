import { randomFillSync } from 'node:crypto';
import type { Context, Middleware } from 'koa';

/** What a caller or a proxy may choose itself: printable ASCII, so that it can break no line. */
const ACCEPTED = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

export interface RequestState {
  /** In every answer's `X-Request-Id`, in every log line and in every error body. */
  requestId: string;
  /** Why it was refused, for the operator's log alone: a kind, and nothing that was sent. */
  refused?: string;
  /** Of the client whose token was accepted. */
  clientId?: string;
  /** The id of the person or the program that the token was issued to, or of the person who is signed in. */
  subject?: string;
  /** Whose people and programs the caller belongs to. */
  customer?: string;
  /** Where the request came from. */
  address?: string;
  /** The pattern of its path, such as `/account/sessions/{id}`: one of the few that a service has. */
  route?: string | undefined;
}

const ID_BYTES = 12;
/** For many ids at once: drawing random bytes costs more than all else of an id. */
const random = Buffer.alloc(ID_BYTES * 256);
let used = random.length;

/** For a request that brings none. */
export function newRequestId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += ID_BYTES;
  return `req_${random.toString('base64url', used - ID_BYTES, used)}`;
}

/** What the caller offers, where that can be used. */
export function requestIdOf(offered: string | readonly string[] | undefined): string {
  return typeof offered === 'string' && ACCEPTED.test(offered) ? offered : newRequestId();
}

export const requestId: Middleware<RequestState> = async (ctx, next) => {
  ctx.state.requestId = requestIdOf(ctx.get('x-request-id'));
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};

/**
 * Koa throws on each reading of a request target that is no URL (`GET http://[`), and finds no path in
 * another (`GET http://`, `GET *`). Such a request is answered like one for the bare host.
 */
export const readableTarget: Middleware = (ctx, next) => {
  if (!hasPath(ctx)) ctx.req.url = '/';
  return next();
};

function hasPath(ctx: Pick<Context, 'path'>): boolean {
  try {
    return ctx.path?.startsWith('/');
  } catch {
    return false;
  }
}
