import { migrate, readMigrations } from '@cls/shared/sql/migrate';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';

describeOnEngines('people who signed in before that was noted', (engine) => {
  it('are known by the audit to have signed in, and nobody else is', async () => {
    const database = await engine.open();
    try {
      const migrations = readMigrations(MIGRATIONS);
      await migrate(database, migrations.slice(0, 6));
      await database.query(`INSERT INTO customer (id, name) VALUES ('india', 'India')`);
      const idOf = (letter: string) => `acc_${letter.repeat(26)}`;
      for (const [letter, type] of [
        ['A', 'sign_in.succeeded'],
        ['B', 'token.issued'],
        ['C', 'sign_in.refused'],
      ] as const) {
        await database.query(
          `INSERT INTO account (id, email, customer_id, permissions)
           VALUES ($1, lower($1) || '@india.example', 'india', '{cls-deal.view}')`,
          [idOf(letter)],
        );
        await database.query(`INSERT INTO audit_event (at, type, subject) VALUES (now(), $1, $2)`, [
          type,
          idOf(letter),
        ]);
      }
      await migrate(database, migrations);
      const first = (letter: string) => sqlAccounts(database).recordSignIn(idOf(letter));
      expect([await first('A'), await first('B')]).to.deep.equal([false, false]);
      expect([await first('C'), await first('C')]).to.deep.equal([true, false]);
    } finally {
      await database.close();
    }
  });
});
