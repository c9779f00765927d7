import { readCookie } from '@cls/shared/pages/browser';
import { recordedEmail } from '../../accounts/account.ts';
import { amrOf } from '../../factors/authentication-methods.ts';
import { dropNewCodes } from '../../factors/recovery-codes.ts';
import { provePassword, whyNot } from '../../sign-in/prove.ts';
import { addressSubject } from '../../throttle/guess.ts';
import { type SignInModel, signInPage } from '../../views/sign-in/sign-in.ts';
import { DEVICE_COOKIE, REMEMBERED_COOKIE, uiLocalesQuery } from '../../web/browser.ts';
import type { Problem } from '../../web/form.ts';
import { RESET_PATH } from '../../web/paths.ts';
import {
  actionOf,
  applicationOf,
  type Form,
  type InteractionContext,
  isAccountPages,
  pageOf,
  recordRefusal,
  redirectToDispatcher,
} from './interaction-context.ts';
import { beginProgress, dropProgress } from './progress.ts';

export async function showSignIn(
  context: InteractionContext,
  problems: readonly Problem<'email' | 'password'>[],
  given: Form = {},
): Promise<void> {
  const { deps, ctx, details } = context;
  const { login_hint: hint } = details.params;
  const signedIn = await askedAgain(context);
  const hinted = typeof hint === 'string' ? hint : signedIn;
  const email = (given['email'] ?? hinted)?.slice(0, 254);
  const options = await deps.passkeys.beginSignIn(details.uid);
  const offered = email === undefined ? undefined : await deps.upstreamSignIn.offered(email);
  const organisations = offered === undefined && (await deps.upstreamProviders.list()).length > 0;
  deps.pages.show(ctx, {
    ...pageOf(context),
    problems,
    render: (frame, i18n) =>
      signInPage(
        {
          frame,
          action: actionOf(context, 'sign-in'),
          ...(email === undefined ? {} : { email }),
          ...rememberTick(context, given),
          ...(isAccountPages(context.client) ? {} : { application: applicationOf(context) }),
          ...(signedIn !== undefined && signedIn === email
            ? { otherAccountHref: actionOf(context, 'other-account') }
            : {}),
          resetHref: `${deps.pages.path(RESET_PATH)}${uiLocalesQuery(details.params['ui_locales'])}`,
          passkey: { action: actionOf(context, 'passkey'), options },
          ...(organisations ? { organisationHref: actionOf(context, 'organisation') } : {}),
          ...(offered === undefined
            ? {}
            : { upstream: { ...offered, action: actionOf(context, 'organisation') } }),
          problems,
        },
        i18n,
      ),
  });
}

/** The library's reasons, and ours, to ask somebody who is signed in for another proof. */
const PROOF_WANTED = ['login_prompt', 'max_age', 'stronger_authentication'];

/**
 * The e-mail address of the person who is signed in, unless somebody else must or wants to sign in.
 */
async function askedAgain({ deps, ctx, details }: InteractionContext): Promise<string | undefined> {
  const { session, prompt } = details;
  const other = ctx.query['account'] === 'other';
  const wanted = prompt.reasons.every((reason) => PROOF_WANTED.includes(reason));
  if (session === undefined || other || !wanted) return undefined;
  return (await deps.accounts.find(session.accountId))?.email;
}

export async function signIn(context: InteractionContext, form: Form): Promise<void> {
  const { deps, ctx, details } = context;
  const email = form['email'] ?? '';
  const password = form['password'] ?? '';
  const missing: Problem<'email' | 'password'>[] = [
    ...(email.trim() === '' ? [{ field: 'email', code: 'email_required' } as const] : []),
    ...(password === '' ? [{ field: 'password', code: 'password_required' } as const] : []),
  ];
  // People whose organisation has its own provider have no password here: the page shows the link
  // to it.
  const elsewhere = password === '' && (await deps.upstreamSignIn.offered(email)) !== undefined;
  if (elsewhere) return showSignIn(context, [], form);
  if (missing.length > 0) return showSignIn(context, missing, form);
  const address = addressSubject(ctx.ip);
  const deviceCookie = readCookie(ctx, DEVICE_COOKIE);
  const proof = await provePassword(deps, address, email, password, { deviceCookie });
  if (!('account' in proof)) {
    const why = whyNot(proof);
    recordRefusal(context, recordedEmail(email, why), why, !('waitS' in proof) || proof.first);
    const problem =
      'waitS' in proof
        ? ({ code: 'throttled', waitS: proof.waitS } as const)
        : ({ code: 'wrong_credentials' } as const);
    return showSignIn(context, [problem], form);
  }
  await beginProgress(deps, details.uid, proof.account, {
    amr: amrOf([{ method: 'password' }]),
    rememberDevice: wantsToBeKnown(form),
  });
  redirectToDispatcher(context);
}

/** A passkey as the only step: the authenticator verified the person itself. */
export async function passkey(context: InteractionContext, form: Form): Promise<void> {
  const { deps, details } = context;
  const found = await deps.passkeys.finishSignIn(details.uid, form['credential'] ?? '');
  if (found === undefined) {
    recordRefusal(context, 'unknown', 'passkey_failed');
    return showSignIn(context, [{ code: 'passkey_failed' }], form);
  }
  const { account, proof } = found;
  const rememberDevice = wantsToBeKnown(form);
  await beginProgress(deps, details.uid, account, { amr: amrOf([proof]), rememberDevice });
  redirectToDispatcher(context);
}

/** As it was left; at first, ticked in a browser that is remembered. */
function rememberTick({ deps, ctx }: InteractionContext, given: Form): Partial<SignInModel> {
  const { lifeS } = deps.rememberedDevices;
  if (lifeS === 0) return {};
  const ticked =
    given['email'] === undefined
      ? readCookie(ctx, REMEMBERED_COOKIE) !== undefined
      : wantsToBeKnown(given);
  return { remember: { ticked, lifeS } };
}

/** The tick of “Remember this device”. */
export function wantsToBeKnown(form: Form): boolean {
  return form['remember_device'] === 'yes';
}

/**
 * Starts again when the proof is no longer valid: the account's access ended, or its password
 * changed.
 */
export async function beginAnew(context: InteractionContext): Promise<void> {
  if (context.details.prompt.name === 'consent') return redirectToDispatcher(context);
  const code = 'sign_in_ended';
  context.ctx.state['refused'] = code;
  await dropProgress(context.deps.state, context.details.uid);
  return showSignIn(context, [{ code }]);
}

/** Starts again as another person, who must not see codes that were not saved. */
export async function otherAccount(context: InteractionContext): Promise<void> {
  const { deps, details } = context;
  await dropNewCodes(deps.state, details.uid);
  await dropProgress(deps.state, details.uid);
  redirectToDispatcher(context, '?account=other');
}
