import { canonicalEmail } from '../accounts/account.ts';
import { amrOf } from '../mfa/authentication-methods.ts';
import { type Proof, provePassword } from '../sign-in/prove.ts';
import { addressSubject } from '../throttle/address-subject.ts';
import type { Problem } from '../views/form.ts';
import { signInPage } from '../views/sign-in/sign-in.ts';
import { problemStatus } from './page.ts';
import { RESET_PATH } from './password-routes.ts';
import { dropProgress, keepProgress } from './progress.ts';
import { requesterOf } from './requester.ts';
import { actionOf, applicationOf, type Form, goOn, pageOf, record, type Visit } from './visit.ts';

export async function showSignIn(
  visit: Visit,
  problems: readonly Problem<'email' | 'password'>[],
  given?: string,
): Promise<void> {
  const { parts, ctx, details } = visit;
  const { login_hint: hint } = details.params;
  const email = given ?? (typeof hint === 'string' ? hint.slice(0, 254) : undefined);
  const options = await parts.passkeys.beginSignIn(details.uid);
  const offered = email === undefined ? undefined : await parts.upstreamSignIn.offered(email);
  const organisations = offered === undefined && (await parts.upstreamSignIn.exists());
  const page = pageOf(visit);
  const upstreamTargets = offered === undefined ? [] : [offered.origin];
  parts.pages.show(ctx, {
    ...page,
    formTargets: [...(page.formTargets ?? []), ...upstreamTargets],
    status: problemStatus(problems),
    render: (frame, i18n) =>
      signInPage(
        {
          frame,
          action: actionOf(visit, 'sign-in'),
          ...(email === undefined ? {} : { email }),
          application: applicationOf(visit),
          resetHref: parts.pages.path(RESET_PATH),
          passkey: { action: actionOf(visit, 'passkey'), options },
          ...(organisations ? { organisationHref: actionOf(visit, 'organisation') } : {}),
          ...(offered === undefined
            ? {}
            : { upstream: { ...offered, action: actionOf(visit, 'organisation') } }),
          problems,
        },
        i18n,
      ),
  });
}

export async function signIn(visit: Visit, form: Form): Promise<void> {
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

function refusalOf(proof: Exclude<Proof, { account: unknown }>, code: 'wrong_credentials') {
  return 'waitS' in proof
    ? ({ code: 'throttled', waitS: proof.waitS } as const)
    : ({ code } as const);
}

/** A passkey as the only step: the authenticator verified the person itself. */
export async function passkey(visit: Visit, form: Form): Promise<void> {
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

/** Begins again as somebody else. */
export async function otherAccount(visit: Visit): Promise<void> {
  await dropProgress(visit.parts.state, visit.details.uid);
  goOn(visit);
}
