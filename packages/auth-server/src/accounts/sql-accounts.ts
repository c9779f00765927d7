import type { PersonPermission } from '@cls/shared/access-token';
import { newId } from '@cls/shared/new-id';
import { type Database, epochMs } from '@cls/shared/sql/database';
import { unlessReferred } from '../audit/never-used.ts';
import { digest } from '../crypto/digest.ts';
import {
  type Account,
  type AccountDirectory,
  canonicalEmail,
  type RefusedPassword,
} from './account.ts';
import type { AccountRecords } from './account-records.ts';
import type { PasswordVerifier } from './password.ts';

/**
 * Whether the account cannot sign in yet. A link to a provider counts while that provider exists
 * for the same customer.
 *
 * @param account what a query calls the row of `account`.
 */
export const isPending = (account: string) => `
  (${account}.password_hash IS NULL AND NOT EXISTS (
    SELECT FROM upstream_link l JOIN upstream_provider p ON p.issuer = l.issuer
    WHERE l.account_id = ${account}.id AND p.customer_id = ${account}.customer_id))`;

const SELECT = `
  SELECT a.id, a.email, a.display_name AS name, a.customer_id AS customer, a.permissions,
         (a.disabled_at IS NOT NULL OR c.disabled_at IS NOT NULL) AS disabled,
         (SELECT md5(string_agg(f.id, ' ' ORDER BY f.id)) FROM factor f
          WHERE f.account_id = a.id) AS "factorsVersion",
         ${isPending('a')} AS pending, a.elsewhere,
         ${epochMs('coalesce(a.last_signed_in_at, a.first_signed_in_at)')} AS "lastSignedInMs",
         a.password_hash AS "passwordHash"
  FROM account a JOIN customer c ON c.id = a.customer_id
  WHERE a.erased_at IS NULL`;

type Row = Omit<
  Account,
  'elsewhere' | 'name' | 'secondFactor' | 'factorsVersion' | 'lastSignedInAt'
> & {
  readonly name: string | null;
  readonly passwordHash: string | null;
  readonly elsewhere: boolean;
  readonly factorsVersion: string | null;
  readonly lastSignedInMs: number | null;
};

