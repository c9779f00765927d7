import { readCookie } from '@cls/shared/pages/browser';
import { hasPassword } from '../accounts/account.ts';
import { digest } from '../crypto/digest.ts';
import { provePassword } from '../sign-in/prove.ts';
import { secondStepAnswer } from '../sign-in/second-step.ts';
import { addressSubject } from '../throttle/guess.ts';
import type { ChallengeMethod } from '../views/sign-in/challenge.ts';
import { type StepUpModel, stepUpPage } from '../views/sign-in/step-up.ts';
import { actorOf, DEVICE_COOKIE } from '../web/browser.ts';
import type { Problem } from '../web/form.ts';
import { seeOther } from '../web/page.ts';
import type { AccountPageContext, Form } from './account-page-context.ts';
import { INTEGRATION_PATHS } from './integration-pages.ts';
import { goTo, PLACES, placeOf, show } from './places.ts';
import { signIn } from './sign-in-again.ts';

/** How long one proof is good for, in seconds. */
const FRESH_S = 300;
const KIND = 'FreshProof';
const STEP_UP_PATH = '/account/step-up';

/** What is done only after a fresh proof, by its path, and how the page says so. */
export const REAUTH_ACTIONS = {
  '/account/factors/totp': 'add_factor',
  '/account/factors/passkey': 'add_factor',
  '/account/factors/remove': 'remove_factor',
  '/account/factors/recovery-codes': 'recovery_codes',
  '/account/factors/codes': 'recovery_codes',
  '/account/sessions/end': 'end_sessions',
  '/account/sessions/end-others': 'end_sessions',
  [INTEGRATION_PATHS.create]: 'integrations',
  [INTEGRATION_PATHS.replace]: 'integrations',
  [INTEGRATION_PATHS.revoke]: 'integrations',
  [INTEGRATION_PATHS.leaked]: 'integrations',
  [INTEGRATION_PATHS.secret]: 'integrations',
} as const satisfies Readonly<Record<string, StepUpModel['reason']>>;

type ReauthAction = keyof typeof REAUTH_ACTIONS;

/**
 * Whether the person has proven themselves a moment ago, with a second factor where the account
 * has one: by signing in, or on the step-up page.
 */
export async function isRecentlyAuthenticated(context: AccountPageContext): Promise<boolean> {
  const { account, signedInAtS, mfa, deps, session } = context;
  const ageS = Date.now() / 1000 - signedInAtS;
  if (ageS <= FRESH_S && (mfa || !account.secondFactor)) return true;
  const proof = await deps.state.find(KIND, digest(session.uid));
  if (proof?.payload['account'] !== digest(account.id)) return false;
  return proof.payload['mfa'] === true || !account.secondFactor;
}

/**
 * The person has just proven themselves.
 *
 * @param mfa with a second factor. The account may have none yet, and have one in a moment.
 */
export async function keepProof(
  { deps, account, session }: AccountPageContext,
  mfa: boolean,
): Promise<void> {
  const payload = { account: digest(account.id), mfa };
  await deps.state.put({ kind: KIND, key: digest(session.uid), payload, ttlS: FRESH_S });
}

/** To the step-up page, and from there back to the action. */
export function askForProof({ deps, ctx }: AccountPageContext): void {
  const to = ctx.querystring === '' ? ctx.path : `${ctx.path}?${ctx.querystring}`;
  seeOther(ctx, `${deps.pages.path(STEP_UP_PATH)}?${new URLSearchParams({ to })}`);
}

