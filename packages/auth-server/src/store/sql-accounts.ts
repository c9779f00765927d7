import { newId } from '@cls/shared/new-id';
import type { Database } from '@cls/shared/sql/database';
import { type Account, type AccountDirectory, canonicalEmail } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { PasswordVerifier } from '../accounts/password.ts';

const SELECT = `
  SELECT a.id, a.email, a.customer_id AS customer, a.permissions,
         (a.disabled_at IS NOT NULL OR c.disabled_at IS NOT NULL) AS disabled,
         EXISTS (SELECT FROM factor f WHERE f.account_id = a.id) AS "secondFactor",
         a.password_hash AS "passwordHash"
  FROM account a JOIN customer c ON c.id = a.customer_id`;

type Row = Account & { readonly passwordHash: string | null };

export function sqlAccounts(database: Database): AccountRecords {
  return {
    list: async () => (await database.query<Row>(`${SELECT} ORDER BY a.email`)).map(toAccount),
    async listOf(customer, { email, after, limit }) {
      const rows = await database.query<Row>(
        `${SELECT}
         WHERE a.customer_id = $1 AND ($2::text IS NULL OR a.email = $2)
           AND ($3::text IS NULL OR a.id > $3)
         ORDER BY a.id LIMIT $4`,
        [customer, email === undefined ? null : canonicalEmail(email), after ?? null, limit],
      );
      return rows.map(toAccount);
    },
    async findByEmail(email) {
      const row = await rowByEmail(database, email);
      return row === undefined ? undefined : toAccount(row);
    },
    async create({ email, customer, permissions, passwordHash }) {
      const id = newId('acc');
      await database.query(
        `INSERT INTO account (id, email, customer_id, permissions, password_hash)
         VALUES ($1, $2, $3, $4, $5)`,
        [id, canonicalEmail(email), customer, permissions, passwordHash ?? null],
      );
      return id;
    },
    async replacePassword(id, passwordHash) {
      await database.query(
        'UPDATE account SET password_hash = $2, password_changed_at = now() WHERE id = $1',
        [id, passwordHash],
      );
    },
    async hasPassword(id) {
      const found = await database.query(
        'SELECT FROM account WHERE id = $1 AND password_hash IS NOT NULL',
        [id],
      );
      return found.length === 1;
    },
    async passwordChangedAt(id) {
      const [row] = await database.query<{ atMs: number | null }>(
        `SELECT (extract(epoch FROM password_changed_at) * 1000)::float8 AS "atMs"
         FROM account WHERE id = $1`,
        [id],
      );
      return row === undefined || row.atMs === null ? undefined : new Date(row.atMs);
    },
    async setDisabled(id, disabled) {
      await database.query(
        'UPDATE account SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1',
        [id, disabled],
      );
    },
  };
}

export function sqlAccountDirectory(
  database: Database,
  passwords: PasswordVerifier,
): AccountDirectory {
  return {
    async find(id) {
      const [row] = await database.query<Row>(`${SELECT} WHERE a.id = $1`, [id]);
      return row === undefined ? undefined : toAccount(row);
    },
    async authenticate(email, password) {
      const row = await rowByEmail(database, email);
      const fits = await passwords.verify(password, row?.passwordHash ?? undefined);
      return row !== undefined && fits && !row.disabled ? toAccount(row) : undefined;
    },
  };
}

async function rowByEmail(database: Database, email: string): Promise<Row | undefined> {
  const [row] = await database.query<Row>(`${SELECT} WHERE a.email = $1`, [canonicalEmail(email)]);
  return row;
}

function toAccount({ passwordHash: _, ...account }: Row): Account {
  return account;
}
