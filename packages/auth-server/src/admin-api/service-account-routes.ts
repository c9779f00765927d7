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
import { afterCursor, eventPage, page } from './page.ts';
import {
  presentCompromised,
  presentNewSecret,
  presentSecret,
  presentServiceAccount,
} from './present.ts';
import { NEW_SECRET, REPLACEMENT, readGiven } from './read-body.ts';
import { refusal } from './refusals.ts';
import type { AdminRequest, Handlers } from './route.ts';
import { fault } from './validate.ts';

export interface ServiceAccountRouteDeps {
  readonly serviceAccounts: Pick<ServiceAccountRecords, 'find' | 'listOf'>;
  readonly clientSecrets: Pick<ClientSecretRecords, 'list'>;
  readonly manageSecrets: ManageSecrets;
  readonly auditReader: AuditReader;
  readonly answerLeak: AnswerLeak;
}

export function serviceAccountRoutes(deps: ServiceAccountRouteDeps) {
  const { serviceAccounts, clientSecrets, manageSecrets, auditReader, answerLeak } = deps;
  /** @throws {Refusal} 404, the same for no service account and another customer's. */
  const requireServiceAccount = async ({ customer, id }: AdminRequest): Promise<ServiceAccount> => {
    const account = await serviceAccounts.find(id);
    if (account?.customer !== customer) throw refusal('service_account_not_found');
    return account;
  };
  /** @throws {Refusal} 404, the same for no secret and another service account's. */
  const requireSecret = async ({ id, secretId }: AdminRequest): Promise<ListedClientSecret> => {
    const [secret] = await clientSecrets.list(secretId);
    if (secret?.clientId !== id || secret.id !== secretId) throw refusal('secret_not_found');
    return secret;
  };
  return {
    async listServiceAccounts({ customer, query }) {
      const found = await serviceAccounts.listOf(customer, afterCursor(query));
      return page(found, query, presentServiceAccount, ({ id }) => id);
    },
    async listSecrets(asked) {
      const { query } = asked;
      const { id } = await requireServiceAccount(asked);
      const all = await clientSecrets.list(id);
      const before = all.findIndex((one) => one.id === query.cursor);
      if (query.cursor !== undefined && before < 0) {
        throw parameterRefusal([fault('cursor', 'expected a cursor of this service account')]);
      }
      return page(all.slice(before + 1), query, presentSecret, (secret) => secret.id);
    },
    async createSecret(asked) {
      const { name, endsIn: endsInS } = await readGiven(NEW_SECRET, asked.request);
      const account = await requireServiceAccount(asked);
      refuseHandingOut(account, asked);
      const making = manageSecrets.create(account.id, { name, endsInS }, asked.actor);
      return { body: presentNewSecret(account.id, await refuseTooMany(making)) };
    },
    async replaceSecret(asked) {
      const { name, endsIn: endsInS, keepOldFor } = await readGiven(REPLACEMENT, asked.request);
      const account = await requireServiceAccount(asked);
      const old = await requireSecret(asked);
      refuseHandingOut(account, asked);
      const making = manageSecrets.replace(old, keepOldFor, { name, endsInS }, asked.actor);
      return { body: presentNewSecret(account.id, await refuseTooMany(making)) };
    },
    /** Gives nothing to the caller, so it may end secrets of every service account of its customer. */
    async revokeSecret(asked) {
      await requireServiceAccount(asked);
      const secret = await requireSecret(asked);
      try {
        await manageSecrets.revoke(secret, asked.query.force, asked.actor);
      } catch (error) {
        throw error instanceof SecretInUse ? refusal('secret_in_use', usedAt(secret)) : error;
      }
      return { body: presentSecret(await requireSecret(asked)) };
    },
    async listServiceAccountEvents(asked) {
      const { id } = await requireServiceAccount(asked);
      return eventPage(auditReader, [id], asked.query);
    },
    /** Ends all secrets of a service account. The caller gets the new secret only if it may have it. */
    async compromised(asked) {
      const account = await requireServiceAccount(asked);
      const newSecret = whyNotHandedOut(account, asked) === undefined;
      const report = { reportedBy: 'administrator', newSecret, actor: asked.actor } as const;
      const done = await answerLeak(account.id, report);
      if (done === undefined) throw refusal('service_account_not_found');
      return { body: presentCompromised(done) };
    },
  } satisfies Partial<Handlers>;
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
