import { parameterRefusal } from '@cls/shared/http/parameter-refusal';
import type { AuditReader } from '../audit/audit-log.ts';
import {
  type ClientSecretRecords,
  type ListedClientSecret,
  type NewClientSecret,
  TooManySecrets,
} from '../clients/client-secret-records.ts';
import { type ManageSecrets, SecretInUse, whyNoSecret } from '../clients/manage-secrets.ts';
import type { ServiceAccount } from '../clients/service-account.ts';
import type { ServiceAccountRecords } from '../clients/service-account-records.ts';
import type { AnswerLeak } from '../leaks/answer-leak.ts';
import {
  presentCompromised,
  presentEvent,
  presentNewSecret,
  presentPage,
  presentSecret,
  presentServiceAccount,
} from './present.ts';
import { NEW_SECRET, REPLACEMENT, readBodyOf } from './read-body.ts';
import { refusal } from './refusals.ts';
import type { AdminRequest, Handle, Handlers } from './route.ts';
import { fault } from './validate.ts';

export interface ServiceAccountRouteDeps {
  readonly serviceAccounts: Pick<ServiceAccountRecords, 'find' | 'listOf'>;
  readonly clientSecrets: Pick<ClientSecretRecords, 'list'>;
  readonly manageSecrets: ManageSecrets;
  readonly auditReader: AuditReader;
  readonly answerLeak: AnswerLeak;
}

export function serviceAccountRoutes(deps: ServiceAccountRouteDeps) {
  return {
    listServiceAccounts: listServiceAccounts(deps),
    listSecrets: listSecrets(deps),
    createSecret: createSecret(deps),
    replaceSecret: replaceSecret(deps),
    revokeSecret: revokeSecret(deps),
    listServiceAccountEvents: listEvents(deps),
    compromised: compromised(deps),
  } satisfies Partial<Handlers>;
}

function listServiceAccounts({
  serviceAccounts,
}: ServiceAccountRouteDeps): Handlers['listServiceAccounts'] {
  return async ({ customer, query: { cursor, limit } }) => {
    const found = await serviceAccounts.listOf(customer, {
      limit: limit + 1,
      ...(cursor === undefined ? {} : { after: cursor }),
    });
    return { body: presentPage(found, limit, presentServiceAccount, ({ id }) => id) };
  };
}

function listSecrets(deps: ServiceAccountRouteDeps): Handlers['listSecrets'] {
  return async (asked) => {
    const { cursor, limit } = asked.query;
    const { id } = await requireServiceAccount(deps, asked);
    const all = await deps.clientSecrets.list(id);
    const before = all.findIndex((one) => one.id === cursor);
    if (cursor !== undefined && before < 0) {
      throw parameterRefusal([fault('cursor', 'expected a cursor of this service account')]);
    }
    const found = all.slice(before + 1);
    return { body: presentPage(found, limit, presentSecret, (secret) => secret.id) };
  };
}

function createSecret(deps: ServiceAccountRouteDeps): Handle {
  return async (asked) => {
    const { name, endsIn: endsInS } = await readBodyOf(NEW_SECRET, asked.request);
    const account = await requireServiceAccount(deps, asked);
    refuseHandingOut(account, asked);
    const making = deps.manageSecrets.create(account.id, { name, endsInS }, asked.actor);
    return { body: presentNewSecret(account.id, await refuseTooMany(making)) };
  };
}

function replaceSecret(deps: ServiceAccountRouteDeps): Handle {
  return async (asked) => {
    const { name, endsIn: endsInS, keepOldFor } = await readBodyOf(REPLACEMENT, asked.request);
    const account = await requireServiceAccount(deps, asked);
    const old = await requireSecret(deps, asked);
    refuseHandingOut(account, asked);
    const options = { name, endsInS };
    const making = deps.manageSecrets.replace(old, keepOldFor, options, asked.actor);
    return { body: presentNewSecret(account.id, await refuseTooMany(making)) };
  };
}

