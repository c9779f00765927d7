import { acrOf } from '../../library/acr.ts';
import { KNOWN_DEVICE_TTL_S } from '../../throttle/known-devices.ts';
import { actorOf, DEVICE_COOKIE } from '../../web/actor.ts';
import { writeCookie } from '../../web/cookie.ts';
import { seeOther } from '../../web/page.ts';
import { type InteractionContext, record } from './interaction-context.ts';
import type { Proven, SignInProgress } from './next-step.ts';

/** What was proven stays: it is asked for again once the library has made the session of it, in resume.ts. */
export async function finishSignIn(
  context: InteractionContext,
  { accountId, amr, provenAtS }: SignInProgress,
): Promise<void> {
  record(context, 'sign_in.succeeded', accountId, amr.join(' '));
  const login: ProvenLogin = {
    ...{ accountId, amr, acr: acrOf(amr), remember: false },
    // Given to the library, which would otherwise take the time of a later consent.
    ts: provenAtS ?? Math.floor(Date.now() / 1000),
    provenIn: context.details.uid,
  };
  await answer(context, { login });
}

/** The library's result of a sign-in; its own types leave ours out. */
export interface ProvenLogin {
  readonly accountId: string;
  readonly amr: readonly string[];
  readonly acr: string;
  readonly remember: boolean;
  /** Whole seconds since the epoch. */
  readonly ts: number;
  /** The interaction: a consent that is asked for afterwards carries this result too. */
  readonly provenIn: string;
}

/** The person does not want it: back to the application with `access_denied`. */
export function refuse(context: InteractionContext, error_description: string): Promise<void> {
  return answer(context, { error: 'access_denied', error_description });
}

/** Hands the result to the library, and the browser back to it. */
export async function answer({ provider, ctx }: InteractionContext, result: object): Promise<void> {
  const href = await provider.interactionResult(ctx.req, ctx.res, result as never, {
    mergeWithLastSubmission: true,
  });
  seeOther(ctx, href);
}

/**
 * The browser is known from now on, for a year or until it is closed: guesses elsewhere do not
 * lock the person out here, and the owner gets a message about browsers that were not known. One that was
 * stays so for as long as it was asked to before, also where nobody could ask: through an
 * organisation.
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
