import { writeCookie } from '@cls/shared/pages/browser';
import {
  giveResult,
  type InteractionResult,
  type ProvenLogin,
} from '../../library/reliances/login-result.ts';
import { acrOf, REMEMBERED_ACR } from '../../library/sign-in-policy.ts';
import { KNOWN_DEVICE_TTL_S } from '../../throttle/known-devices.ts';
import { actorOf, DEVICE_COOKIE } from '../../web/browser.ts';
import { seeOther } from '../../web/page.ts';
import { type InteractionContext, record } from './interaction-context.ts';
import type { Proven } from './progress.ts';

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
  await answer(context, { login });
}

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
