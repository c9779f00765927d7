import { randomBytes } from 'node:crypto';
import { readCookie, writeCookie } from '@cls/shared/pages/browser';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { AcceptInvitation } from '../account-management/invite.ts';
import { RESET_TTL_S, type ResetPassword } from '../account-management/reset-password.ts';
import { type Account, maySeeDeals } from '../accounts/account.ts';
import type { PasswordRules } from '../accounts/password-rules.ts';
import { routesOf } from '../library/request-context.ts';
import { passwordSetPage } from '../views/password/password-set.ts';
import { resetRequestPage, resetSentPage } from '../views/password/reset-request.ts';
import { invitationPage, setPasswordPage } from '../views/password/set-password.ts';
import { actorOf, uiLocalesQuery } from '../web/browser.ts';
import type { ErrorKind } from '../web/error.ts';
import { showErrorPage } from '../web/error-page.ts';
import type { Problem } from '../web/form.ts';
import type { NextLink } from '../web/layout.ts';
import { type Form, type Pages, seeOther } from '../web/page.ts';
import {
  ACCOUNT_PATH,
  INVITATION_PATH,
  NEW_PASSWORD_PATH,
  PASSWORD_SET_PATH,
  RESET_PATH,
  ROUTES,
  START_PATH,
} from '../web/paths.ts';

export interface PasswordDeps {
  readonly pages: Pages;
  readonly resetPassword: ResetPassword;
  readonly acceptInvitation: AcceptInvitation;
  readonly passwordRules: PasswordRules;
  /** Who is signed in in the browser that asks. */
  readonly signedIn: (ctx: Context) => Promise<Account | undefined>;
}

/** Setting a password by a link that was sent: a forgotten one, or the first one. */
export function passwordRoutes(deps: PasswordDeps): Middleware {
  const router = new Router({ sensitive: true, strict: true });
  /** `bound`: what the page's form was tied to; a form from elsewhere is refused. */
  const submit =
    (bound: (ctx: Context) => string, act: (ctx: Context, form: Form) => Promise<void>) =>
    async (ctx: Context) => {
      const read = await deps.pages.readForm(ctx, bound(ctx));
      if ('refused' in read) return showError(deps, ctx, read.refused, 400);
      await act(ctx, read.form);
    };
  router.get(RESET_PATH, (ctx) => showRequest(deps, ctx, []));
  router.post(
    RESET_PATH,
    submit(browserOf, (ctx, form) => requestReset(deps, ctx, form)),
  );
  router.get(NEW_PASSWORD_PATH, (ctx) => showReset(deps, ctx, []));
  router.post(
    NEW_PASSWORD_PATH,
    submit(tokenOf, (ctx, form) => finishReset(deps, ctx, form)),
  );
  router.get(PASSWORD_SET_PATH, (ctx) => showPasswordSet(deps, ctx));
  router.get(INVITATION_PATH, (ctx) => showInvitation(deps, ctx, []));
  router.post(
    INVITATION_PATH,
    submit(tokenOf, (ctx, form) => accept(deps, ctx, form)),
  );
  return routesOf(router);
}

const BROWSER_COOKIE = { name: 'cls_form' };
const TOKEN = /^[A-Za-z0-9_-]{16,200}$/;

/** The token of a link; the form of its page is tied to it. */
function tokenOf(ctx: Context): string {
  const { token } = ctx.query;
  return typeof token === 'string' && TOKEN.test(token) ? token : '';
}

/**
 * What the form of a browser without a session is tied to. Never the bare value: a browser that
 * says an interaction's id in this cookie must not be given the token of that one's forms.
 */
function browserOf(ctx: Context): string {
  const value = readCookie(ctx, BROWSER_COOKIE) ?? '';
  return VALUE.test(value) ? boundTo(value) : '';
}

const VALUE = /^[\w-]{22}$/;
const boundTo = (value: string) => `browser ${value}`;

/** Ties a form to a browser. Forms of several open pages work side by side. */
function newBrowser(ctx: Context): string {
  const known = browserOf(ctx);
  if (known !== '') return known;
  const value = randomBytes(16).toString('base64url');
  writeCookie(ctx, BROWSER_COOKIE, value);
  return boundTo(value);
}

function showRequest(
  deps: PasswordDeps,
  ctx: Context,
  problems: readonly Problem<'email'>[],
  email?: string,
): void {
  const { pages } = deps;
  const signInHref = pages.path(ACCOUNT_PATH);
  pages.show(ctx, {
    csrf: newBrowser(ctx),
    problems,
    render: (frame, i18n) =>
      resetRequestPage(
        {
          frame,
          action: `${pages.path(RESET_PATH)}${uiLocalesQuery(ctx.query['ui_locales'])}`,
          ...(email ? { email } : {}),
          signInHref,
          problems,
        },
        i18n,
      ),
  });
}

