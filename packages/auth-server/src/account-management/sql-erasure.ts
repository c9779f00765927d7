import type { Sealer } from '@cls/shared/seal';
import type { Database, Sql, Transaction } from '@cls/shared/sql/database';
import { ACCOUNT_ID, canonicalEmail } from '../accounts/account.ts';
import type { AuditEventType } from '../audit/audit-log.ts';
import { PERSON_DIGEST } from '../audit/sql-audit-chain.ts';
import { countsOfPerson } from '../throttle/guess.ts';
import { throttleKey } from '../throttle/sql-throttle.ts';
import {
  type ErasureRecords,
  emailsOf,
  TRACE_KINDS,
  type Traced,
  type TraceKind,
  type Traces,
} from './erase-person.ts';

/** Rows that belong to an account, by its column `account_id`; what else depends on a factor goes with it. */
const OWNED = {
  factors: ['factor'],
  recoveryCodes: ['recovery_code'],
  sessions: ['signed_in_session'],
  rememberedDevices: ['remembered_device'],
  knownAddresses: ['known_address'],
  applicationGrants: ['application_grant'],
  consents: ['consent'],
  links: ['account_link', 'used_account_link'],
  organisationLinks: ['upstream_link'],
} as const satisfies Partial<Record<TraceKind, readonly string[]>>;

/** Events whose `about` says nothing about the person: a permission, an application, an organisation. */
const ABOUT_KEPT: readonly AuditEventType[] = [
  'account.permissions_changed',
  'account.invited',
  'account.access_allowed',
  'account.access_withdrawn',
  'account.device_connected',
  'account.organisation_linked',
];

/** An event that says from where, or with which device. */
const HAS_PLACE = '(address IS NOT NULL OR browser IS NOT NULL OR system IS NOT NULL)';

/** `$1` account, `$2` address, `$3` types above. Subjects are also customers, clients and domains. */
const NAMING = `(subject = $2 AND subject LIKE '_%@_%' OR subject = $1 AND (${HAS_PLACE}
  OR about IS NOT NULL AND NOT type = ANY($3::text[])))`;

const MENTIONING = `type = 'account.deleted' AND about = ANY($1::text[])`;

/** Requests that were under way during an erasure may have left something. */
const OF_CUSTOMER = `customer_id = $1 AND (erased_at IS NULL
  OR EXISTS (SELECT FROM signed_in_session WHERE account_id = account.id)
  OR EXISTS (SELECT FROM audit_event WHERE subject = account.id AND ${HAS_PLACE}))`;

const identityContext = (accountId: string) => `erased_identity:${accountId}`;

/**
 * Erasure in SQL, as the role that owns the tables: the service's own never changes an audit event.
 *
 * @param how `sealer` keeps who was erased; `actor` erases.
 */
export function sqlErasure(
  database: Database,
  { sealer, actor }: { readonly sealer: Sealer | undefined; readonly actor: string },
): ErasureRecords {
  return {
    keepsIdentity: sealer !== undefined,
    async mayErase() {
      const [row] = await database.query<{ may: boolean }>(
        `SELECT has_table_privilege('audit_event', 'UPDATE') AS may`,
      );
      return row?.may === true;
    },
    async find(emailOrId) {
      if (ACCOUNT_ID.test(emailOrId)) return rowsWhere(database, 'id = $1', emailOrId);
      const email = canonicalEmail(emailOrId);
      const rows = await rowsWhere(database, 'email = $1 AND erased_at IS NULL', email);
      return rows.some((row) => row.email === email) ? rows : [...rows, { email }];
    },
    ofCustomer: (customer) => rowsWhere(database, OF_CUSTOMER, customer),
    count: (people) => tracesOf(database, people),
    async eraseMentions(emails) {
      await database.query(
        `WITH changed AS (UPDATE audit_event SET about = NULL, blind = ${PERSON_DIGEST}
           WHERE ${MENTIONING} RETURNING subject)
         INSERT INTO audit_event (at, type, subject, actor, event_id)
         SELECT now(), 'account.erased', subject, $2, gen_random_uuid()
         FROM (SELECT DISTINCT subject FROM changed) AS one`,
        [emails, actor],
      );
    },
    erase: (traced) =>
      database.transaction(async (transaction) => {
        if (traced.accountId !== undefined) {
          await eraseAccount(transaction, { ...traced, accountId: traced.accountId }, sealer);
        }
        const changed = await transaction.query(
          `UPDATE audit_event SET subject = coalesce($1, 'unknown'), address = NULL, browser = NULL,
             system = NULL, blind = ${PERSON_DIGEST}, about = CASE WHEN type = ANY($3::text[]) THEN about END
           WHERE ${NAMING} RETURNING 1`,
          naming(traced),
        );
        if (traced.accountId === undefined && changed.length === 0) return;
        await transaction.query(
          `INSERT INTO audit_event (at, type, subject, actor, event_id)
           VALUES (now(), 'account.erased', $1, $2, gen_random_uuid())`,
          [traced.accountId ?? 'unknown', actor],
        );
      }),
    async identityOf(accountId) {
      const [row] = await database.query<{ sealed: string | null; erasedMs: number }>(
        `SELECT sealed_identity AS sealed,
           (extract(epoch FROM erased_at) * 1000)::float8 AS "erasedMs"
         FROM account LEFT JOIN erased_identity ON account_id = id
         WHERE id = $1 AND erased_at IS NOT NULL`,
        [accountId],
      );
      if (row === undefined) return { unresolved: 'not_erased' };
      if (row.sealed === null) return { unresolved: 'not_kept' };
      if (sealer === undefined) return { unresolved: 'no_key' };
      const identity = JSON.parse(sealer.unseal(row.sealed, identityContext(accountId)));
      return { ...identity, erasedAt: new Date(row.erasedMs).toISOString() };
    },
  };
}

interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly customer: string;
  readonly name: string | null;
  /** Another customer has the person: what was tried with the address is about that account. */
  readonly elsewhere: boolean;
  readonly erased: boolean;
}

const ACCOUNT = `
  SELECT id, email, customer_id AS customer, display_name AS name, elsewhere,
    erased_at IS NOT NULL AS erased
  FROM account`;

async function rowsWhere(sql: Sql, condition: string, value: string): Promise<readonly Traced[]> {
  const rows = await sql.query<AccountRow>(`${ACCOUNT} WHERE ${condition} ORDER BY id`, [value]);
  return rows.map(({ id, email, elsewhere, erased }) => ({
    accountId: id,
    ...(elsewhere || erased ? {} : { email }),
  }));
}

async function accountRow(sql: Sql, accountId: string, lock = ''): Promise<AccountRow> {
  const [row] = await sql.query<AccountRow>(`${ACCOUNT} WHERE id = $1 ${lock}`, [accountId]);
  if (row === undefined) throw new Error(`there is no account ${accountId}`);
  return row;
}

function naming({ accountId, email }: Traced) {
  return [accountId ?? null, email ?? null, ABOUT_KEPT];
}

async function tracesOf(sql: Sql, people: readonly Traced[]): Promise<Traces> {
  const traces = Object.fromEntries(TRACE_KINDS.map((kind) => [kind, 0])) as Record<
    TraceKind,
    number
  >;
  const add = async (kind: TraceKind, from: string, values: Values) => {
    traces[kind] += await count(sql, from, values);
  };
  for (const person of people) {
    await add('auditEvents', `audit_event WHERE ${NAMING}`, naming(person));
    if (person.accountId === undefined) continue;
    for (const [kind, tables] of Object.entries(OWNED)) {
      for (const table of tables) {
        await add(kind as TraceKind, `${table} WHERE account_id = $1`, [person.accountId]);
      }
    }
    const row = await accountRow(sql, person.accountId);
    if (!row.erased) traces.accounts += 1;
    const keys = await throttleKeys(sql, row, person);
    await add('failureCounts', `throttle WHERE ${THROTTLED}`, keys);
  }
  const emails = emailsOf(people);
  if (emails.length > 0) await add('auditEvents', `audit_event WHERE ${MENTIONING}`, [emails]);
  return traces;
}

const THROTTLED = '(kind, subject_sha256) IN (SELECT * FROM unnest($1::text[], $2::text[]))';

/** Addresses are known from the audit alone. @returns parameters of THROTTLED. */
async function throttleKeys(sql: Sql, account: AccountRow, { accountId, email }: Traced) {
  const rows = await sql.query<{ address: string }>(
    `SELECT DISTINCT address FROM audit_event
     WHERE subject IN ($1, $2) AND address IS NOT NULL`,
    [accountId ?? null, email ?? null],
  );
  const counts = countsOfPerson(
    account,
    rows.map(({ address }) => address),
  );
  return [counts.map(({ kind }) => kind), counts.map(throttleKey)];
}

async function eraseAccount(
  transaction: Transaction,
  traced: Traced & { readonly accountId: string },
  sealer: Sealer | undefined,
): Promise<void> {
  const row = await accountRow(transaction, traced.accountId, 'FOR UPDATE');
  const keys = await throttleKeys(transaction, row, traced);
  await transaction.query(`DELETE FROM throttle WHERE ${THROTTLED}`, keys);
  for (const table of Object.values(OWNED).flat()) {
    await transaction.query(`DELETE FROM ${table} WHERE account_id = $1`, [row.id]);
  }
  if (row.erased) return;
  if (sealer !== undefined) {
    const { email, name, customer } = row;
    const identity = JSON.stringify({ email, ...(name === null ? {} : { name }), customer });
    await transaction.query(
      'INSERT INTO erased_identity (account_id, sealed_identity) VALUES ($1, $2)',
      [row.id, sealer.seal(identity, identityContext(row.id))],
    );
  }
  await transaction.query(
    `UPDATE account SET email = lower(id), display_name = NULL, password_hash = NULL,
       password_changed_at = NULL, first_signed_in_at = NULL, last_signed_in_at = NULL,
       disabled_at = coalesce(disabled_at, now()), erased_at = now()
     WHERE id = $1`,
    [row.id],
  );
}

type Values = Parameters<Sql['query']>[1];

async function count(sql: Sql, from: string, values: Values): Promise<number> {
  const [row] = await sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`, values);
  return row?.n ?? 0;
}
