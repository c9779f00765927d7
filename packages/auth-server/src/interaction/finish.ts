import { writeCookie } from '../http/cookie.ts';
import { acrOf } from '../provider/granted-account.ts';
import { KNOWN_DEVICE_TTL_S } from '../throttle/known-devices.ts';
import type { SignInProgress } from './next-step.ts';
import { seeOther } from './page.ts';
import { dropProgress } from './progress.ts';
import { DEVICE_COOKIE, requesterOf } from './requester.ts';
import { record, type Visit } from './visit.ts';

export async function finishSignIn(
  visit: Visit,
  accountId: string,
  amr: readonly string[],
): Promise<void> {
  await dropProgress(visit.parts.state, visit.details.uid);
  record(visit, 'sign_in.succeeded', accountId, amr.join(' '));
  await answer(visit, { login: { accountId, amr: [...amr], acr: acrOf(amr), remember: false } });
}

/** Hands the result to the library, and the browser back to it. */
export async function answer({ provider, ctx }: Visit, result: object): Promise<void> {
  const href = await provider.interactionResult(ctx.req, ctx.res, result as never, {
    mergeWithLastSubmission: true,
  });
  seeOther(ctx, href);
}

/**
 * The browser is known from now on, for a year or until it is closed: guesses elsewhere do not
 * lock the person out here, and the owner is told of browsers that were not known.
 */
export async function knowDevice(visit: Visit, progress: SignInProgress): Promise<void> {
  const { parts, ctx } = visit;
  const account = await parts.accounts.find(progress.accountId);
  if (account === undefined) return;
  const value = await parts.noteDevice(account, requesterOf(ctx));
  const maxAgeMs = progress.rememberDevice ? KNOWN_DEVICE_TTL_S * 1_000 : undefined;
  writeCookie(ctx, DEVICE_COOKIE, value, maxAgeMs);
}
