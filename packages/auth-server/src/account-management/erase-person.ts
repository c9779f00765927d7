/**
 * Erases people. An account's row keeps its id, to which the audit and the API refer; the id is
 * random, and is the person's pseudonym from then on.
 */
import type { AccountRecords } from '../accounts/account-records.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AccountAccess } from '../sessions/account-access.ts';
import { endAround } from '../sessions/end-around.ts';

/** Whose traces: those of an account, of an address that audit events name, or of both. */
export interface Traced {
  readonly accountId?: string;
  /** Canonical. */
  readonly email?: string;
}

export const TRACE_KINDS = [
  'accounts',
  'factors',
  'recoveryCodes',
  'rememberedDevices',
  'knownAddresses',
  'sessions',
  'applicationGrants',
  'consents',
  'links',
  'organisationLinks',
  'failureCounts',
  'auditEvents',
] as const;
export type TraceKind = (typeof TRACE_KINDS)[number];
/** How many there are. */
export type Traces = Readonly<Record<TraceKind, number>>;

export interface ErasedIdentity {
  readonly email: string;
  readonly name?: string;
  readonly customer: string;
  /** RFC 3339. */
  readonly erasedAt: string;
}

/** Why nobody can say who an account was. */
export type Unresolved = 'not_erased' | 'not_kept' | 'no_key';

export interface ErasureRecords {
  /** False where the role of the database may not change audit events; then nothing can be erased. */
  mayErase(): Promise<boolean>;
  /** True where who is erased is kept, sealed. */
  readonly keepsIdentity: boolean;
  /**
   * Every account of an address, at whatever customer, and the address itself; or an account by its
   * id, also an erased one.
   */
  find(emailOrId: string): Promise<readonly Traced[]>;
  /** People of a customer of whom anything is left, erased ones too. */
  ofCustomer(customer: string): Promise<readonly Traced[]>;
  /** Of all of them together. */
  count(people: readonly Traced[]): Promise<Traces>;
  /** Takes the address of accounts that were deleted out of the audit. Reads all of the audit. */
  eraseMentions(emails: readonly string[]): Promise<void>;
  /** All else, and records that: all or nothing. */
  erase(traced: Traced): Promise<void>;
  identityOf(accountId: string): Promise<ErasedIdentity | { readonly unresolved: Unresolved }>;
}

export interface EraseDeps {
  readonly erasure: ErasureRecords;
  readonly records: Pick<AccountRecords, 'setDisabled'>;
  readonly access: Pick<AccountAccess, 'endAll'>;
  readonly audit: Pick<AuditLog, 'catchUp'>;
}

/** Erases each; when it fails, it can be run again, and does the rest. */
export async function erasePeople(
  { erasure, records, access, audit }: EraseDeps,
  people: readonly Traced[],
): Promise<void> {
  await audit.catchUp();
  for (const { accountId } of people) {
    if (accountId === undefined) continue;
    // Nobody signs in between the end of the sessions and the erasure.
    await endAround(
      () => access.endAll(accountId),
      () => records.setDisabled(accountId, true),
    );
  }
  const emails = emailsOf(people);
  if (emails.length > 0) await erasure.eraseMentions(emails);
  for (const person of people) {
    await erasure.erase(person);
    // A request that was under way may have recorded a session.
    if (person.accountId !== undefined) await access.endAll(person.accountId);
  }
}

/** Those that audit events may name. */
export function emailsOf(people: readonly Traced[]): readonly string[] {
  return people.flatMap(({ email }) => email ?? []);
}
