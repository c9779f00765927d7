/**
 * The administrators' API, `/admin/v1/…`: what `cls-auth accounts` does, over HTTP, for the accounts
 * of the caller's own customer, and what `cls-auth secrets` does for its service accounts. JSON in
 * and out; refusals are problem documents (RFC 9457).
 */
import type { AdminPermission } from '@cls/shared/access-token';
import type { LogFault } from '@cls/shared/http/fault-log';
import { problems } from '@cls/shared/http/problem';
import type { Context, Middleware } from 'koa';
import { type AccountRouteDeps, accountRoutes } from './account-routes.ts';
import { type AdministratorDeps, administratorOf } from './administrator.ts';
import { methodNotAllowed, nothingHere } from './refusals.ts';
import type { AdminRequest, AdminRoute, Handle } from './route.ts';
import { type ServiceAccountRouteDeps, serviceAccountRoutes } from './service-account-routes.ts';

export interface AdminApiDeps
  extends Omit<AdministratorDeps, 'serviceAccounts'>,
    AccountRouteDeps,
    ServiceAccountRouteDeps {
  readonly logFault: LogFault;
}

export function adminApi(deps: AdminApiDeps): Middleware {
  const routes = [...accountRoutes(deps), ...serviceAccountRoutes(deps)].map(compile);
  const refusing = problems(deps.logFault, deps.issuer) as Middleware;
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    await refusing(ctx, () => serve(deps, routes, ctx));
  };
}

async function serve(
  deps: AdminApiDeps,
  routes: readonly CompiledRoute[],
  ctx: Context,
): Promise<void> {
  const { handle, ids, permission } = find(routes, ctx);
  const { clientId, ...may } = await administratorOf(deps, ctx.req, permission);
  const requestId = String(ctx.state['requestId']);
  const actor = { clientId, address: ctx.ip, requestId };
  const { querystring: query, req: request } = ctx;
  const answer = await handle({ ...may, actor, ...ids, query, request });
  ctx.status = answer.status ?? 200;
  if (answer.location !== undefined) ctx.set('Location', answer.location);
  ctx.body = answer.body;
}

interface CompiledRoute extends AdminRoute {
  readonly pattern: RegExp;
}

function compile(route: AdminRoute): CompiledRoute {
  const below = route.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return { ...route, pattern: new RegExp(`^/admin/v1${below}$`) };
}

/** @throws {Refusal} 404, 405 */
function find(
  routes: readonly CompiledRoute[],
  { path, method }: Context,
): { handle: Handle; ids: Pick<AdminRequest, 'id' | 'secretId'>; permission: AdminPermission } {
  for (const { pattern, handlers, permission } of routes) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const handle = handlers[method === 'HEAD' ? 'GET' : method];
    const ids = { id: '', secretId: '', ...match.groups };
    if (handle !== undefined) return { handle, ids, permission };
    const methods = Object.keys(handlers);
    throw methodNotAllowed(methods.flatMap((name) => (name === 'GET' ? [name, 'HEAD'] : [name])));
  }
  throw nothingHere();
}
