import { type Permission, scopeOf } from '@cls/shared/access-token';
import type { Clock } from '@cls/shared/clock';
import { Refusal } from '@cls/shared/http/refusal';
import type { Context, Middleware } from 'koa';
import { documentationSite, type Site, type SiteDeps } from '../documentation/site.ts';
import { methodNotAllowed } from './method-not-allowed.ts';
import { writeBody } from './write-answer.ts';

/** Nothing but our own style sheet and scripts; requests and searches go to this host alone. */
const POLICY = [
  "default-src 'none'",
  ...["style-src 'self'", "script-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
].join('; ');

const HTML = 'text/html; charset=utf-8';

interface DocumentationDeps extends Omit<SiteDeps, 'scope'> {
  readonly scopeBase: string;
  readonly clock: Clock;
}

/** `GET {base}/docs…`, without a token. `latest` leads to the version that it stands for. */
export function documentation({ scopeBase, clock, ...deps }: DocumentationDeps): Middleware {
  const { registry } = deps.versions;
  const scope = (name: string) => scopeOf(scopeBase, name as Permission);
  const site = documentationSite({ ...deps, scope });
  return async (ctx, next) => {
    if (ctx.path !== '/docs' && !ctx.path.startsWith('/docs/')) return next();
    const now = clock.now();
    const path = ctx.path.replace(/^\/docs\/latest(?=\/|$)/, `/docs/${registry.latest(now).id}`);
    if (path === SEARCH_PATH) return search(ctx, site, now);
    const resource = site.find(path.replace(/\/+$/, ''), now);
    if (resource === undefined) return nothingHere(ctx, site, now);
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed();
    ctx.set('Content-Security-Policy', POLICY);
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.set('Vary', 'Accept-Encoding');
    if (path !== ctx.path) ctx.set('Content-Location', path);
    await writeBody(ctx, 200, { 'Content-Type': resource.type }, resource.body);
  };
}

const SEARCH_PATH = '/docs/search';

async function search(ctx: Context, site: Site, now: Date): Promise<void> {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed();
  const query = new URLSearchParams(ctx.querystring).get('q') ?? '';
  ctx.set('Content-Security-Policy', POLICY);
  ctx.set('Cache-Control', 'no-store');
  await writeBody(ctx, 200, { 'Content-Type': HTML }, site.search(query, now), false);
}

function nothingHere(ctx: Context, site: Site, now: Date): void {
  if (!/\btext\/html\b/.test(ctx.get('accept'))) {
    throw new Refusal({
      status: 404,
      code: 'not_found',
      title: 'Not found',
      detail: 'The documentation has nothing at this path; it begins at /docs.',
    });
  }
  ctx.set('Content-Security-Policy', POLICY);
  ctx.set('Cache-Control', 'no-store');
  ctx.status = 404;
  ctx.type = HTML;
  ctx.body = site.missing(now);
}
