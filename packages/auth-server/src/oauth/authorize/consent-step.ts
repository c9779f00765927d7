import type { Context } from 'koa';
import { grantedScopes } from '../../library/existing-grant.ts';
import type { Grant, Interaction, Provider } from '../../library/oidc.ts';
import { isAssured } from '../../library/sign-in-policy.ts';
import { oneTimeState } from '../../state/one-time-state.ts';
import type { StateStore } from '../../state/state-store.ts';
import { consentPage } from '../../views/authorization/consent.ts';
import { actorOf } from '../../web/browser.ts';
import { seeOther } from '../../web/page.ts';
import { ACCOUNT_PATH } from '../../web/paths.ts';
import { permissionNames } from '../../web/permission-names.ts';
import { answer, refuse } from './finish.ts';
import {
  actionOf,
  applicationOf,
  type Form,
  type InteractionContext,
  pageOf,
  redirectToDispatcher,
} from './interaction-context.ts';

export async function showConsent(context: InteractionContext): Promise<void> {
  const { deps, ctx, details, client } = context;
  await rememberConsent(context);
  const account = await deps.accounts.find(details.session?.accountId ?? '');
  const { missingOIDCScope, missingResourceScopes } = details.prompt.details as {
    missingOIDCScope?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  const asked = String(details.params['scope'] ?? '').split(' ');
  const known = await knownGrant(context);
  const granted = known === undefined ? [] : grantedScopes(known, deps.audience);
  // When nothing proves which application asks, people are asked each time, also about scopes that
  // were allowed before.
  const scopes = [
    ...(missingOIDCScope ?? []),
    ...Object.values(missingResourceScopes ?? {}).flat(),
    ...asked.filter((scope) => granted.includes(scope)),
  ];
  const application = applicationOf(context);
  const redirectUri = details.params['redirect_uri'];
  const returns = redirectUri !== undefined;
  const unassured =
    client !== undefined && typeof redirectUri === 'string' && !isAssured(client, redirectUri);
  deps.pages.show(ctx, {
    ...pageOf(context),
    render: (frame, i18n) =>
      consentPage(
        {
          frame,
          action: actionOf(context, 'consent'),
          application,
          unassured,
          ...(returns && { backTo: application.host }),
          email: account?.email ?? '',
          permissions: permissionNames([...new Set(scopes)], deps.scopeBase),
          applicationsHref: deps.pages.path(`${ACCOUNT_PATH}/applications`),
        },
        i18n,
      ),
  });
}

export async function consent(context: InteractionContext, form: Form): Promise<void> {
  const { provider, deps, details, ctx, client } = context;
  const { accountId } = details.session ?? {};
  const clientId = String(details.params['client_id'] ?? '');
  if (details.prompt.name !== 'consent' || accountId === undefined)
    return redirectToDispatcher(context);
  if (form['decision'] !== 'allow') return refuse(context, 'the person did not allow it');
  const grant = (await knownGrant(context)) ?? new provider.Grant({ accountId, clientId });
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = details.prompt
    .details as Partial<Record<string, unknown>>;
  if (Array.isArray(missingOIDCScope)) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (Array.isArray(missingOIDCClaims)) grant.addOIDCClaims(missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, (scopes as string[]).join(' '));
  }
  const grantId = await grant.save();
  const account = await deps.accounts.find(accountId);
  if (account === undefined) return redirectToDispatcher(context);
  // The platform's own applications need no consent; people are asked only when the application
  // wants it (`prompt=consent`).
  if (client?.['first_party'] !== true) {
    const allowed = [...new Set(grantedScopes(grant, deps.audience))];
    await deps.accountApplications.allow(account, clientId, allowed, actorOf(ctx));
  }
  return answer(context, { consent: { grantId } });
}

async function knownGrant({ provider, details }: InteractionContext): Promise<Grant | undefined> {
  return details.grantId === undefined ? undefined : provider.Grant.find(details.grantId);
}

const TTL_S = 900;

const consentAfter = (state: StateStore) => oneTimeState<{ uid: string }>(state, 'ConsentAfter');

/**
 * The library ends the interaction of a sign-in and begins another for the consent. Remembers which,
 * for a person who goes back from the consent to the sign-in.
 */
async function rememberConsent({ deps, details }: InteractionContext): Promise<void> {
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
