import type { Account, AccountDirectory } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { AdministerAccounts } from '../accounts/administer.ts';
import type { AuditReader } from '../audit/audit-log.ts';
import { type InvitationParts, inviteAccount } from './invite-account.ts';
import { presentAccount, presentEvent, presentPage } from './present.ts';
import { readNothing } from './read-body.ts';
import { readAccountsQuery, readEventsQuery, readNoQuery } from './read-query.ts';
import { accountNotFound } from './refusals.ts';
import type { AdminRequest, AdminRoute, Handle } from './route.ts';

export interface AccountRouteParts extends InvitationParts {
  readonly accounts: AccountDirectory;
  readonly records: AccountRecords;
  readonly administer: AdministerAccounts;
  readonly auditReader: AuditReader;
}

const DEFAULT_LIMIT = 50;
const ACCOUNTS = '/admin/v1/accounts';

/** What an administrator does to an account, by the last part of its path. */
const ACTS = {
  disable: 'disable',
  enable: 'enable',
  'reset-factors': 'resetFactors',
  'end-sessions': 'endSessions',
} as const satisfies Readonly<Record<string, keyof AdministerAccounts>>;

export function accountRoutes(parts: AccountRouteParts): readonly AdminRoute[] {
  const acts = Object.entries(ACTS).map(([path, act]) => ({
    pattern: new RegExp(`^${ACCOUNTS}/([^/]+)/${path}$`),
    handlers: { POST: actOn(parts, act) },
  }));
  return [
    {
      pattern: new RegExp(`^${ACCOUNTS}$`),
      handlers: { GET: listAccounts(parts), POST: inviteAccount(parts) },
    },
    { pattern: new RegExp(`^${ACCOUNTS}/([^/]+)$`), handlers: { GET: showAccount(parts) } },
    { pattern: new RegExp(`^${ACCOUNTS}/([^/]+)/events$`), handlers: { GET: listEvents(parts) } },
    ...acts,
  ];
}

function listAccounts({ records }: AccountRouteParts): Handle {
  return async ({ customer, query }) => {
    const { email, cursor, limit = DEFAULT_LIMIT } = readAccountsQuery(query);
    const found = await records.listOf(customer, {
      limit: limit + 1,
      ...(email === undefined ? {} : { email }),
      ...(cursor === undefined ? {} : { after: cursor }),
    });
    return { body: presentPage(found, limit, presentAccount, ({ id }) => id) };
  };
}

function showAccount(parts: AccountRouteParts): Handle {
  return async (asked) => {
    readNoQuery(asked.query);
    return { body: presentAccount(await requireAccount(parts, asked)) };
  };
}

function listEvents(parts: AccountRouteParts): Handle {
  return async (asked) => {
    const { cursor, limit = DEFAULT_LIMIT } = readEventsQuery(asked.query);
    const { id, email } = await requireAccount(parts, asked);
    // What was tried with the address before an account was known is recorded under it.
    const found = await parts.auditReader.eventsOf([id, email], {
      limit: limit + 1,
      ...(cursor === undefined ? {} : { before: BigInt(cursor) }),
    });
    return { body: presentPage(found, limit, presentEvent, (event) => `${event.id}`) };
  };
}

function actOn(parts: AccountRouteParts, act: keyof AdministerAccounts): Handle {
  return async (asked) => {
    readNoQuery(asked.query);
    await readNothing(asked.request);
    await parts.administer[act](await requireAccount(parts, asked), asked.by);
    return { body: presentAccount(await requireAccount(parts, asked)) };
  };
}

const ID = /^acc_[0-9A-Z]{26}$/;

/** @throws {Refusal} 404, the same for no account and another customer's. */
async function requireAccount(
  { accounts }: AccountRouteParts,
  { customer, id }: AdminRequest,
): Promise<Account> {
  const account = ID.test(id) ? await accounts.find(id) : undefined;
  if (account === undefined || account.customer !== customer) throw accountNotFound();
  return account;
}
