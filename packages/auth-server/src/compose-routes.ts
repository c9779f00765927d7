import type { VerifyToken } from '@cls/shared/access/verify-token';
import type { LogFault } from '@cls/shared/http/fault-log';
import type { Log } from '@cls/shared/log';
import { serveAssets } from '@cls/shared/pages/assets';
import type { Tracing } from '@cls/shared/tracing/tracing';
import type { Middleware } from 'koa';
import { passwordRoutes } from './account-pages/password-routes.ts';
import { accountRoutes } from './account-pages/routes.ts';
import { visitorOf } from './account-pages/visitor.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { TokenBudget } from './clients/token-budget.ts';
import type { AccountServices } from './compose-accounts.ts';
import type { AuthServerConfig } from './config.ts';
import type { AnswerLeak } from './leaks/answer-leak.ts';
import type { Provider } from './library/oidc.ts';
import {
  authorizationPostToGet,
  continueForms,
  endStaleSignIns,
  refusedRequestObject,
  refuseLongAnswers,
  refuseOvertaken,
  registeredRedirect,
} from './oauth/authorize/around-library.ts';
import { notifyOfDevices } from './oauth/authorize/notify-of-devices.ts';
import { interactionRoutes } from './oauth/authorize/routes.ts';
import { upstreamRoutes } from './oauth/authorize/upstream-routes.ts';
import { deviceDoneRoutes } from './oauth/device/device-done.ts';
import { deviceGuesses } from './oauth/device/device-guesses.ts';
import { paceDevices, tellInterval } from './oauth/device/device-polls.ts';
import { metadataCaching } from './oauth/discovery/metadata.ts';
import { tokenContractRoute } from './oauth/discovery/token-contract.ts';
import { signedTokens } from './oauth/revocation/signed-tokens.ts';
import { statusListEndpoint } from './oauth/revocation/status-list.ts';
import { spend } from './oauth/token/spend.ts';
import { tokenBody } from './oauth/token/token-body.ts';
import { tokenEndpoint } from './oauth/token/token-endpoint.ts';
import { integrations } from './organisations/integrations.ts';
import type { Rooms } from './server/router.ts';
import { inOrder } from './server/router.ts';
import { answeringScope } from './state/answering.ts';
import type { StateStore } from './state/state-store.ts';
import type { StatusLists } from './token-status/status-lists.ts';
import type { PageAssets } from './web/assets.ts';
import { logoAssets } from './web/logos.ts';
import type { Pages } from './web/page.ts';

export interface RoutingDeps {
  readonly config: AuthServerConfig;
  readonly accountServices: AccountServices;
  readonly tokenBudget: TokenBudget;
  readonly state: StateStore;
  readonly audit: AuditLog;
  readonly assets: PageAssets;
  readonly pages: Pages;
  readonly log: Log;
  readonly logFault: LogFault;
  readonly tracing: Tracing | undefined;
}

/** What is made once, while providers come and go with their keys. */
export interface Apis {
  readonly adminApi: Middleware;
  readonly answerLeak: AnswerLeak;
  readonly secretReports: Middleware;
  readonly statusLists: StatusLists;
  /** Of tokens for each API. */
  readonly verifiers: readonly VerifyToken[];
}

/** Who answers in each room of the route table; what is left is the library's to answer. */
export function composeRooms(provider: Provider, deps: RoutingDeps, apis: Apis): Rooms {
  const { config, accountServices, state, audit, pages, assets, log, logFault } = deps;
  const { accounts, access, throttle, upstreamSignIn, accountApplications } = accountServices;
  const answer = (...room: readonly Middleware[]) => inOrder(answeringScope(audit, log), ...room);
  const findLogo = logoAssets(accountServices.applications.findLogo);
  const continued = continueForms(provider, pages);
  const resumed = endStaleSignIns({ accounts, access, state, pages });
  return {
    token: answer(
      ...tokenSpan(deps.tracing),
      tokenEndpoint(throttle, audit, spend(state, config.refreshGraceS), {
        ...{ log, logFault, pace: paceDevices(state), budget: deps.tokenBudget },
      }),
      tokenBody,
    ),
    authorize: answer(
      authorizationPostToGet(pages),
      registeredRedirect,
      refusedRequestObject,
      refuseLongAnswers(pages),
      refuseOvertaken(audit, pages),
      continued,
      resumed,
    ),
    interaction: answer(interactions(provider, deps)),
    upstream: answer(upstreamRoutes({ upstreamSignIn, state, audit, pages })),
    device: answer(
      continued,
      resumed,
      deviceDoneRoutes(provider, pages),
      notifyOfDevices({ accounts, accountApplications }),
      deviceGuesses(throttle, pages),
      tellInterval,
    ),
    logout: answer(
      authorizationPostToGet(pages),
      registeredRedirect,
      refuseLongAnswers(pages),
      continued,
    ),
    grants: answer(),
    revocation: answer(revocation(deps, apis)),
    statusLists: statusListEndpoint(apis.statusLists),
    discovery: metadataCaching,
    tokenContract: tokenContractRoute(config.issuer),
    accountPages: answer(accountPages(provider, deps, apis)),
    passwordPages: answer(passwordPages(provider, deps)),
    adminApi: answer(apis.adminApi),
    secretReports: answer(apis.secretReports),
    assets: serveAssets({ find: (path) => assets.find(path) ?? findLogo(path) }),
  };
}

function revocation(
  { config, accountServices, audit }: RoutingDeps,
  { verifiers }: Apis,
): Middleware {
  const { issuer, scopeBase } = config;
  const { tokenStatus: tokens } = accountServices;
  return signedTokens({ issuer, scopeBase, verifiers, tokens, audit });
}

function interactions(provider: Provider, deps: RoutingDeps): Middleware {
  const { config, accountServices, state, audit, pages } = deps;
  const { issuer, mfaPolicy, scopeBase, audience } = config;
  const settings = { issuer, mfaPolicy, scopeBase, audience };
  return interactionRoutes(provider, { ...accountServices, ...settings, state, audit, pages });
}

function accountPages(provider: Provider, deps: RoutingDeps, { answerLeak }: Apis) {
  const { config, accountServices, state, audit, pages } = deps;
  const { issuer, mfaPolicy, scopeBase } = config;
  const settings = { issuer, mfaPolicy, scopeBase, sessions: config };
  return accountRoutes(provider, {
    ...{ ...accountServices, ...settings, state, pages },
    integrations: integrations({ ...accountServices, audit, answerLeak }),
  });
}

function passwordPages(
  provider: Provider,
  { config, accountServices, pages }: RoutingDeps,
): Middleware {
  const { accounts, resetPassword, acceptInvitation, passwordRules } = accountServices;
  const visitor = { accounts, mfaPolicy: config.mfaPolicy, sessions: config };
  return passwordRoutes({
    pages,
    resetPassword,
    acceptInvitation,
    passwordRules,
    signedIn: async (ctx) => (await visitorOf(provider, visitor, ctx))?.account,
  });
}

function tokenSpan(tracing: Tracing | undefined): readonly Middleware[] {
  return tracing === undefined ? [] : [(_, next) => tracing.during('token', next)];
}