/** Gives nothing to the caller, so it may end secrets of every service account of its customer. */
function revokeSecret(deps: ServiceAccountRouteDeps): Handlers['revokeSecret'] {
  return async (asked) => {
    await requireServiceAccount(deps, asked);
    const secret = await requireSecret(deps, asked);
    try {
      await deps.manageSecrets.revoke(secret, asked.query.force, asked.actor);
    } catch (error) {
      throw error instanceof SecretInUse ? refusal('secret_in_use', usedAt(secret)) : error;
    }
    return { body: presentSecret(await requireSecret(deps, asked)) };
  };
}

function listEvents(deps: ServiceAccountRouteDeps): Handlers['listServiceAccountEvents'] {
  return async (asked) => {
    const { cursor, limit } = asked.query;
    const { id } = await requireServiceAccount(deps, asked);
    const found = await deps.auditReader.eventsOf([id], {
      limit: limit + 1,
      ...(cursor === undefined ? {} : { before: BigInt(cursor) }),
    });
    return { body: presentPage(found, limit, presentEvent, (event) => `${event.id}`) };
  };
}

/** Ends all secrets of a service account. The caller gets the new secret only if it may have it. */
function compromised(deps: ServiceAccountRouteDeps): Handle {
  return async (asked) => {
    const account = await requireServiceAccount(deps, asked);
    const newSecret = whyNotHandedOut(account, asked) === undefined;
    const { actor } = asked;
    const done = await deps.answerLeak(account.id, {
      ...{ reportedBy: 'administrator', newSecret, actor },
    });
    if (done === undefined) throw refusal('service_account_not_found');
    return { body: presentCompromised(done) };
  };
}

/** @throws {Refusal} 403, 409 */
function refuseHandingOut(account: ServiceAccount, asked: AdminRequest): void {
  const why = whyNotHandedOut(account, asked);
  if (why === undefined) return;
  throw refusal('secret_beyond_caller', `${BEYOND[why]} Ask the operator of the service.`);
}

/** The administrator would get more than it was granted, or a secret of its own. */
const BEYOND = {
  own: 'A service account gets no secret of its own.',
  permissions: 'This service account has permissions that you neither have nor can grant.',
} as const;

/** @throws {Refusal} 409 for a service account that has no secrets. */
function whyNotHandedOut(
  account: ServiceAccount,
  { actor: { clientId }, permissions, grantablePermissions }: AdminRequest,
): 'own' | 'permissions' | undefined {
  const receiver = { clientId, permissions: [...permissions, ...grantablePermissions] };
  const why = whyNoSecret(account, receiver);
  if (why !== 'none') return why;
  const method = account.proof?.token_endpoint_auth_method;
  const detail = `The service account proves itself by ${method} and has no secrets.`;
  throw refusal('no_secrets', detail);
}

/** @throws {Refusal} 404, the same for no service account and another customer's. */
async function requireServiceAccount(
  { serviceAccounts }: ServiceAccountRouteDeps,
  { customer, id }: AdminRequest,
): Promise<ServiceAccount> {
  const account = await serviceAccounts.find(id);
  if (account === undefined || account.customer !== customer)
    throw refusal('service_account_not_found');
  return account;
}

/** @throws {Refusal} 404, the same for no secret and another service account's. */
async function requireSecret(
  { clientSecrets }: ServiceAccountRouteDeps,
  { id, secretId }: AdminRequest,
): Promise<ListedClientSecret> {
  const [secret] = await clientSecrets.list(secretId);
  if (secret?.clientId !== id || secret.id !== secretId) throw refusal('secret_not_found');
  return secret;
}

function usedAt({ lastUsedAt }: ListedClientSecret): string {
  return `The secret got a token at ${lastUsedAt?.toISOString()}. Replace it and keep the old one for a time, or send force=true.`;
}

/** @throws {Refusal} 409 */
async function refuseTooMany(making: Promise<NewClientSecret>): Promise<NewClientSecret> {
  try {
    return await making;
  } catch (error) {
    throw error instanceof TooManySecrets ? refusal('too_many_secrets') : error;
  }
}
