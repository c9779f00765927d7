import { SECRETS_PERMISSION } from '@cls/shared/access-token';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';
import type { AuditLog, AuditReader, StoredEvent } from '../audit/audit-log.ts';
import type { Application, ApplicationRecords } from '../clients/application.ts';
import type {
  ClientSecretRecords,
  ListedClientSecret,
  NewClientSecret,
} from '../clients/client-secret-records.ts';
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

/** What an administrator of a customer does with its service accounts; the use cases behind the pages. */
export interface Integrations {
  /** In the order of their names. */
  list(administrator: Account): Promise<readonly Integration[]>;
  /** Into which people sign in, in the order of their ids. */
  applications(administrator: Account): Promise<readonly Application[]>;
  /** The latest, the newest first. */
  requests(administrator: Account): Promise<readonly TokenRequest[]>;
  /** @throws {TooManySecrets} */
  createSecret(integration: Integration, name: string, actor: Actor): Promise<NewClientSecret>;
  /** The new secret has the name of the old one. @param keepOldForS see `ClientSecretRecords`. */
  replaceSecret(
    secret: ListedClientSecret,
    keepOldForS: number,
    actor: Actor,
  ): Promise<NewClientSecret>;
  revokeSecret(secret: ListedClientSecret, actor: Actor): Promise<void>;
  /** @returns the new secret; undefined where there is none, or where the secret had ended already. */
  answerLeak(
    integration: Integration,
    secret: ListedClientSecret,
    actor: Actor,
  ): Promise<NewClientSecret | undefined>;
}

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

export function integrations(deps: IntegrationsDeps): Integrations {
  const { serviceAccounts, clientSecrets, manageSecrets, auditReader, audit, answerLeak } = deps;
  return {
    async list(administrator) {
      const own = await serviceAccounts.list(administrator.customer);
      const secrets = await clientSecrets.list(own.map(({ id }) => id));
      return own.map((account) => ({
        ...account,
        secrets: secrets.filter(({ clientId, live }) => live && clientId === account.id),
        newSecrets: newSecretsOf(account, administrator),
      }));
    },
    applications: ({ customer }) => deps.applications.listOf(customer, { limit: APPLICATIONS }),
    async requests({ customer }) {
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
    createSecret: ({ id }, name, actor) => manageSecrets.create(id, { name }, actor),
    replaceSecret: (secret, keepOldForS, actor) =>
      manageSecrets.replace(secret, keepOldForS, {}, actor),
    revokeSecret: (secret, actor) => manageSecrets.revoke(secret, true, actor),
    async answerLeak({ id, newSecrets }, { id: secretId }, actor) {
      const newSecret = newSecrets === 'offered';
      const done = await answerLeak(id, {
        reportedBy: 'administrator',
        secretId,
        newSecret,
        actor,
      });
      return done?.newSecret;
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
