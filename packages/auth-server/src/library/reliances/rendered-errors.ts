import type { Context } from 'koa';
import type { Provider } from 'oidc-provider';

/**
 * Makes the library hand every error to `renderError` of its configuration. By itself it asks
 * `ctx.accepts('json', 'html')` whether the caller prefers a page, and writes JSON to all others.
 * What the caller prefers is asked of `ctx.request`: see web/error-page.ts.
 */
export function handOverErrors(provider: Provider): void {
  const { accepts } = provider.context as Context;
  Object.assign(provider.context, {
    accepts(this: Context, ...asked: (string | string[])[]) {
      const types = asked.flat();
      return types.join() === 'json,html' ? 'html' : accepts.call(this, types);
    },
  });
}
