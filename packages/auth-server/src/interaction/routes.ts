import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { type Client, errors, type Provider } from 'oidc-provider';
import type { AccountDirectory } from '../accounts/account.ts';
import { canonicalEmail } from '../accounts/account.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { MfaPolicy } from '../config.ts';
import { writeCookie } from '../http/cookie.ts';
import { amrOf } from '../mfa/authentication-methods.ts';
import type { Passkeys } from '../mfa/passkeys.ts';
import { acrOf, MFA_ACR } from '../provider/granted-account.ts';
import type { StateStore } from '../provider/state/state-store.ts';
import type { NoteDevice } from '../sign-in/note-device.ts';
import { type Proof, type ProofParts, provePassword } from '../sign-in/prove.ts';
import type { SecondStep, SecondStepAnswer, SecondStepMethod } from '../sign-in/second-step.ts';
import { addressSubject } from '../throttle/address-subject.ts';
import { KNOWN_DEVICE_TTL_S } from '../throttle/known-devices.ts';
import type { UpstreamSignIn } from '../upstream/sign-in-upstream.ts';
import { consentPage } from '../views/authorization/consent.ts';
import type { Problem } from '../views/form.ts';
import { type ErrorKind, errorPage } from '../views/outcome/error.ts';
import { expiredPage } from '../views/outcome/expired.ts';
import { secondFactorPage } from '../views/sign-in/second-factor.ts';
import { signInPage } from '../views/sign-in/sign-in.ts';
import { formTargetsOf, type ShownApplication, shownApplication } from './application.ts';
import { nextStep, type SignInProgress } from './next-step.ts';
import type { Page, Pages } from './page.ts';
import { RESET_PATH } from './password-routes.ts';
import { permissionNames } from './permission-names.ts';
import { dropProgress, keepProgress, progressOf } from './progress.ts';
import { wayOnFrom } from './provider-pages.ts';
import { readForm } from './read-form.ts';
import { DEVICE_COOKIE, requesterOf } from './requester.ts';
import { leaveFor } from './upstream-routes.ts';