export async function showStepUp(
  context: AccountPageContext,
  problems: StepUpModel['problems'] = [],
  tried?: ChallengeMethod,
): Promise<void> {
  const { deps, ctx, account, session } = context;
  const to = returnTarget(context);
  if (to === undefined) return goTo(context, 'factors');
  const methods = await methodsOf(context);
  const asked = tried ?? ctx.query['method'];
  const method = methods.find((one) => one === asked) ?? methods[0];
  // Nothing here to prove with: the organisation's own provider does it.
  if (method === undefined) {
    const hint = { prompt: 'login', login_hint: account.email };
    return signIn(deps, ctx, placeOf(to.action), hint);
  }
  const href = (more: Readonly<Record<string, string>>) =>
    `${deps.pages.path(STEP_UP_PATH)}?${new URLSearchParams({ to: to.href, ...more })}`;
  const challenge =
    method === 'passkey'
      ? { method, options: await deps.passkeys.beginSecondStep(account, session.uid) }
      : { method };
  show(context, {
    problems,
    render: (frame, i18n) =>
      stepUpPage(
        {
          frame,
          action: href({}),
          email: account.email,
          reason: REAUTH_ACTIONS[to.action],
          challenge,
          others: methods
            .filter((one) => one !== method)
            .map((one) => ({ method: one, href: href({ method: one }) })),
          problems,
          cancelHref: deps.pages.path(PLACES[placeOf(to.action)]),
        },
        i18n,
      ),
  });
}

export async function submitStepUp(context: AccountPageContext, form: Form): Promise<void> {
  const { deps, ctx, account } = context;
  const to = returnTarget(context);
  if (to === undefined) return goTo(context, 'factors');
  const proven = account.secondFactor
    ? await proveSecondFactor(context, form)
    : await prove(context, form);
  if (proven !== undefined) return showStepUp(context, [proven.problem], proven.method);
  await keepProof(context, account.secondFactor);
  seeOther(ctx, deps.pages.path(to.href));
}

interface Refused {
  readonly problem: Problem<'code' | 'recovery_code' | 'password'>;
  readonly method: ChallengeMethod;
}

async function proveSecondFactor(
  context: AccountPageContext,
  form: Form,
): Promise<Refused | undefined> {
  const { deps, ctx, account, session } = context;
  const answer = secondStepAnswer(form, session.uid);
  const outcome = await deps.secondStep.prove(account, answer, actorOf(ctx));
  return 'problem' in outcome ? { problem: outcome.problem, method: answer.method } : undefined;
}

async function prove(
  { deps, ctx, account }: AccountPageContext,
  form: Form,
): Promise<Refused | undefined> {
  const method = 'password';
  const { password = '' } = form;
  if (password === '') return { problem: { field: 'password', code: 'password_required' }, method };
  const address = addressSubject(ctx.ip);
  const deviceCookie = readCookie(ctx, DEVICE_COOKIE);
  const proof = await provePassword(deps, address, account.email, password, { deviceCookie });
  if ('account' in proof) return undefined;
  const problem =
    'waitS' in proof
      ? ({ code: 'throttled', waitS: proof.waitS } as const)
      : ({ field: 'password', code: 'current_password_wrong' } as const);
  return { problem, method };
}

async function methodsOf({
  deps,
  account,
}: AccountPageContext): Promise<readonly ChallengeMethod[]> {
  const methods = await deps.secondStep.methods(account);
  if (methods.length > 0) return methods;
  return hasPassword(account) ? ['password'] : [];
}

/** From the query: only an action of the list above, and what it is about. */
function returnTarget({
  ctx,
}: AccountPageContext): { readonly action: ReauthAction; readonly href: string } | undefined {
  const { to } = ctx.query;
  const [path = '', query = ''] = typeof to === 'string' ? to.split('?', 2) : [];
  const action = (Object.keys(REAUTH_ACTIONS) as ReauthAction[]).find((one) => one === path);
  if (action === undefined) return undefined;
  const asked = [...new URLSearchParams(query)];
  const about = new URLSearchParams(asked.filter(([name, value]) => ABOUT.get(name)?.test(value)));
  return { action, href: about.size === 0 ? action : `${action}?${about}` };
}

/** A factor, an authenticator app that may have scanned its secret already, a service account, a secret. */
const ABOUT: ReadonlyMap<string, RegExp> = new Map([
  ['factor', /^fac_[0-9A-Z]{26}$/],
  ['pending', /^[\w-]{43}$/],
  ['client', /^svc_[0-9A-Z]{26}$/],
  ['secret', /^sec_[0-9A-Z]{26}$/],
]);
