/** What this service adds before and after the library's own answers to a browser. */

import type { Log } from '@cls/shared/log';
import { readFormBody } from '@cls/shared/pages/browser';
import { decodeJwt, type JWTPayload } from 'jose';
import type { Context, Middleware } from 'koa';
import type { AuditLog } from '../../audit/audit-log.ts';
import { digest } from '../../crypto/digest.ts';
import type { Provider } from '../../library/oidc.ts';
import { callbackFormOf } from '../../library/reliances/callback-form.ts';
import { loginBroughtBy } from '../../library/reliances/login-result.ts';
import { answerAddressFault } from '../../library/request-parameters.ts';
import type { AccountAccess } from '../../sessions/account-access.ts';
import { answering, auditedSafely } from '../../state/answering.ts';
import { continuePage } from '../../web/continue.ts';
import { showErrorPage } from '../../web/error-page.ts';
import { showExpired } from '../../web/expired-page.ts';
import { formTargetsOf, type Pages, seeOther } from '../../web/page.ts';
import { ROUTES } from '../../web/paths.ts';
import { type ProgressDeps, provenIn } from './progress.ts';

/** The parameters that a refusal needs. They give nobody access to anything. */
const OF_THE_ANSWER = ['response_mode', 'state'] as const;

/**
 * Requests that come as an object (OpenID Connect Core 1.0 §6) are refused with
 * `request_not_supported`. The object alone may name the application's `response_mode` and `state`,
 * so the refusal takes both from it. The address of the answer comes from the
 * request's own `redirect_uri`, never from the object.
 */
export const refusedRequestObject: Middleware = (ctx, next) => {
  const { request } = ctx.query;
  if (ctx.path !== ROUTES.authorization || typeof request !== 'string') return next();
  const said = claimsOf(request);
  for (const name of OF_THE_ANSWER) {
    const value = said[name];
    if (ctx.query[name] === undefined && typeof value === 'string') {
      ctx.query = { ...ctx.query, [name]: value };
    }
  }
  return next();
};

function claimsOf(object: string): JWTPayload {
  try {
    return decodeJwt(object);
  } catch {
    return {};
  }
}

const PATHS: readonly string[] = [ROUTES.authorization, ROUTES.end_session];
/** Leaves room for the browser's cookies in a head of 32 KiB. */
const QUERY_MAX_LENGTH = 8_192;
const DESCRIPTION = `expected a form (application/x-www-form-urlencoded) of at most ${QUERY_MAX_LENGTH} bytes`;

/**
 * Requests to sign in or out that an application sends as a form (OpenID Connect Core 1.0
 * §3.1.2.1, RP-Initiated Logout 1.0 §2) continue by GET. Browsers leave `SameSite=Lax` cookies out of
 * another site's form but not out of the redirect after it, so who is signed in stays so.
 */
export function authorizationPostToGet(pages: Pages): Middleware {
  return async (ctx, next) => {
    if (ctx.method !== 'POST' || !PATHS.includes(ctx.path)) return next();
    const query = (await readFormBody(ctx))?.toString();
    ctx.set('Cache-Control', 'no-store');
    if (query !== undefined && query.length <= QUERY_MAX_LENGTH) {
      return seeOther(ctx, `${pages.path(ctx.path)}${query === '' ? '' : '?'}${query}`);
    }
    refuseRequest(pages, ctx, DESCRIPTION);
  };
}

/**
 * Refuses a request whose answer no proxy would deliver, before a person signs in or out for it. The
 * refusal would have the same address, so a page shows it.
 */
export function refuseLongAnswers(pages: Pages): Middleware {
  return (ctx, next) => {
    if (!PATHS.includes(ctx.path)) return next();
    const { redirect_uri, post_logout_redirect_uri, state } = ctx.query;
    const fault = answerAddressFault(redirect_uri ?? post_logout_redirect_uri, state);
    return fault === undefined ? next() : refuseRequest(pages, ctx, fault);
  };
}

/**
 * One request answers a pushed request (RFC 9126 §4). One that was held up may have been overtaken by
 * the next one of its browser.
 */
export function refuseOvertaken(audit: Pick<AuditLog, 'synced'>, pages: Pages): Middleware {
  return async (ctx, next) => {
    await next();
    const { mayAnswer } = answering() ?? {};
    if (mayAnswer === undefined || ctx.status >= 400) return;
    await auditedSafely(audit);
    if (await mayAnswer()) return;
    ctx.remove('Location');
    refuseRequest(pages, ctx, 'the request_uri was used', 'invalid_request_uri');
  };
}

function refuseRequest(
  pages: Pages,
  ctx: Context,
  description: string,
  error = 'invalid_request',
): void {
  ctx.set('Cache-Control', 'no-store');
  const technical = { error, description };
  showErrorPage(pages, ctx, { kind: 'application_request', status: 400, technical });
}

/**
 * Sends a browser to the application by the address that is registered, byte for byte, and what the
 * answer adds (RFC 6749 §3.1.2). The library reads an address and writes it anew, which encodes its
 * query in another way.
 */
export const registeredRedirect: Middleware = async (ctx, next) => {
  await next();
  const location = ctx.response.get('Location');
  const { oidc } = ctx;
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

/** Says in the log which sign-ins went without PKCE, as their applications are registered. */
export function logWithoutPkce(provider: Provider, log: Log): void {
  provider.on('authorization_code.saved', ({ clientId, codeChallenge }) => {
    if (codeChallenge === undefined) log.info({ clientId }, 'signed in without PKCE');
  });
}

export interface ResumeDeps extends ProgressDeps {
  readonly access: Pick<AccountAccess, 'endSession'>;
  readonly pages: Pages;
}

/**
 * Ends the session that a sign-in has brought when the proof does not stand any more: the password
 * was changed, or the account's access ended, while the person was on the way. The check runs when
 * the session exists, so there is no gap: whatever ends access later ends this session too.
 */
export function endStaleSignIns(deps: ResumeDeps): Middleware {
  return async (ctx, next) => {
    await next();
    const login = loginBroughtBy(ctx);
    const session = ctx.oidc?.session;
    if (session === undefined || login === undefined) return;
    // The proof is not removed but expires: a double click may send the same redirect twice.
    const proven = await provenIn(deps, login.provenIn).catch(async (error: unknown) => {
      await deps.access.endSession(digest(session.uid));
      throw error;
    });
    if (proven?.account.id === session.accountId) return;
    await deps.access.endSession(digest(session.uid));
    ctx.remove('Location');
    showExpired(deps.pages, ctx);
  };
}

/**
 * Puts our page in place of the library's when it sends a browser on with a form: signing out where
 * nobody is signed in, signing in as somebody else, `response_mode=form_post`. The library's page
 * needs an inline script, which our policy forbids, so people would see an empty page.
 */
export function continueForms(provider: Provider, pages: Pages): Middleware {
  return async (ctx, next) => {
    await next();
    const form = callbackFormOf(ctx.body);
    if (form === undefined) return;
    const formTargets = [form.action, ...(await targetsAfter(provider, ctx))];
    pages.show(ctx, {
      status: ctx.status,
      formTargets,
      again: false,
      render: (frame, i18n) => continuePage({ frame, ...form }, i18n),
    });
  };
}

/** The form may end at the application, one or two redirects later. */
async function targetsAfter(provider: Provider, ctx: Context): Promise<readonly string[]> {
  const { oidc } = ctx;
  const asked = oidc?.entities.Interaction?.params['client_id'];
  const client = oidc?.client ?? (await provider.Client.find(String(asked ?? '')));
  return formTargetsOf(client);
}
