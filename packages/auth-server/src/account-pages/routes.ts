import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Provider } from '../library/oidc.ts';
import { routesOf } from '../library/request-context.ts';
import { ACCOUNT_PLACES, type AccountPlace } from '../views/account/account-page.ts';
import { type ErrorKind, errorKind } from '../web/error.ts';
import { showErrorPage } from '../web/error-page.ts';
import { seeOther } from '../web/page.ts';
import { ACCOUNT_SIGN_OUT_PATH, ACCOUNT_SIGNED_IN_PATH, SIGNED_OUT_PATH } from '../web/paths.ts';
import * as access from './access-pages.ts';
import type { AccountPageContext, AccountPagesDeps, Form } from './account-page-context.ts';
import * as factors from './factor-pages.ts';
import * as integrations from './integration-pages.ts';
import * as name from './name-page.ts';
import * as overview from './overview-pages.ts';
import { formKey, PLACES, placeOf } from './places.ts';
import { signIn } from './sign-in-again.ts';
import { signOut } from './sign-out.ts';
import {
  askForProof,
  isRecentlyAuthenticated,
  REAUTH_ACTIONS,
  showStepUp,
  submitStepUp,
} from './step-up.ts';
import { visitorOf } from './visitor.ts';

/** What a path shows and what its form does. */
interface Route {
  readonly show: (context: AccountPageContext) => Promise<void>;
  readonly submit?: (context: AccountPageContext, form: Form) => Promise<void>;
  /** Whether the person may come here; answers the request if not. */
  readonly admit?: (context: AccountPageContext) => Promise<boolean>;
}

const { INTEGRATION_PATHS, mayAdminister: admit } = integrations;

const ROUTES: Readonly<Record<string, Route>> = {
  [PLACES.overview]: { show: overview.showOverview },
  [overview.DATA_PATH]: { show: overview.downloadData },
  [name.NAME_PATH]: { show: name.showName, submit: name.submitName },
  [PLACES.password]: { show: overview.showPassword, submit: overview.changePassword },
  [PLACES.log]: { show: overview.showLog },
  [PLACES.factors]: { show: factors.showFactors },
  '/account/factors/totp': { show: factors.addTotp, submit: factors.confirmTotp },
  '/account/factors/passkey': { show: factors.addPasskey, submit: factors.confirmPasskey },
  '/account/factors/codes': { show: factors.codes, submit: factors.confirmCodes },
  '/account/factors/rename': { show: factors.showRename, submit: factors.rename },
  '/account/factors/remove': { show: factors.askToRemove, submit: factors.remove },
  '/account/factors/recovery-codes': {
    show: factors.askForNewCodes,
    submit: factors.replaceCodes,
  },
  [PLACES.sessions]: { show: access.showSessions },
  '/account/sessions/end': { show: access.showSessions, submit: access.endSession },
  '/account/sessions/end-others': { show: access.showSessions, submit: access.endOtherSessions },
  '/account/sessions/forget': { show: access.showSessions, submit: access.forgetDevice },
  [PLACES.applications]: { show: access.showApplications },
  '/account/applications/withdraw': { show: access.askToWithdraw, submit: access.withdraw },
  [PLACES.integrations]: { show: integrations.showIntegrations, admit },
  [INTEGRATION_PATHS.create]: {
    ...{ show: integrations.showNewSecret, submit: integrations.createSecret, admit },
  },
  [INTEGRATION_PATHS.replace]: {
    ...{ show: integrations.showReplace, submit: integrations.replaceSecret, admit },
  },
  [INTEGRATION_PATHS.revoke]: {
    ...{ show: integrations.askToRevoke, submit: integrations.revokeSecret, admit },
  },
  [INTEGRATION_PATHS.leaked]: {
    ...{ show: integrations.askAboutLeak, submit: integrations.answerLeak, admit },
  },
  [INTEGRATION_PATHS.secret]: { show: integrations.showSecret, admit },
  [INTEGRATION_PATHS.requests]: { show: integrations.showRequests, admit },
  [INTEGRATION_PATHS.people]: { show: integrations.showPeople, admit },
  [INTEGRATION_PATHS.applications]: { show: integrations.showCustomerApplications, admit },
  [ACCOUNT_SIGN_OUT_PATH]: { show: overview.showOverview, submit: signOut },
  '/account/step-up': { show: showStepUp, submit: submitStepUp },
};

