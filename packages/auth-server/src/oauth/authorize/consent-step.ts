import { grantedScopes } from '../../library/existing-grant.ts';
import type { Grant } from '../../library/oidc.ts';
import { isAssured } from '../../library/sign-in-policy.ts';
import { consentPage } from '../../views/authorization/consent.ts';
import { actorOf } from '../../web/browser.ts';
import { ACCOUNT_PATH } from '../../web/paths.ts';
import { permissionNames } from '../../web/permission-names.ts';
import { rememberConsent } from './abandoned-consent.ts';
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
