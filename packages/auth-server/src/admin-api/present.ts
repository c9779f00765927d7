import type { Account } from '../accounts/account.ts';
import type { StoredEvent } from '../audit/audit-log.ts';
import { type Application, isConfidential } from '../clients/application.ts';
import type { ListedClientSecret, NewClientSecret } from '../clients/client-secret-records.ts';
import type { ListedServiceAccount } from '../clients/service-account-records.ts';
import type { AnsweredLeak } from '../leaks/answer-leak.ts';

export function presentAccount(account: Account) {
  const { id, email, name, customer, permissions, disabled, secondFactor, pending } = account;
  const { lastSignedInAt } = account;
  return {
    ...{ object: 'account', id, email, ...(name === undefined ? {} : { name }), customer },
    ...{ permissions, disabled, secondFactor, pending },
    lastSignedInAt: lastSignedInAt?.toISOString() ?? null,
  };
}

/** @param expiresAt when the link expires; undefined when the message has no link. */
export function presentInvitation(account: Account, expiresAt: Date | undefined) {
  return {
    object: 'invitation',
    account: presentAccount(account),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

/** `clientId`: through which application somebody signed in, or which administrator acted. */
export function presentEvent(event: StoredEvent) {
  const { id, at, type, clientId, address, device, reason, about } = event;
  return {
    object: 'event',
    id: `${id}`,
    at: at.toISOString(),
    type,
    clientId: clientId ?? null,
    address: address ?? null,
    browser: device?.browser ?? null,
    system: device?.system ?? null,
    reason: reason ?? null,
    about: about ?? null,
  };
}

export function presentApplication(application: Application) {
  const { id, name, customer, scopes, redirectUris, disabled, links } = application;
  return {
    ...{ object: 'application', id, name, customer, scopes, redirectUris },
    confidential: isConfidential(application),
    disabled,
    clientUri: links.client_uri ?? null,
    initiateLoginUri: links.initiate_login_uri ?? null,
    policyUri: links.policy_uri ?? null,
    tosUri: links.tos_uri ?? null,
  };
}

/** `authMethod`: how it proves itself; only one with `client_secret` has secrets. */
export function presentServiceAccount(account: ListedServiceAccount) {
  const { id, name, customer, permissions, disabled, proof, createdAt } = account;
  return {
    ...{ object: 'service_account', id, name, customer, permissions, disabled },
    authMethod: proof?.token_endpoint_auth_method ?? 'client_secret',
    createdAt: createdAt.toISOString(),
    ...lastUse(account),
  };
}

export function presentSecret(secret: ListedClientSecret) {
  const { id, clientId, name, createdAt, endsAt, live } = secret;
  return {
    ...{ object: 'client_secret', id, clientId, name, status: live ? 'live' : 'ended' },
    createdAt: createdAt.toISOString(),
    endsAt: endsAt?.toISOString() ?? null,
    ...lastUse(secret),
  };
}

/** The secret is shown here and never again. */
export function presentNewSecret(clientId: string, { id, secret }: NewClientSecret) {
  const clientSecret = secret.expose();
  return { object: 'new_client_secret', clientId, secretId: id, clientSecret };
}

/** When and from where it got its last token. */
function lastUse({ lastUsedAt, lastUsedFrom }: Partial<ListedClientSecret>) {
  return { lastUsedAt: lastUsedAt?.toISOString() ?? null, lastUsedFrom: lastUsedFrom ?? null };
}

/** The secret is shown here and never again; null where the caller gets none. */
export function presentCompromised(done: AnsweredLeak) {
  const { clientId, endedSecretIds, newSecret, notified, tokensRevokedBefore } = done;
  return {
    ...{ object: 'compromised_service_account', clientId, endedSecretIds },
    secretId: newSecret?.id ?? null,
    clientSecret: newSecret?.secret.expose() ?? null,
    notified,
    tokensRevokedBefore: tokensRevokedBefore.toISOString(),
  };
}