/** The same page whether there is such an account or not. */
async function requestReset(deps: PasswordDeps, ctx: Context, form: Form): Promise<void> {
  const email = (form['email'] ?? '').slice(0, 254);
  const problem = await deps.resetPassword.request(email, actorOf(ctx));
  if (problem !== undefined) return showRequest(deps, ctx, [problem], email);
  const requestHref = deps.pages.path(RESET_PATH);
  const signInHref = deps.pages.path(ACCOUNT_PATH);
  deps.pages.show(ctx, {
    again: false,
    render: (frame, i18n) =>
      resetSentPage({ frame, email, validForS: RESET_TTL_S, requestHref, signInHref }, i18n),
  });
}

async function showReset(
  deps: PasswordDeps,
  ctx: Context,
  problems: readonly Problem<'new_password'>[],
): Promise<void> {
  const token = tokenOf(ctx);
  const account = token === '' ? undefined : await deps.resetPassword.find(token);
  if (account === undefined) return showError(deps, ctx, 'link_expired', 410);
  const { lengthMin } = deps.passwordRules;
  const action = `${deps.pages.path(NEW_PASSWORD_PATH)}?token=${token}`;
  deps.pages.show(ctx, {
    csrf: token,
    problems,
    render: (frame, i18n) =>
      setPasswordPage({ frame, action, email: account.email, lengthMin, problems }, i18n),
  });
}

async function finishReset(deps: PasswordDeps, ctx: Context, form: Form): Promise<void> {
  const password = form['new_password'] ?? '';
  const result = await deps.resetPassword.finish(tokenOf(ctx), password, actorOf(ctx));
  if ('expired' in result) return showError(deps, ctx, 'link_expired', 410);
  if ('problem' in result) return showReset(deps, ctx, [result.problem]);
  leadToPasswordSet(deps, ctx, result.account);
}

async function showInvitation(
  deps: PasswordDeps,
  ctx: Context,
  problems: readonly Problem<'new_password'>[],
): Promise<void> {
  const token = tokenOf(ctx);
  const open = token === '' ? undefined : await deps.acceptInvitation.find(token);
  if (open === undefined) return showError(deps, ctx, 'invitation_expired', 410);
  const { account, organisation, expiresAt } = open;
  const { lengthMin } = deps.passwordRules;
  const action = `${deps.pages.path(INVITATION_PATH)}?token=${token}`;
  const model = { action, email: account.email, organisation, expiresAt, lengthMin, problems };
  deps.pages.show(ctx, {
    csrf: token,
    problems,
    render: (frame, i18n) => invitationPage({ frame, ...model }, i18n),
  });
}

async function accept(deps: PasswordDeps, ctx: Context, form: Form): Promise<void> {
  const password = form['new_password'] ?? '';
  const result = await deps.acceptInvitation.accept(tokenOf(ctx), password, actorOf(ctx));
  if ('expired' in result) return showError(deps, ctx, 'invitation_expired', 410);
  if ('problem' in result) return showInvitation(deps, ctx, [result.problem]);
  leadToPasswordSet(deps, ctx, result.account);
}

/** The page that follows leads people who may see deals to the explorer, others to their account. */
function leadToPasswordSet({ pages }: PasswordDeps, ctx: Context, account: Account): void {
  seeOther(ctx, `${pages.path(PASSWORD_SET_PATH)}${maySeeDeals(account) ? '' : '?next=account'}`);
}

/**
 * A page of its own: the link is used up, and loading it again would say so. A session in
 * this browser is another person's, or has ended: a new password ends its owner's sessions.
 */
async function showPasswordSet({ pages, signedIn }: PasswordDeps, ctx: Context): Promise<void> {
  const somebody = await signedIn(ctx);
  const nextLink: NextLink =
    somebody === undefined
      ? {
          to: 'sign_in',
          href: pages.path(ctx.query['next'] === 'account' ? ACCOUNT_PATH : START_PATH),
        }
      : { to: 'sign_out', href: pages.path(ROUTES.end_session) };
  const model = { nextLink, ...(somebody && { signedInEmail: somebody.email }) };
  pages.show(ctx, { render: (frame, i18n) => passwordSetPage({ frame, ...model }, i18n) });
}

/** An invitation has no page to ask for another one: who has accepted it signs in. */
function showError({ pages }: PasswordDeps, ctx: Context, kind: ErrorKind, status: number): void {
  const nextLink: NextLink =
    ctx.path === INVITATION_PATH
      ? { to: 'sign_in', href: pages.path(ACCOUNT_PATH) }
      : { to: 'new_link', href: pages.path(RESET_PATH) };
  showErrorPage(pages, ctx, { status, kind, nextLink });
}