export function sqlAccounts(database: Database): AccountRecords {
  return {
    list: async () => (await database.query<Row>(`${SELECT} ORDER BY a.email`)).map(toAccount),
    async listOf(customer, { email, after, limit }) {
      const rows = await database.query<Row>(
        `${SELECT}
         AND a.customer_id = $1 AND ($2::text IS NULL OR a.email = $2)
           AND ($3::text IS NULL OR a.id > $3)
         ORDER BY a.id LIMIT $4`,
        [customer, email === undefined ? null : canonicalEmail(email), after ?? null, limit],
      );
      return rows.map(toAccount);
    },
    findByEmail: sqlFindByEmail(database),
    create: ({ email, name, customer, permissions, passwordHash }) =>
      database.transaction(async (transaction) => {
        const values = [
          ...[canonicalEmail(email), customer, permissions, passwordHash ?? null, name ?? null],
        ];
        // The customer that had the person has removed the account, so the invited one becomes a
        // real account.
        const [known] = await transaction.query<{ id: string }>(
          `UPDATE account SET elsewhere = false, permissions = $3, password_hash = $4,
             display_name = coalesce($5, display_name)
           WHERE email = $1 AND customer_id = $2 AND elsewhere RETURNING id`,
          values,
        );
        if (known !== undefined) return known.id;
        const id = newId('acc');
        await transaction.query(
          `INSERT INTO account (id, email, customer_id, permissions, password_hash, display_name)
           VALUES ($6, $1, $2, $3, $4, $5)`,
          [...values, id],
        );
        return id;
      }),
    async createElsewhere({ email, name, customer, permissions }) {
      const id = newId('acc');
      await database.query(
        `INSERT INTO account (id, email, customer_id, permissions, display_name, elsewhere)
         VALUES ($1, $2, $3, $4, $5, true)`,
        [id, canonicalEmail(email), customer, permissions, name ?? null],
      );
      return id;
    },
    async rename(id, name) {
      await database.query('UPDATE account SET display_name = $2 WHERE id = $1', [
        ...[id, name ?? null],
      ]);
    },
    replacePassword: (id, passwordHash, version) =>
      database.transaction(async (transaction) => {
        const [row] = await transaction.query<{ passwordHash: string | null }>(
          'SELECT password_hash AS "passwordHash" FROM account WHERE id = $1 FOR NO KEY UPDATE',
          [id],
        );
        const present = row?.passwordHash ?? undefined;
        if (version !== undefined && (present === undefined || digest(present) !== version)) {
          return false;
        }
        await transaction.query(
          'UPDATE account SET password_hash = $2, password_changed_at = now() WHERE id = $1',
          [id, passwordHash],
        );
        await transaction.query('DELETE FROM account_link WHERE account_id = $1', [id]);
        // The organisation's provider, if there is one, links anew, and the password ends.
        await transaction.query('DELETE FROM upstream_link WHERE account_id = $1', [id]);
        return true;
      }),
    async passwordSetAt(id) {
      const [row] = await database.query<{ atMs: number | null }>(
        `SELECT ${epochMs('password_changed_at')} AS "atMs" FROM account WHERE id = $1`,
        [id],
      );
      return row === undefined || row.atMs === null ? undefined : new Date(row.atMs);
    },
    async replacePermissions(id, permissions, addable) {
      const [row] = await database.query<{ before: PersonPermission[] }>(
        `UPDATE account SET permissions = $2
         FROM (SELECT permissions AS before FROM account WHERE id = $1 FOR UPDATE) AS known
         WHERE id = $1 AND $2::text[] <@ (known.before || $3::text[]) RETURNING known.before`,
        [id, permissions, addable],
      );
      return row?.before;
    },
    async recordSignIn(id) {
      const [row] = await database.query<{ first: boolean }>(
        `UPDATE account SET last_signed_in_at = now(),
           first_signed_in_at = coalesce(account.first_signed_in_at, now())
         FROM (SELECT first_signed_in_at FROM account WHERE id = $1 FOR NO KEY UPDATE) AS before
         WHERE id = $1 AND (last_signed_in_at IS NULL OR last_signed_in_at < now() - interval '1 minute')
         RETURNING before.first_signed_in_at IS NULL AS first`,
        [id],
      );
      return row?.first === true;
    },
    async isDisabled(id) {
      const found = await database.query(
        'SELECT FROM account WHERE id = $1 AND disabled_at IS NOT NULL',
        [id],
      );
      return found.length === 1;
    },
    async setDisabled(id, disabled) {
      await database.query(
        'UPDATE account SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1',
        [id, disabled],
      );
    },
    async deleteUnused(id) {
      const use = await unlessReferred(() =>
        database.transaction(async (transaction) => {
          const unused = await transaction.query(
            'SELECT FROM account WHERE id = $1 AND first_signed_in_at IS NULL FOR UPDATE',
            [id],
          );
          if (unused.length === 0) return;
          await transaction.query('DELETE FROM account_link WHERE account_id = $1', [id]);
          await transaction.query('DELETE FROM account WHERE id = $1', [id]);
        }),
      );
      const left = await database.query('SELECT FROM account WHERE id = $1', [id]);
      return use === undefined && left.length === 0;
    },
  };
}

export function sqlAccountDirectory(
  database: Database,
  passwords: PasswordVerifier,
): AccountDirectory {
  return {
    async find(id) {
      const [row] = await database.query<Row>(`${SELECT} AND a.id = $1`, [id]);
      return row === undefined ? undefined : toAccount(row);
    },
    findByEmail: sqlFindByEmail(database),
    async authenticate(email, password, note) {
      const row = await rowByEmail(database, email);
      const fits = await passwords.verify(password, row?.passwordHash ?? undefined);
      if (row !== undefined && fits && !row.disabled) return toAccount(row);
      note?.(refusedPassword(row, fits));
      return undefined;
    },
  };
}

function sqlFindByEmail(database: Database): AccountDirectory['findByEmail'] {
  return async (email) => {
    const row = await rowByEmail(database, email);
    return row && toAccount(row);
  };
}

async function rowByEmail(database: Database, email: string): Promise<Row | undefined> {
  const [row] = await database.query<Row>(`${SELECT} AND a.email = $1 AND NOT a.elsewhere`, [
    canonicalEmail(email),
  ]);
  return row;
}

function refusedPassword(row: Row | undefined, fits: boolean): RefusedPassword {
  if (row === undefined) return 'unknown_email';
  if (row.passwordHash === null) return 'no_password';
  return fits ? 'account_disabled' : 'wrong_password';
}

function toAccount(row: Row): Account {
  const { passwordHash, elsewhere, name, factorsVersion, lastSignedInMs, ...rest } = row;
  const named = name === null ? rest : { ...rest, name };
  const account = elsewhere ? ({ ...named, elsewhere } as const) : named;
  return {
    ...account,
    ...(lastSignedInMs !== null && { lastSignedInAt: new Date(lastSignedInMs) }),
    secondFactor: factorsVersion !== null,
    passwordVersion: passwordHash === null ? undefined : digest(passwordHash),
    factorsVersion: factorsVersion ?? undefined,
  };
}