/** The paths of these pages, for the route table. */
export const ACCOUNT_ROUTES = Object.entries(ROUTES).map(([path, { submit }]) => ({
  path,
  methods: submit === undefined ? (['GET'] as const) : (['GET', 'POST'] as const),
}));

const anybody = async () => true;

/** The pages of `/account`. */
export function accountRoutes(provider: Provider, deps: AccountPagesDeps): Middleware {
  const router = new Router({ sensitive: true, strict: true });
  const contextOf = async (ctx: Context): Promise<AccountPageContext | undefined> => {
    const visitor = await visitorOf(provider, deps, ctx);
    return visitor && { ...visitor, provider, deps, ctx };
  };
  for (const [path, { show, submit, admit: admitted = anybody }] of Object.entries(ROUTES)) {
    const proofNeeded = path in REAUTH_ACTIONS;
    router.get(path, async (ctx) => {
      const context = await contextOf(ctx);
      if (context === undefined || isEnding(context)) return signIn(deps, ctx, placeOf(path));
      if (!(await admitted(context))) return;
      if (proofNeeded && !(await isRecentlyAuthenticated(context))) return askForProof(context);
      return show(context);
    });
    if (submit !== undefined) {
      router.post(path, async (ctx) => {
        const context = await contextOf(ctx);
        if (context === undefined && path === ACCOUNT_SIGN_OUT_PATH) {
          return seeOther(ctx, deps.pages.path(SIGNED_OUT_PATH));
        }
        if (context === undefined) return showEnded(deps, ctx, placeOf(path));
        if (!(await admitted(context))) return;
        const read = await deps.pages.readForm(ctx, formKey(context));
        if ('refused' in read) return showRefused(context, path, read);
        if (proofNeeded && !(await isRecentlyAuthenticated(context))) return askForProof(context);
        return submit(context, read.form);
      });
    }
  }
  router.get(ACCOUNT_SIGNED_IN_PATH, (ctx) => {
    const { error, state } = ctx.query;
    if (typeof error === 'string') {
      return showErrorPage(deps.pages, ctx, { status: 403, kind: errorKind(error) });
    }
    const place = ACCOUNT_PLACES.find((one) => one === state) ?? 'overview';
    seeOther(ctx, deps.pages.path(PLACES[place]));
  });
  return routesOf(router);
}

/** Half of its idle time is over: an unseen detour through the provider prolongs the session. */
function isEnding({ endsInS, deps, ctx }: AccountPageContext): boolean {
  const place = Object.values(PLACES).includes(ctx.path);
  return place && endsInS < deps.sessions.sessionIdleS / 2;
}

/** What was filled in is lost; signing in leads to where it was. */
function showEnded({ pages }: AccountPagesDeps, ctx: Context, place: AccountPlace): void {
  const nextLink = { to: 'sign_in', href: pages.path(PLACES[place]) } as const;
  showErrorPage(pages, ctx, { status: 403, kind: 'session_ended', nextLink });
}

/** Says so where the form is of another person, or of this person's session before. */
function showRefused(
  { deps, ctx, account }: AccountPageContext,
  path: string,
  { refused, sent = {} }: { readonly refused: ErrorKind; readonly sent?: Form },
): void {
  const same = refused === 'form_refused' ? deps.pages.wasFor(sent, account.id) : undefined;
  if (same === undefined) {
    showErrorPage(deps.pages, ctx, { status: 400, kind: refused });
    return;
  }
  const nextLink = { to: 'account', href: deps.pages.path(PLACES[placeOf(path)]) } as const;
  const kind = same ? 'session_renewed' : 'person_changed';
  showErrorPage(deps.pages, ctx, { status: 400, kind, nextLink });
}
