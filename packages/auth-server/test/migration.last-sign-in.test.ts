import type { Database } from '@cls/shared/sql/database';
import { migrate, readMigrations } from '@cls/shared/sql/migrate';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';

const NAME = '0036-applications-of-customers';

const idOf = (n: number) => `acc_${`${n}`.padStart(26, '0')}`;

describeOnEngines('a store that gets the last sign-in of its people', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open();
    const all = readMigrations(MIGRATIONS);
    const before = all.findIndex(({ name }) => name.startsWith(NAME));
    await migrate(database, all.slice(0, before));
    await database.query(`INSERT INTO customer (id, name) VALUES ('india', 'India')`);
    await database.query(`INSERT INTO account (id, customer_id, email, permissions, first_signed_in_at)
      VALUES ('${idOf(1)}', 'india', 'often@india.example', '{cls-deal.view}', '2026-01-02T03:04:05Z'),
             ('${idOf(2)}', 'india', 'pruned@india.example', '{cls-deal.view}', '2026-01-02T03:04:05Z'),
             ('${idOf(3)}', 'india', 'never@india.example', '{cls-deal.view}', NULL)`);
    for (const at of ['2026-03-01T00:00:00Z', '2026-02-01T00:00:00Z']) {
      await database.query(
        `INSERT INTO audit_event (at, type, subject) VALUES ($1, 'sign_in.succeeded', '${idOf(1)}')`,
        [at],
      );
    }
    await migrate(database, all);
  });
  after(() => database?.close());

  it('takes it from the audit, else from the first sign-in', async () => {
    const people = await sqlAccounts(database).list();
    expect(people.map(({ email, lastSignedInAt }) => [email, lastSignedInAt])).to.deep.equal([
      ['never@india.example', undefined],
      ['often@india.example', new Date('2026-03-01T00:00:00Z')],
      ['pruned@india.example', new Date('2026-01-02T03:04:05Z')],
    ]);
  });
});
