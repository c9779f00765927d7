import type Router from '@koa/router';
import type { Middleware } from 'koa';
import type { Account } from '../accounts/account.ts';

/** How a person proved who they are, for the claims of RFC 9068 §2.2.1. */
export interface Authentication {
  readonly account: Account;
  /** Whole seconds since the epoch. */
  readonly authTimeS: number;
  /** RFC 8176 values: `pwd`, and `otp` and `mfa` with a second factor. */
  readonly amr: readonly string[];
}

/** What one part of a request leaves for another that the library calls later. */
export interface RequestContext {
  /** The body was JSON: the account grant is open to those requests alone. */
  cameAsJson?: true;
  /** Who this request has authenticated. */
  authentication?: Authentication;
  /** The service account whose budget a token was taken from. */
  tookTokenOf?: string;
  /** It brought a secret that was never made here. */
  impossibleSecret?: true;
  /** The id of the secret by which the client has proven itself. */
  provenSecret?: string;
  /** Whose account the request is about, though it may be refused. */
  triedAccountId?: string;
}

/** The context lives in the request's `state`, which Koa and the library pass on. */
export function contextOf(ctx: { readonly state: object }): RequestContext {
  return ctx.state as RequestContext;
}

/** The router's type asks for what the router itself adds to the context. */
export function routesOf(router: Router): Middleware {
  return router.routes() as Middleware;
}
