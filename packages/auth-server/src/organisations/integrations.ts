import { SECRETS_PERMISSION } from '@cls/shared/access-token';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';
import type { AuditLog, AuditReader, StoredEvent } from '../audit/audit-log.ts';
import type { ApplicationRecords } from '../clients/application.ts';
import type { ClientSecretRecords, ListedClientSecret } from '../clients/client-secret-records.ts';
import { type ManageSecrets, whyNoSecret } from '../clients/manage-secrets.ts';
import type {
  ListedServiceAccount,
  ServiceAccountRecords,
} from '../clients/service-account-records.ts';
import type { AnswerLeak } from '../leaks/answer-leak.ts';

/** A service account of a customer, as one of the customer's administrators sees it. */
export interface Integration extends Omit<ListedServiceAccount, 'customer' | 'secrets' | 'proof'> {
  /** Those that are in force, the newest first. */
  readonly secrets: readonly ListedClientSecret[];
  /**
   * Whether the administrator may make secrets. `operator`: only the operator may, because the service
   * account may do more than the administrator. `none`: it proves itself without a secret.
   */
  readonly newSecrets: 'offered' | 'operator' | 'none';
}

/** A token request of a service account, with the reason where it was refused. */
export type TokenRequest = Pick<StoredEvent, 'at' | 'address' | 'reason'> & {
  readonly name: string;
  readonly issued: boolean;
};

export type Integrations = ReturnType<typeof integrations>;

export interface IntegrationsDeps {
  readonly serviceAccounts: Pick<ServiceAccountRecords, 'list'>;
  readonly applications: Pick<ApplicationRecords, 'listOf'>;
  readonly clientSecrets: Pick<ClientSecretRecords, 'list'>;
  readonly manageSecrets: ManageSecrets;
  readonly auditReader: Pick<AuditReader, 'eventsOf'>;
  readonly audit: Pick<AuditLog, 'catchUp'>;
  readonly answerLeak: AnswerLeak;
}

const REQUESTS = 50;
/** More than an operator registers for one customer. */
const APPLICATIONS = 1_000;

/** What an administrator of a customer does with its service accounts; the use cases behind the pages. */
export function integrations(deps: IntegrationsDeps) {
  const { serviceAccounts, clientSecrets, manageSecrets, auditReader, audit, answerLeak } = deps;
  return {
    /** In the order of their names. */
    async list(administrator: Account): Promise<readonly Integration[]> {
      const own = await serviceAccounts.list(administrator.customer);
      const secrets = await clientSecrets.list(own.map(({ id }) => id));
      return own.map((account) => ({
        ...account,
        secrets: secrets.filter(({ clientId, live }) => live && clientId === account.id),
        newSecrets: newSecretsOf(account, administrator),
      }));
    },
    /** Into which people sign in, in the order of their ids. */
    applications: ({ customer }: Account) =>
      deps.applications.listOf(customer, { limit: APPLICATIONS }),
    /** The latest, the newest first. */
    async requests({ customer }: Account): Promise<readonly TokenRequest[]> {
      const own = await serviceAccounts.list(customer);
      const names = new Map(own.map(({ id, name }) => [id, name]));
      await audit.catchUp();
      const events = await auditReader.eventsOf([...names.keys()], {
        types: ['token.issued', 'token.refused'],
        limit: REQUESTS,
      });
      return events.map(({ clientId = '', type, ...event }) => ({
        ...event,
        name: names.get(clientId) ?? clientId,
        issued: type === 'token.issued',
      }));
    },
    /** @throws {TooManySecrets} */
    createSecret: ({ id }: Integration, name: string, actor: Actor) =>
      manageSecrets.create(id, { name }, actor),
    /** The new secret has the name of the old one. @param keepOldForS see `ClientSecretRecords`. */
    replaceSecret: (secret: ListedClientSecret, keepOldForS: number, actor: Actor) =>
      manageSecrets.replace(secret, keepOldForS, {}, actor),
    revokeSecret: (secret: ListedClientSecret, actor: Actor) =>
      manageSecrets.revoke(secret, true, actor),
    /** @returns the new secret; undefined where there is none, or where the secret had ended already. */
    async answerLeak(
      { id, newSecrets }: Integration,
      { id: secretId }: ListedClientSecret,
      actor: Actor,
    ) {
      const newSecret = newSecrets === 'offered';
      const report = { reportedBy: 'administrator', secretId, newSecret, actor } as const;
      return (await answerLeak(id, report))?.newSecret;
    },
  };
}

/** What reaches no further than the pages themselves and the customer's own deals. */
const WITHIN: readonly string[] = ['cls-deal.view', SECRETS_PERMISSION];

function newSecretsOf(
  account: ListedServiceAccount,
  administrator: Account,
): Integration['newSecrets'] {
  const why = whyNoSecret(account, { permissions: [...WITHIN, ...administrator.permissions] });
  if (why === undefined) return 'offered';
  return why === 'none' ? 'none' : 'operator';
}
