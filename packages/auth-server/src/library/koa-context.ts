import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { KoaContextWithOIDC } from 'oidc-provider';

// The library and @koa/router bring types of Koa of their own. At run time each request has one context.

/** The library's context as this service's own code takes it. */
export function asKoa(ctx: KoaContextWithOIDC): Context {
  return ctx as unknown as Context;
}

/** The context of a request as the library takes it. */
export function asProviderContext(ctx: object): KoaContextWithOIDC {
  return ctx as unknown as KoaContextWithOIDC;
}

/** What the library knows of a request; undefined before it, and for requests that are not its own. */
export function oidcOf(ctx: object): KoaContextWithOIDC['oidc'] | undefined {
  return (ctx as Partial<KoaContextWithOIDC>).oidc;
}

export function routesOf(router: Router): Middleware {
  return router.routes() as unknown as Middleware;
}
