import { consentPage } from '../views/authorization/consent.ts';
import { answer } from './finish.ts';
import { permissionNames } from './permission-names.ts';
import { requesterOf } from './requester.ts';
import { actionOf, applicationOf, type Form, goOn, pageOf, type Visit } from './visit.ts';

export async function showConsent(visit: Visit): Promise<void> {
  const { parts, ctx, details } = visit;
  const account = await parts.accounts.find(details.session?.accountId ?? '');
  const { missingOIDCScope, missingResourceScopes } = details.prompt.details as {
    missingOIDCScope?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  const scopes = [
    ...(missingOIDCScope ?? []),
    ...Object.values(missingResourceScopes ?? {}).flat(),
  ];
  parts.pages.show(ctx, {
    ...pageOf(visit),
    render: (frame, i18n) =>
      consentPage(
        {
          frame,
          action: actionOf(visit, 'consent'),
          application: applicationOf(visit),
          email: account?.email ?? '',
          permissions: permissionNames([...new Set(scopes)], parts.scopeBase),
        },
        i18n,
      ),
  });
}

export async function consent(visit: Visit, form: Form): Promise<void> {
  const { provider, parts, details, ctx } = visit;
  const { accountId } = details.session ?? {};
  const clientId = String(details.params['client_id'] ?? '');
  if (details.prompt.name !== 'consent' || accountId === undefined) return goOn(visit);
  if (form['decision'] !== 'allow') {
    const error_description = 'the person did not allow it';
    return answer(visit, { error: 'access_denied', error_description });
  }
  const known =
    details.grantId === undefined ? undefined : await provider.Grant.find(details.grantId);
  const grant = known ?? new provider.Grant({ accountId, clientId });
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = details.prompt
    .details as Partial<Record<string, unknown>>;
  if (Array.isArray(missingOIDCScope)) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (Array.isArray(missingOIDCClaims)) grant.addOIDCClaims(missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, (scopes as string[]).join(' '));
  }
  const grantId = await grant.save();
  const account = await parts.accounts.find(accountId);
  if (account === undefined) return goOn(visit);
  const scopes = `${grant.getOIDCScope()} ${grant.getResourceScope(parts.audience)}`.split(' ');
  const allowed = [...new Set(scopes)].filter((scope) => scope !== '');
  await parts.accountApplications.allow(account, clientId, allowed, requesterOf(ctx));
  return answer(visit, { consent: { grantId } });
}
