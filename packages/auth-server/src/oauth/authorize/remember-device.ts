import { dropCookie, readCookie, writeCookie } from '@cls/shared/pages/browser';
import type { DeviceSignIn } from '../../sessions/remembered-devices.ts';
import { actorOf, REMEMBERED_COOKIE } from '../../web/browser.ts';
import type { InteractionContext } from './interaction-context.ts';
import { type Proven, provenIn } from './progress.ts';

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
 * Makes the browser a remembered one, or lets it be one, as the person ticked. Whoever signs in
 * without the tick in a remembered browser wants it to be forgotten.
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
