import { PERSON_PERMISSIONS } from '@cls/shared/access-token';
import type { AdministerAccounts } from '../account-management/administer.ts';
import { ACCOUNT_ID, type Account, type AccountDirectory } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { AuditReader } from '../audit/audit-log.ts';
import type { ApplicationRecords } from '../clients/application.ts';
import { type InvitationDeps, inviteAccount } from './invite-account.ts';
import { presentAccount, presentApplication, presentEvent, presentPage } from './present.ts';
import { readNameOnly, readPermissionsOnly } from './read-body.ts';
import { refusal } from './refusals.ts';
import type { AdminRequest, Handle, Handlers } from './route.ts';

export interface AccountRouteDeps extends InvitationDeps {
  readonly accounts: AccountDirectory;
  readonly records: AccountRecords;
  readonly applications: Pick<ApplicationRecords, 'listOf'>;
  readonly administer: AdministerAccounts;
  readonly auditReader: AuditReader;
}

/** What an administrator does to an account. */
type Act = 'disable' | 'enable' | 'resetFactors' | 'endSessions';

/**
 * Actions that make an account easier to get into. They are refused for an account with permissions
 * that the administrator may not grant.
 */
const OPENING: readonly Act[] = ['enable', 'resetFactors'];

export function accountRoutes(deps: AccountRouteDeps) {
  return {
    listAccounts: listAccounts(deps),
    inviteAccount: inviteAccount(deps),
    showAccount: showAccount(deps),
    setPermissions: setPermissions(deps),
    setName: setName(deps),
    listEvents: listEvents(deps),
    disable: actOn(deps, 'disable'),
    enable: actOn(deps, 'enable'),
    resetFactors: actOn(deps, 'resetFactors'),
    endSessions: actOn(deps, 'endSessions'),
    listApplications: listApplications(deps),
  } satisfies Partial<Handlers>;
}

function listAccounts({ records }: AccountRouteDeps): Handlers['listAccounts'] {
  return async ({ customer, query: { email, cursor, limit } }) => {
    const found = await records.listOf(customer, {
      limit: limit + 1,
      ...(email === undefined ? {} : { email }),
      ...(cursor === undefined ? {} : { after: cursor }),
    });
    return { body: presentPage(found, limit, presentAccount, ({ id }) => id) };
  };
}

function listApplications({ applications }: AccountRouteDeps): Handlers['listApplications'] {
  return async ({ customer, query: { cursor, limit } }) => {
    const found = await applications.listOf(customer, {
      limit: limit + 1,
      ...(cursor === undefined ? {} : { after: cursor }),
    });
    return { body: presentPage(found, limit, presentApplication, ({ id }) => id) };
  };
}

function showAccount(deps: AccountRouteDeps): Handle {
  return async (asked) => ({ body: presentAccount(await requireAccount(deps, asked)) });
}

function listEvents(deps: AccountRouteDeps): Handlers['listEvents'] {
  return async (asked) => {
    const { cursor, limit } = asked.query;
    const { id, email, pending } = await requireAccount(deps, asked);
    // Failed attempts are recorded under the address. Until the person has accepted the invitation,
    // the address may belong to somebody else, whose attempts the administrator must not see.
    const found = await deps.auditReader.eventsOf(pending ? [id] : [id, email], {
      limit: limit + 1,
      ...(cursor === undefined ? {} : { before: BigInt(cursor) }),
    });
    return { body: presentPage(found, limit, presentEvent, (event) => `${event.id}`) };
  };
}

function actOn(deps: AccountRouteDeps, act: Act): Handle {
  return async (asked) => {
    const account = await requireAccount(deps, asked);
    const beyond = account.permissions.some((one) => !asked.grantablePermissions.includes(one));
    if (beyond && OPENING.includes(act)) throw refusal('account_beyond_caller');
    await deps.administer[act](account, asked.actor);
    return { body: presentAccount(await requireAccount(deps, asked)) };
  };
}

/**
 * Permissions that the account has already may stay, even if the administrator may not grant them.
 */
function setPermissions(deps: AccountRouteDeps): Handle {
  return async (asked) => {
    const account = await requireAccount(deps, asked);
    const may = PERSON_PERMISSIONS.filter(
      (one) => asked.grantablePermissions.includes(one) || account.permissions.includes(one),
    );
    const permissions = await readPermissionsOnly(asked.request, may);
    const { grantablePermissions, actor } = asked;
    if (
      !(await deps.administer.setPermissions(account, permissions, grantablePermissions, actor))
    ) {
      throw refusal('account_beyond_caller'); // The account had it when the request began, and no longer.
    }
    return { body: presentAccount(await requireAccount(deps, asked)) };
  };
}

function setName(deps: AccountRouteDeps): Handle {
  return async (asked) => {
    const account = await requireAccount(deps, asked);
    const name = await readNameOnly(asked.request);
    await deps.administer.rename(account, name, asked.actor);
    return { body: presentAccount(await requireAccount(deps, asked)) };
  };
}

/** @throws {Refusal} 404, the same for no account and another customer's. */
async function requireAccount(
  { accounts }: AccountRouteDeps,
  { customer, id }: AdminRequest,
): Promise<Account> {
  const account = ACCOUNT_ID.test(id) ? await accounts.find(id) : undefined;
  if (account === undefined || account.customer !== customer) throw refusal('account_not_found');
  return account;
}
