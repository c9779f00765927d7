/**
 * What is done to the secrets of a client, and recorded in the audit. `cls-auth secrets`, the administrators' API
 * and the pages of integrations use it.
 */
import { type Actor, causedBy } from '../audit/actor.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import {
  type ClientSecretOptions,
  type ClientSecretRecords,
  isInUse,
  type ListedClientSecret,
} from './client-secret-records.ts';
import type { ServiceAccount } from './service-account.ts';

/** The longest time for which a secret stays good beside the one that replaces it: 30 days. */
export const KEEP_OLD_MAX_S = 30 * 86_400;
/** The longest life of a secret that ends by itself: ten years. */
export const SECRET_LIFE_MAX_S = 10 * 366 * 86_400;

/** The secret got a token within 24 hours. */
export class SecretInUse extends Error {}

/** Who asks for a secret of a service account. */
export interface SecretReceiver {
  /** Undefined: a person. */
  readonly clientId?: string | undefined;
  /** What the receiver has or may grant. */
  readonly permissions: readonly string[];
}

/**
 * Why the receiver may not have a secret of the service account; undefined: it may have one.
 *
 * - `none`: the service account proves itself without a secret.
 * - `own`: the receiver is the service account. A thief with a leaked secret could get a second one, which would
 *   outlive the first.
 * - `permissions`: the secret would give the receiver more than it has or may grant.
 */
export function whyNoSecret(
  { id, permissions, proof }: Pick<ServiceAccount, 'id' | 'permissions' | 'proof'>,
  receiver: SecretReceiver,
): 'none' | 'own' | 'permissions' | undefined {
  if (proof?.token_endpoint_auth_method !== undefined) return 'none';
  if (id === receiver.clientId) return 'own';
  return permissions.every((one) => receiver.permissions.includes(one)) ? undefined : 'permissions';
}

export type ManageSecrets = ReturnType<typeof manageSecrets>;

export interface ManageSecretsDeps {
  readonly secrets: ClientSecretRecords;
  readonly audit: Pick<AuditLog, 'record'>;
}

export function manageSecrets({ secrets, audit }: ManageSecretsDeps) {
  const record = (
    change: 'secret_created' | 'secret_replaced' | 'secret_revoked',
    { id: about, clientId: subject }: { readonly id: string; readonly clientId: string },
    actor: Actor = {},
  ) => {
    const kind = subject.startsWith('svc_') ? 'service_account' : 'application';
    audit.record({ type: `${kind}.${change}`, subject, about, ...causedBy(actor) });
  };
  return {
    /** @throws {TooManySecrets} */
    async create(clientId: string, options: ClientSecretOptions, actor?: Actor) {
      const created = await secrets.create(clientId, options);
      record('secret_created', { id: created.id, clientId }, actor);
      return created;
    },
    /**
     * @param old one secret, whose name the new one keeps, or all secrets of a client.
     * @throws {TooManySecrets}
     */
    async replace(
      { clientId, id, name }: Pick<ListedClientSecret, 'clientId'> & Partial<ListedClientSecret>,
      keepOldForS: number,
      options: ClientSecretOptions,
      actor?: Actor,
    ) {
      const old = { clientId, ...(id !== undefined && { id }) };
      const named = { ...options, name: options.name ?? name ?? undefined };
      const replaced = await secrets.replace(old, keepOldForS, named);
      record('secret_replaced', { id: replaced.id, clientId }, actor);
      return replaced;
    },
    /** @param force ends one that is in use too. @throws {SecretInUse} */
    async revoke(secret: ListedClientSecret, force: boolean, actor?: Actor) {
      if (isInUse(secret) && !force) throw new SecretInUse();
      await secrets.revoke(secret);
      record('secret_revoked', secret, actor);
    },
  };
}
