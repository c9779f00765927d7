import type { Middleware } from 'koa';
import { oidcOf } from '../../library/request-context.ts';

/**
 * Sends a browser to the application by the address that is registered, byte for byte, and what the
 * answer adds (RFC 6749 §3.1.2). The library reads an address and writes it anew, which encodes its
 * query in another way.
 */
export const registeredRedirect: Middleware = async (ctx, next) => {
  await next();
  const location = ctx.response.get('Location');
  const oidc = oidcOf(ctx);
  if (!URL.canParse(location) || oidc === undefined) return;
  const asked = oidc.params?.['redirect_uri'];
  const registered = [asked, ...(oidc.client?.postLogoutRedirectUris ?? [])];
  for (const uri of registered) {
    const kept = typeof uri === 'string' ? asRegistered(location, uri) : undefined;
    if (kept !== undefined) return ctx.set('Location', kept);
  }
};

/**
 * `location` with the bytes of `registered` in front. Undefined where it is not that address with
 * parameters added, as the library adds them.
 */
export function asRegistered(location: string, registered: string): string | undefined {
  if (!URL.canParse(registered)) return undefined;
  const [made, again] = [new URL(location), new URL(registered)];
  const added = [...made.searchParams].filter(([name]) => !again.searchParams.has(name));
  for (const [name, value] of added) again.searchParams.set(name, value);
  if (made.hash !== '') again.hash = made.hash;
  if (again.href !== made.href) return undefined;
  const query = new URLSearchParams(added).toString();
  return `${registered}${query === '' ? '' : separatorAfter(registered)}${query}${made.hash}`;
}

function separatorAfter(uri: string): string {
  if (!uri.includes('?')) return '?';
  return /[?&]$/.test(uri) ? '' : '&';
}
