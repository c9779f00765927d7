/**
 * The administrators' API, `/admin/v1/…`: what `cls-auth accounts` does, over HTTP, for the accounts
 * of the caller's own customer, and what `cls-auth secrets` does for its service accounts. JSON in
 * and out; refusals are problem documents (RFC 9457).
 */
import type { LogFault } from '@cls/shared/http/fault-log';
import { problems } from '@cls/shared/http/problem';
import type { Context, Middleware } from 'koa';
import { contractAnswer } from '../web/contract-answer.ts';
import { type AccountRouteDeps, accountRoutes } from './account-routes.ts';
import { type AdministratorDeps, administratorOf } from './administrator.ts';
import { CONTRACT_PATH, openApi } from './openapi.ts';
import { OPERATIONS, type Operation, type OperationName } from './operations.ts';
import { NOTHING, readBodyOf } from './read-body.ts';
import { NONE, readQuery } from './read-query.ts';
import { methodNotAllowed, refusal } from './refusals.ts';
import type { AdminRequest, Handle, Handlers } from './route.ts';
import { type ServiceAccountRouteDeps, serviceAccountRoutes } from './service-account-routes.ts';

export interface AdminApiDeps
  extends Omit<AdministratorDeps, 'serviceAccounts'>,
    AccountRouteDeps,
    ServiceAccountRouteDeps {
  readonly logFault: LogFault;
}

export function adminApi(deps: AdminApiDeps): Middleware {
  const handlers: Handlers = { ...accountRoutes(deps), ...serviceAccountRoutes(deps) };
  const answerContract = contractAnswer(openApi(deps.issuer, deps.scopeBase));
  const refusing = problems(deps.logFault, deps.issuer) as Middleware;
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    await refusing(ctx, async () => {
      if (ctx.path !== CONTRACT_PATH) return serve(deps, handlers, ctx);
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD']);
      readQuery(NONE, ctx.querystring);
      answerContract(ctx);
    });
  };
}

async function serve(deps: AdminApiDeps, handlers: Handlers, ctx: Context): Promise<void> {
  const { name, ids } = find(ctx);
  const { permission, status, query: schema, ...operation }: Operation = OPERATIONS[name];
  const { clientId, ...may } = await administratorOf(deps, ctx.req, permission);
  const requestId = String(ctx.state['requestId']);
  const actor = { clientId, address: ctx.ip, requestId };
  const query = readQuery(schema, ctx.querystring);
  const { req: request } = ctx;
  if (operation.method !== 'GET' && operation.body === undefined) {
    await readBodyOf(NOTHING, request);
  }
  const handle = handlers[name] as Handle; // The query was read by the schema of the same name.
  const answer = await handle({ ...may, actor, ...ids, query, request });
  ctx.status = status;
  if (answer.location !== undefined) ctx.set('Location', answer.location);
  ctx.body = answer.body;
}

const ROUTES = Object.entries(OPERATIONS).map(([name, { method, path }]) => ({
  ...{ name: name as OperationName, method },
  pattern: new RegExp(`^/admin/v1${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

/** @throws {Refusal} 404, 405 */
function find({ path, method }: Context): {
  readonly name: OperationName;
  readonly ids: Pick<AdminRequest, 'id' | 'secretId'>;
} {
  const routes = ROUTES.filter(({ pattern }) => pattern.test(path));
  if (routes.length === 0) throw refusal('not_found');
  const route = routes.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
  if (route === undefined) {
    throw methodNotAllowed(
      routes.flatMap((one) => (one.method === 'GET' ? ['GET', 'HEAD'] : one.method)),
    );
  }
  return { name: route.name, ids: { id: '', secretId: '', ...route.pattern.exec(path)?.groups } };
}
