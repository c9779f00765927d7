import { PERSON_PERMISSIONS } from '@cls/shared/access-token';
import type { AdministerAccounts } from '../account-management/administer.ts';
import { ACCOUNT_ID, type Account, type AccountDirectory } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { AuditReader } from '../audit/audit-log.ts';
import type { ApplicationRecords } from '../clients/application.ts';
import { type InvitationDeps, inviteAccount } from './invite-account.ts';
import { afterCursor, eventPage, page } from './page.ts';
import { presentAccount, presentApplication } from './present.ts';
import { NAME_ONLY, permissionsOnly, readBodyOf } from './read-body.ts';
import { refusal } from './refusals.ts';
import type { AdminRequest, Handle, Handlers } from './route.ts';

export interface AccountRouteDeps extends InvitationDeps {
  readonly accounts: AccountDirectory;
  readonly records: AccountRecords;
  readonly applications: Pick<ApplicationRecords, 'listOf'>;
  readonly administer: AdministerAccounts;
  readonly auditReader: AuditReader;
}

export function accountRoutes(deps: AccountRouteDeps) {
  const { accounts, records, applications, administer, auditReader } = deps;
  /** @throws {Refusal} 404, the same for no account and another customer's. */
  const requireAccount = async ({ customer, id }: AdminRequest): Promise<Account> => {
    const account = ACCOUNT_ID.test(id) ? await accounts.find(id) : undefined;
    if (account?.customer !== customer) throw refusal('account_not_found');
    return account;
  };
  /** Answers with the account as it is afterwards. */
  const changing =
    (change: (account: Account, asked: AdminRequest) => Promise<void>): Handle =>
    async (asked) => {
      await change(await requireAccount(asked), asked);
      return { body: presentAccount(await requireAccount(asked)) };
    };
  return {
    async listAccounts({ customer, query }) {
      const { email } = query;
      const named = email === undefined ? {} : { email };
      const found = await records.listOf(customer, { ...afterCursor(query), ...named });
      return page(found, query, presentAccount, ({ id }) => id);
    },
    inviteAccount: inviteAccount(deps),
    showAccount: async (asked) => ({ body: presentAccount(await requireAccount(asked)) }),
    setPermissions: changing(async (account, { request, grantablePermissions, actor }) => {
      // Those that the account has already may stay, even if the administrator may not grant them.
      const may = PERSON_PERMISSIONS.filter(
        (one) => grantablePermissions.includes(one) || account.permissions.includes(one),
      );
      const { permissions } = await readBodyOf(permissionsOnly(may), request);
      if (!(await administer.setPermissions(account, permissions, grantablePermissions, actor))) {
        throw refusal('account_beyond_caller'); // It had it when the request began, and no longer.
      }
    }),
    setName: changing(async (account, { request, actor }) => {
      const { name } = await readBodyOf(NAME_ONLY, request);
      await administer.rename(account, name ?? undefined, actor);
    }),
    async listEvents(asked) {
      const { id, email, pending } = await requireAccount(asked);
      // Failed attempts are recorded under the address. Until the person has accepted the invitation,
      // the address may belong to somebody else, whose attempts the administrator must not see.
      return eventPage(auditReader, pending ? [id] : [id, email], asked.query);
    },
    disable: changing((account, { actor }) => administer.disable(account, actor)),
    enable: changing((account, asked) => {
      refuseBeyond(account, asked);
      return administer.enable(account, asked.actor);
    }),
    resetFactors: changing((account, asked) => {
      refuseBeyond(account, asked);
      return administer.resetFactors(account, asked.actor);
    }),
    endSessions: changing((account, { actor }) => administer.endSessions(account, actor)),
    async listApplications({ customer, query }) {
      const found = await applications.listOf(customer, afterCursor(query));
      return page(found, query, presentApplication, ({ id }) => id);
    },
  } satisfies Partial<Handlers>;
}

/**
 * What makes an account easier to get into is refused for one with permissions that the administrator may not
 * grant. @throws {Refusal} 403
 */
function refuseBeyond({ permissions }: Account, { grantablePermissions }: AdminRequest): void {
  const beyond = permissions.some((one) => !grantablePermissions.includes(one));
  if (beyond) throw refusal('account_beyond_caller');
}
