import type { Database } from '@cls/shared/sql/database';
import { unlessReferred } from '../audit/never-used.ts';
import { revokeTokens } from '../token-status/sql-token-status.ts';
import type { Customer, CustomerRecords } from './customer.ts';

const SELECT = 'SELECT id, name, disabled_at IS NOT NULL AS disabled FROM customer';

export function sqlCustomers(database: Database): CustomerRecords {
  return {
    list: () => database.query<Customer>(`${SELECT} ORDER BY id`),
    find: async (id) => (await database.query<Customer>(`${SELECT} WHERE id = $1`, [id]))[0],
    async create(id, name, demo) {
      await database.query('INSERT INTO customer (id, name, demo) VALUES ($1, $2, $3)', [
        id,
        name,
        demo,
      ]);
    },
    listDemo: () => database.query<Customer>(`${SELECT} WHERE demo AND disabled_at IS NULL`),
    setDisabled: (id, disabled) =>
      database.transaction(async (transaction) => {
        await transaction.query(
          'UPDATE customer SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1',
          [id, disabled],
        );
        if (disabled) await revokeTokens(transaction, { customer: id }, 'customer_disabled');
      }),
    async rename(id, name) {
      await database.query('UPDATE customer SET name = $2 WHERE id = $1', [id, name]);
    },
    async deleteUnused(id) {
      const remove = () => database.query('DELETE FROM customer WHERE id = $1', [id]);
      return (await unlessReferred(remove)) === undefined;
    },
  };
}
