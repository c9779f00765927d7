import type { Context } from 'koa';
import type { Interaction, Provider } from '../../library/oidc.ts';
import { oneTimeState } from '../../state/one-time-state.ts';
import type { StateStore } from '../../state/state-store.ts';
import { seeOther } from '../../web/page.ts';
import type { InteractionContext } from './interaction-context.ts';

const TTL_S = 900;

const consentAfter = (state: StateStore) => oneTimeState<{ uid: string }>(state, 'ConsentAfter');

/**
 * The library ends the interaction of a sign-in and begins another for the consent. Remembers which,
 * for a person who goes back from the consent to the sign-in.
 */
export async function rememberConsent({ deps, details }: InteractionContext): Promise<void> {
  const { login } = (details.lastSubmission ?? {}) as { login?: { provenIn?: string } };
  if (login?.provenIn === undefined) return;
  const { uid, session } = details;
  await consentAfter(deps.state).put(login.provenIn, { uid }, TTL_S, session?.accountId);
}

/**
 * Whether the person went back from a consent to the sign-in before it. Then the browser is sent to
 * the application with `access_denied`: the sign-in is over, and another answer cannot be given.
 *
 * @param uid of the interaction that is over; the caller has checked that it was this browser's.
 */
export async function leaveConsent(
  provider: Provider,
  state: StateStore,
  ctx: Context,
  uid: string,
): Promise<boolean> {
  if (ctx.method !== 'GET') return false;
  const next = await consentAfter(state).look(uid);
  const consent = next && (await provider.Interaction.find(next.uid));
  if (!isOpen(consent)) return false;
  const error_description = 'the person went back from the consent';
  Object.assign(consent, { result: { error: 'access_denied', error_description } });
  await consent.persist();
  seeOther(ctx, consent.returnTo);
  return true;
}

function isOpen(consent: Interaction | undefined): consent is Interaction {
  return consent?.prompt.name === 'consent' && consent.result === undefined;
}