export interface InteractionParts extends ProofParts {
  readonly secondStep: SecondStep;
  readonly passkeys: Passkeys;
  readonly upstreamSignIn: UpstreamSignIn;
  readonly noteDevice: NoteDevice;
  readonly issuer: string;
  readonly accounts: AccountDirectory;
  readonly state: StateStore;
  readonly audit: AuditLog;
  readonly pages: Pages;
  readonly mfaPolicy: MfaPolicy;
  readonly scopeBase: string;
  readonly audience: string;
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

/** One interaction, as a route meets it. */
interface Visit {
  readonly provider: Provider;
  readonly parts: InteractionParts;
  readonly ctx: Context;
  readonly details: Details;
  readonly client: Client | undefined;
}

/** The pages of `/interaction/…` and what their forms do. */
export function interactionRoutes(provider: Provider, parts: InteractionParts): Middleware {
  const router = new Router({ prefix: '/interaction', sensitive: true, strict: true });
  const visit = (act: (visit: Visit) => Promise<void>) => async (ctx: Context) => {
    const details = await detailsOf(provider, ctx);
    if (details === undefined) return showExpired(parts, ctx);
    const client = await provider.Client.find(String(details.params['client_id'] ?? ''));
    await act({ provider, parts, ctx, details, client });
  };
  const submit = (act: (visit: Visit, form: Form) => Promise<void>) =>
    visit(async (one) => {
      const form = await readForm(one.ctx);
      if (form === undefined || !parts.pages.isOurs(form, one.details.uid)) {
        return showError(one, 'form_refused', 400);
      }
      await act(one, form);
    });
  router.get('/:uid', visit(show));
  router.post('/:uid/sign-in', submit(signIn));
  router.post('/:uid/passkey', submit(passkey));
  router.post('/:uid/organisation', submit(organisation));
  router.post('/:uid/second-factor', submit(secondFactor));
  router.get('/:uid/other-account', visit(otherAccount));
  router.post('/:uid/consent', submit(consent));
  return router.routes() as unknown as Middleware;
}

type Form = Readonly<Record<string, string>>;

/** Undefined for one that ended, expired, or is of another browser. */
async function detailsOf(provider: Provider, ctx: Context): Promise<Details | undefined> {
  try {
    const details = await provider.interactionDetails(ctx.req, ctx.res);
    return details.uid === ctx['params'].uid ? details : undefined;
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
}

async function show(visit: Visit): Promise<void> {
  const { parts, details } = visit;
  const progress = await progressOf(visit.parts.state, visit.details.uid);
  const next = nextStep({
    prompt: details.prompt.name,
    progress,
    mfaPolicy: parts.mfaPolicy,
    mfaWanted: details.params['acr_values'] === MFA_ACR,
  });
  switch (next.step) {
    case 'sign_in':
      return showSignIn(visit, []);
    case 'second_factor':
      return showSecondFactor(visit, progress, []);
    case 'consent':
      return showConsent(visit);
    case 'no_second_factor':
      return showError(visit, 'stronger_sign_in_needed', 403);
    case 'done':
      if (progress !== undefined) await knowDevice(visit, progress);
      return finishSignIn(visit, progress?.accountId ?? '', next.amr);
  }
}

async function signIn(visit: Visit, form: Form): Promise<void> {
  const { parts, ctx } = visit;
  const email = form['email'] ?? '';
  const password = form['password'] ?? '';
  const missing: Problem<'email' | 'password'>[] = [
    ...(email.trim() === '' ? [{ field: 'email', code: 'email_required' } as const] : []),
    ...(password === '' ? [{ field: 'password', code: 'password_required' } as const] : []),
  ];
  // Whose organisation signs people in has no password here: the page shows the way there.
  const elsewhere = password === '' && (await parts.upstreamSignIn.offered(email)) !== undefined;
  if (elsewhere) return showSignIn(visit, [], email);
  if (missing.length > 0) return showSignIn(visit, missing, email);
  const address = addressSubject(ctx.ip);
  const proof = await provePassword(parts, address, email, password, requesterOf(ctx).deviceCookie);
  if (!('account' in proof)) {
    record(visit, 'sign_in.refused', canonicalEmail(email).slice(0, 254), 'password');
    return showSignIn(visit, [refusalOf(proof, 'wrong_credentials')], email);
  }
  const { account } = proof;
  await keepProgress(parts.state, visit.details.uid, {
    accountId: account.id,
    email: account.email,
    amr: amrOf([{ method: 'password' }]),
    secondFactor: account.secondFactor,
    rememberDevice: form['remember_device'] === 'yes',
  });
  goOn(visit);
}

/** A passkey as the only step: the authenticator verified the person itself. */
async function passkey(visit: Visit, form: Form): Promise<void> {
  const { parts, details } = visit;
  const found = await parts.passkeys.finishSignIn(details.uid, form['credential'] ?? '');
  if (found === undefined) {
    record(visit, 'sign_in.refused', 'unknown', 'passkey');
    return showSignIn(visit, [{ code: 'passkey_failed' }]);
  }
  const { account, proof } = found;
  await keepProgress(parts.state, visit.details.uid, {
    accountId: account.id,
    email: account.email,
    amr: amrOf([proof]),
    secondFactor: account.secondFactor,
    rememberDevice: false,
  });
  goOn(visit);
}

async function secondFactor(visit: Visit, form: Form): Promise<void> {
  const { parts, details } = visit;
  const progress = await progressOf(visit.parts.state, visit.details.uid);
  const account = progress && (await parts.accounts.find(progress.accountId));
  if (progress === undefined || account === undefined || account.disabled) {
    return otherAccount(visit);
  }
  const answer = secondStepAnswer(form, details.uid);
  const outcome = await parts.secondStep.prove(account, answer, requesterOf(visit.ctx));
  if ('problem' in outcome) {
    record(visit, 'sign_in.refused', account.id, answer.method);
    return showSecondFactor(visit, progress, [outcome.problem], answer.method);
  }
  await keepProgress(parts.state, visit.details.uid, {
    ...progress,
    amr: amrOf([{ method: 'password' }, outcome.proof]),
  });
  goOn(visit);
}

function secondStepAnswer(form: Form, binding: string): SecondStepAnswer {
  const { credential, recovery_code: recoveryCode, code = '' } = form;
  if (credential !== undefined) return { method: 'passkey', credential, binding };
  if (recoveryCode !== undefined) return { method: 'recovery_code', code: recoveryCode };
  return { method: 'totp', code };
}

/**
 * The browser is known from now on, for a year or until it is closed: guesses elsewhere do not
 * lock the person out here, and the owner is told of browsers that were not known.
 */
async function knowDevice(visit: Visit, progress: SignInProgress): Promise<void> {
  const { parts, ctx } = visit;
  const account = await parts.accounts.find(progress.accountId);
  if (account === undefined) return;
  const value = await parts.noteDevice(account, requesterOf(ctx));
  const maxAgeMs = progress.rememberDevice ? KNOWN_DEVICE_TTL_S * 1_000 : undefined;
  writeCookie(ctx, DEVICE_COOKIE, value, maxAgeMs);
}

/** To the person's own organisation, which the domain of the e-mail address tells. */
async function organisation(visit: Visit, form: Form): Promise<void> {
  const { parts, ctx, details } = visit;
  const email = (form['email'] ?? '').slice(0, 254);
  const begun = await parts.upstreamSignIn.begin(email, details.uid);
  if ('problem' in begun) return showSignIn(visit, [begun.problem], email);
  leaveFor(ctx, parts, details.uid);
  ctx.redirect(begun.href);
  ctx.status = 303;
}

/** Begins again as somebody else. */
async function otherAccount(visit: Visit): Promise<void> {
  await dropProgress(visit.parts.state, visit.details.uid);
  goOn(visit);
}

async function consent(visit: Visit, form: Form): Promise<void> {
  const { provider, details, ctx } = visit;
  const { accountId } = details.session ?? {};
  const clientId = String(details.params['client_id'] ?? '');
  if (details.prompt.name !== 'consent' || accountId === undefined) return goOn(visit);
  if (form['decision'] !== 'allow') {
    const error_description = 'the person did not allow it';
    return answer(visit, { error: 'access_denied', error_description });
  }
  const known =
    details.grantId === undefined ? undefined : await provider.Grant.find(details.grantId);
  const grant = known ?? new provider.Grant({ accountId, clientId });
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = details.prompt
    .details as Partial<Record<string, unknown>>;
  if (Array.isArray(missingOIDCScope)) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (Array.isArray(missingOIDCClaims)) grant.addOIDCClaims(missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, (scopes as string[]).join(' '));
  }
  ctx.state['consented'] = true;
  return answer(visit, { consent: { grantId: await grant.save() } });
}

async function finishSignIn(
  visit: Visit,
  accountId: string,
  amr: readonly string[],
): Promise<void> {
  await dropProgress(visit.parts.state, visit.details.uid);
  record(visit, 'sign_in.succeeded', accountId, amr.join(' '));
  await answer(visit, { login: { accountId, amr: [...amr], acr: acrOf(amr), remember: false } });
}

/** Hands the result to the library, and the browser back to it. */
async function answer({ provider, ctx }: Visit, result: object): Promise<void> {
  const href = await provider.interactionResult(ctx.req, ctx.res, result as never, {
    mergeWithLastSubmission: true,
  });
  ctx.redirect(href);
  ctx.status = 303;
}

function goOn({ parts, ctx, details }: Visit): void {
  ctx.redirect(parts.pages.path(`/interaction/${details.uid}`));
  ctx.status = 303;
}

function refusalOf(proof: Exclude<Proof, { account: unknown }>, code: 'wrong_credentials') {
  return 'waitS' in proof
    ? ({ code: 'throttled', waitS: proof.waitS } as const)
    : ({ code } as const);
}

function record(
  { parts, ctx, client }: Visit,
  type: 'sign_in.succeeded' | 'sign_in.refused',
  subject: string,
  reason: string,
): void {
  const requestId = ctx.state['requestId'];
  parts.audit.record({
    type,
    subject,
    address: ctx.ip,
    reason,
    ...(client === undefined ? {} : { clientId: client.clientId }),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  });
}

/** What every page of an interaction has. */
function pageOf({ client, details }: Visit): Omit<Page, 'render'> {
  const { ui_locales: uiLocales } = details.params;
  return {
    csrf: details.uid,
    formTargets: formTargetsOf(client),
    ...(typeof uiLocales === 'string' ? { uiLocales } : {}),
  };
}

function actionOf({ parts, details }: Visit, what: string): string {
  return parts.pages.path(`/interaction/${details.uid}/${what}`);
}

function applicationOf({ client, details }: Visit): ShownApplication {
  const { redirect_uri: target } = details.params;
  if (client === undefined) return { name: '', host: '' };
  return shownApplication(client, typeof target === 'string' ? target : undefined);
}

async function showSignIn(
  visit: Visit,
  problems: readonly Problem<'email' | 'password'>[],
  given?: string,
): Promise<void> {
  const { parts, ctx, details } = visit;
  const { login_hint: hint } = details.params;
  const email = given ?? (typeof hint === 'string' ? hint.slice(0, 254) : undefined);
  const options = await parts.passkeys.beginSignIn(details.uid);
  const offered = email === undefined ? undefined : await parts.upstreamSignIn.offered(email);
  const page = pageOf(visit);
  const upstreamTargets = offered === undefined ? [] : [offered.origin];
  parts.pages.show(ctx, {
    ...page,
    formTargets: [...(page.formTargets ?? []), ...upstreamTargets],
    status: problems.length > 0 ? statusOf(problems) : 200,
    render: (frame, i18n) =>
      signInPage(
        {
          frame,
          action: actionOf(visit, 'sign-in'),
          ...(email === undefined ? {} : { email }),
          application: applicationOf(visit),
          resetHref: parts.pages.path(RESET_PATH),
          passkey: { action: actionOf(visit, 'passkey'), options },
          ...(offered === undefined
            ? {}
            : { upstream: { ...offered, action: actionOf(visit, 'organisation') } }),
          problems,
        },
        i18n,
      ),
  });
}

async function showSecondFactor(
  visit: Visit,
  progress: SignInProgress | undefined,
  problems: readonly Problem<'code' | 'recovery_code' | 'password'>[],
  tried?: SecondStepMethod,
): Promise<void> {
  const { parts, ctx, details } = visit;
  const account = await parts.accounts.find(progress?.accountId ?? '');
  if (account === undefined) return otherAccount(visit);
  const methods = await parts.secondStep.methods(account);
  const asked = tried ?? ctx.query['method'];
  const method = methods.find((one) => one === asked) ?? methods[0] ?? 'totp';
  const challenge =
    method === 'passkey'
      ? { method, options: await parts.passkeys.beginSecondStep(account, details.uid) }
      : { method };
  const others = methods
    .filter((one) => one !== method)
    .map((one) => ({
      method: one,
      href: `${parts.pages.path(`/interaction/${details.uid}`)}?method=${one}`,
    }));
  parts.pages.show(ctx, {
    ...pageOf(visit),
    status: problems.length > 0 ? statusOf(problems) : 200,
    render: (frame, i18n) =>
      secondFactorPage(
        {
          frame,
          action: actionOf(visit, 'second-factor'),
          email: account.email,
          challenge,
          others,
          problems,
          cancelHref: actionOf(visit, 'other-account'),
        },
        i18n,
      ),
  });
}

async function showConsent(visit: Visit): Promise<void> {
  const { parts, ctx, details } = visit;
  const account = await parts.accounts.find(details.session?.accountId ?? '');
  const { missingOIDCScope, missingResourceScopes } = details.prompt.details as {
    missingOIDCScope?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  const scopes = [
    ...(missingOIDCScope ?? []),
    ...Object.values(missingResourceScopes ?? {}).flat(),
  ];
  parts.pages.show(ctx, {
    ...pageOf(visit),
    render: (frame, i18n) =>
      consentPage(
        {
          frame,
          action: actionOf(visit, 'consent'),
          application: applicationOf(visit),
          email: account?.email ?? '',
          permissions: permissionNames([...new Set(scopes)], parts.scopeBase),
        },
        i18n,
      ),
  });
}

function showError(visit: Visit, kind: ErrorKind, status: number): void {
  const { parts, ctx } = visit;
  parts.pages.show(ctx, {
    status,
    render: (frame, i18n) =>
      errorPage(
        {
          frame,
          kind,
          referenceId: String(ctx.state['requestId'] ?? ''),
          wayOn: wayOnFrom(applicationOf(visit), parts.pages),
        },
        i18n,
      ),
  });
}

/** The person may have signed in in another tab, or gone back to a form that is done with. */
function showExpired({ pages }: InteractionParts, ctx: Context): void {
  pages.show(ctx, {
    status: 410,
    render: (frame, i18n) =>
      expiredPage(
        {
          frame,
          referenceId: String(ctx.state['requestId'] ?? ''),
          wayOn: wayOnFrom(undefined, pages),
        },
        i18n,
      ),
  });
}

/** One status for a wrong password, an unknown e-mail and a disabled account. */
function statusOf(problems: readonly { readonly code: string }[]): number {
  return problems.some(({ code }) => code === 'throttled') ? 429 : 422;
}
