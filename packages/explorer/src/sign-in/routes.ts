import type { Clock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import { dropCookie, readCookie, readFormBody, writeCookie } from '@cls/shared/pages/browser';
import type { Context } from 'koa';
import { digest } from '../crypto/seal.ts';
import { type SignedIn, SignInRefused } from '../issuer/issuer.ts';
import {
  LOGOUT_TOKEN_AGE_S,
  type LogoutClaims,
  LogoutTokenRefused,
} from '../issuer/logout-token.ts';
import { type KeepSessions, SESSION_TTL_S } from '../sessions/keep-sessions.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { safeReturn, withoutLanguage } from '../web/address.ts';
import { BROWSER_COOKIE, rememberEnd, SESSION_COOKIE, sessionOf } from '../web/browser.ts';
import type { Pages } from '../web/page.ts';
import { rememberViewer } from '../web/viewers.ts';
import {
  beginSignIn,
  endSignIn,
  newBrowser,
  type SignInDeps,
  signInUnderWay,
} from './begin-sign-in.ts';
import { isFormOf } from './form-token.ts';
import { signedOutPage, signInFailedPage } from './pages.ts';

export interface SignInRoutesDeps extends SignInDeps {
  readonly store: SessionStore;
  readonly sessions: KeepSessions;
  readonly validateLogoutToken: (token: string) => Promise<LogoutClaims>;
  readonly pages: Pages;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Says why at an address that can be loaded again: an answer of the issuer is good once. */
const NOT_SIGNED_IN = '/not-signed-in';

type Handler = (ctx: Context) => Promise<void> | void;
export type Routes = Readonly<Record<string, Handler>>;

/** By method and path. */
export function signInRoutes(deps: SignInRoutesDeps): Routes {
  return {
    'GET /sign-in': (ctx) => redirectToSignIn(deps, ctx, safeReturn(one(ctx, 'return')), false),
    'GET /callback': (ctx) => callback(deps, ctx),
    [`GET ${NOT_SIGNED_IN}`]: (ctx) => notSignedIn(deps, ctx),
    'POST /sign-out': (ctx) => signOut(deps, ctx),
    'GET /signed-out': (ctx) => deps.pages.show(ctx, 200, signedOutPage),
    'POST /backchannel-logout': (ctx) => backchannelLogout(deps, ctx),
  };
}

/**
 * @param silent without a page of the issuer: where the person is signed in there still.
 * @param administers for what administrators of a customer see.
 */
export async function redirectToSignIn(
  deps: SignInDeps,
  ctx: Context,
  address: string,
  silent: boolean,
  administers = false,
): Promise<void> {
  const returnTo = withoutLanguage(address);
  const known = readCookie(ctx, BROWSER_COOKIE);
  const browser = known ?? newBrowser();
  const url = await beginSignIn(deps, { browser, returnTo, silent, administers });
  if (known === undefined) writeCookie(ctx, BROWSER_COOKIE, browser, SESSION_TTL_S * 1_000);
  ctx.redirect(url.href);
}

async function callback(deps: SignInRoutesDeps, ctx: Context): Promise<void> {
  const { issuer, sessions, pages, log } = deps;
  const browser = readCookie(ctx, BROWSER_COOKIE) ?? '';
  const state = one(ctx, 'state') ?? '';
  const underWay = await signInUnderWay(deps, state, browser);
  if (underWay === undefined) {
    ctx.state['refused'] = 'unknown_sign_in';
    // The Back button leads here. Who is signed in has nothing to do again.
    const before = sessionOf(ctx);
    if (before !== undefined && (await sessions.peek(before)) !== undefined) {
      return seeOther(ctx, '/');
    }
    pages.show(ctx, 400, signInFailedPage('/', 'unknown'));
    return;
  }
  const { returnTo, silent } = underWay;
  try {
    const signedIn = await issuer.signIn(new URL(`${deps.baseUrl}${ctx.url}`), underWay);
    await beginSession(deps, ctx, state, signedIn).catch((err: unknown) => {
      // The code is used up: a proxy that sent this request again would end what it gave. The page that the
      // person wanted begins another sign-in, which needs no password, or says that the store is away.
      log.warn({ err, requestId: ctx.state['requestId'] }, 'a session could not be kept');
      dropCookie(ctx, SESSION_COOKIE);
    });
    seeOther(ctx, returnTo);
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    await endSignIn(deps, state);
    ctx.state['refused'] = error.code;
    log.info({ code: error.code, requestId: ctx.state['requestId'] }, 'a sign-in was refused');
    if (silent) {
      rememberEnd(ctx);
      return seeOther(ctx, returnTo);
    }
    dropCookie(ctx, SESSION_COOKIE);
    const why = new URLSearchParams({ why: reasonOf(error), return: returnTo });
    seeOther(ctx, `${NOT_SIGNED_IN}?${why}`);
  }
}

async function beginSession(
  deps: SignInRoutesDeps,
  ctx: Context,
  state: string,
  signedIn: SignedIn,
): Promise<void> {
  const { sessions, clock } = deps;
  await endSignIn(deps, state);
  const before = sessionOf(ctx);
  if (before !== undefined) await sessions.end(before);
  const identifier = await sessions.begin({ ...signedIn, signedInAt: clock.now().getTime() });
  writeCookie(ctx, SESSION_COOKIE, identifier);
  rememberViewer(ctx, signedIn.subject);
}

function notSignedIn({ pages }: SignInRoutesDeps, ctx: Context): void {
  const why = one(ctx, 'why') === 'denied' ? 'denied' : 'failed';
  pages.show(ctx, 400, signInFailedPage(safeReturn(one(ctx, 'return')), why));
}

function seeOther(ctx: Context, address: string): void {
  ctx.redirect(address);
  ctx.status = 303;
}

function reasonOf({ code }: SignInRefused): 'denied' | 'failed' {
  return code === 'access_denied' ? 'denied' : 'failed';
}

async function signOut(deps: SignInRoutesDeps, ctx: Context): Promise<void> {
  const { issuer, sessions, pages } = deps;
  const identifier = sessionOf(ctx);
  const form = await readFormBody(ctx);
  if (identifier !== undefined && !isFormOf(form?.get('csrf') ?? '', identifier)) {
    ctx.state['refused'] = 'foreign_form';
    pages.show(ctx, 403, signInFailedPage('/', 'foreign'));
    return;
  }
  // Here first: where the issuer does not answer, the person is signed out of this place at least.
  const ended = identifier === undefined ? undefined : await sessions.end(identifier);
  dropCookie(ctx, SESSION_COOKIE);
  const url = await issuer
    .signOutUrl(ended?.idToken)
    .catch(() => new URL(`${deps.baseUrl}/signed-out`));
  seeOther(ctx, url.href);
}

/** The answers are those of OpenID Connect Back-Channel Logout 1.0 §2.8. */
async function backchannelLogout(deps: SignInRoutesDeps, ctx: Context): Promise<void> {
  const { validateLogoutToken, store } = deps;
  const form = await readFormBody(ctx);
  try {
    const { sid, jti } = await validateLogoutToken(form?.get('logout_token') ?? '');
    // Ending first: it may be done again, and a failure must not leave a token that is spent.
    await store.endAll(digest(sid), SESSION_TTL_S);
    const ttlS = 10 * LOGOUT_TOKEN_AGE_S;
    const isNew = await store.keepOnce({
      kind: 'logout-token',
      key: digest(jti),
      sealed: '',
      ttlS,
    });
    if (!isNew) throw new LogoutTokenRefused('the token was used before');
    ctx.status = 204;
  } catch (error) {
    if (!(error instanceof LogoutTokenRefused)) throw error;
    ctx.state['refused'] = error.message;
    ctx.status = 400;
    ctx.body = { error: 'invalid_request', error_description: 'the logout token is not valid' };
  }
}

function one(ctx: Context, name: string): string | undefined {
  return [ctx.query[name]].flat()[0];
}
