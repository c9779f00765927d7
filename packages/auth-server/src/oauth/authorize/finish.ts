import { dropCookie, readCookie, writeCookie } from '@cls/shared/pages/browser';
import {
  giveResult,
  type InteractionResult,
  type ProvenLogin,
} from '../../library/reliances/login-result.ts';
import { acrOf, REMEMBERED_ACR } from '../../library/sign-in-policy.ts';
import type { DeviceSignIn } from '../../sessions/remembered-devices.ts';
import { oneTimeState } from '../../state/one-time-state.ts';
import type { StateStore } from '../../state/state-store.ts';
import { KNOWN_DEVICE_TTL_S } from '../../throttle/known-devices.ts';
import { actorOf, DEVICE_COOKIE, REMEMBERED_COOKIE } from '../../web/browser.ts';
import { seeOther } from '../../web/page.ts';
import { applicationOf, type InteractionContext, record } from './interaction-context.ts';
import { type Proven, provenIn } from './progress.ts';

/** Keeps what was proven: around-library.ts checks it again when the library has made the session. */
export async function finishSignIn(
  context: InteractionContext,
  { account, progress }: Proven,
): Promise<void> {
  const { accountId, amr, provenAtS } = progress;
  // With a second factor that was not proven now, the browser was remembered.
  const acr = acrOf(amr, account.secondFactor);
  const how = acr === REMEMBERED_ACR ? [...amr, 'remembered_device'] : amr;
  record(context, 'sign_in.succeeded', accountId, how.join(' '));
  // How long somebody stays signed in through an organisation is not for a tick to say: who leaves
  // the organisation would stay. There it leaves out the second factor alone.
  const remember =
    progress.rememberDevice === true &&
    progress.throughOrganisation !== true &&
    context.deps.rememberedDevices.lifeS > 0;
  const login: ProvenLogin = {
    ...{ accountId, amr, acr, remember },
    ts: provenAtS ?? Math.floor(Date.now() / 1000),
    provenIn: context.details.uid,
  };
  const { href } = applicationOf(context);
  if (href !== undefined) {
    const finished = finishedSignIns(context.deps.state);
    await finished.put(login.provenIn, { accountId, href }, BACK_TTL_S, accountId);
  }
  await answer(context, { login });
}

const BACK_TTL_S = 3_600;

/** By interaction: where a person who goes back to a sign-in that is finished goes on. */
export const finishedSignIns = (state: StateStore) =>
  oneTimeState<{ readonly accountId: string; readonly href: string }>(state, 'FinishedSignIn');

/** The person refused: returns to the application with `access_denied`. */
export function refuse(context: InteractionContext, error_description: string): Promise<void> {
  return answer(context, { error: 'access_denied', error_description });
}

/** Hands the result to the library, and the browser back to it. */
export async function answer(
  { provider, ctx }: InteractionContext,
  result: InteractionResult,
): Promise<void> {
  seeOther(ctx, await giveResult(provider, ctx, result));
}

/**
 * Makes the browser a known device, for a year or until it is closed: guesses elsewhere do not lock
 * the person out here. The owner gets a message about a browser that was not known. A known browser
 * stays known for as long as the person chose before, also after a sign-in without that choice.
 */
export async function knowDevice(
  context: InteractionContext,
  { account, progress }: Proven,
): Promise<void> {
  const { deps, ctx } = context;
  const { known, cookie } = await deps.recordDevice(account, progress.amr, actorOf(ctx));
  if (known && !progress.rememberDevice) return;
  const maxAgeMs = progress.rememberDevice ? KNOWN_DEVICE_TTL_S * 1_000 : undefined;
  writeCookie(ctx, DEVICE_COOKIE, cookie, maxAgeMs);
}

/**
 * Whether the second factor is left out: the person proved one in this browser a while ago and asked
 * to be remembered. Not where an application wants a fresh proof; `nextStep` asks where it wants a
 * second factor.
 */
export async function isRemembered(context: InteractionContext, proven: Proven): Promise<boolean> {
  const { deps } = context;
  if (deps.rememberedDevices.lifeS === 0 || proven.progress.rememberDevice === false) return false;
  if (proven.progress.amr.includes('mfa') || asksForFreshProof(context)) return false;
  return deps.rememberedDevices.recognises(signInOf(context, proven));
}

function asksForFreshProof({ details }: InteractionContext): boolean {
  const { reasons } = details.prompt;
  // An application may send `max_age` always: without a session, the password is what it asks for.
  const tooOld = reasons.includes('max_age') && details.session !== undefined;
  return tooOld || reasons.includes('login_prompt');
}

/**
 * Remembers the browser where the person ticked that. Without the tick, a browser that was remembered
 * is forgotten.
 *
 * @returns false when it was forgotten a moment ago: the next step must be decided anew.
 */
export async function rememberDevice(
  context: InteractionContext,
  proven: Proven,
): Promise<boolean> {
  const { deps, ctx, details } = context;
  const { rememberedDevices: devices } = deps;
  if (devices.lifeS === 0) return true;
  const { account, progress } = proven;
  const signIn = signInOf(context, proven);
  const actor = actorOf(ctx);
  const wanted = progress.rememberDevice;
  if (account.secondFactor && !progress.amr.includes('mfa')) {
    const renewed = await devices.renew(signIn);
    if (renewed === undefined) return false;
    writeCookie(ctx, REMEMBERED_COOKIE, renewed.value, renewed.lifeS * 1_000);
    return true;
  }
  if (wanted === false && signIn.cookie !== undefined) {
    await devices.leave(signIn, actor);
    dropCookie(ctx, REMEMBERED_COOKIE);
  }
  // Not where a factor was added or removed meanwhile, somewhere else.
  if (wanted !== true || progress.factorsVersion !== account.factorsVersion) return true;
  const { id, value, lifeS } = await devices.remember(signIn, actor);
  // What ends an account's access after this look finds the device; what ended it before is seen.
  if ((await provenIn(deps, details.uid)) === undefined) {
    await devices.forget(account, id, actor);
    return false;
  }
  writeCookie(ctx, REMEMBERED_COOKIE, value, lifeS * 1_000);
  return true;
}

function signInOf({ ctx, details }: InteractionContext, { account }: Proven): DeviceSignIn {
  return { account, uid: details.uid, cookie: readCookie(ctx, REMEMBERED_COOKIE) };
}
