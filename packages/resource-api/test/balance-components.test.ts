import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { COMPONENTS } from '../src/ledger/balance.ts';

/** What a row of `balance` says besides its components. */
const NO_COMPONENTS = ['line_key', 'effective_date', 'known_seq', 'deal_key', 'lender_key'];

describeOnDatabase('the components of a balance', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  const componentsKept = async () => {
    const rows = await database.query<{ component: string }>(
      'SELECT component FROM balance_components()',
    );
    return rows.map(({ component }) => component);
  };

  it('are the same in the database and in the answers’ arithmetic', async () => {
    expect(await componentsKept()).to.have.members([...COMPONENTS]);
  });

  it('are the columns of the kept balances', async () => {
    const columns = await database.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = 'balance'`,
    );
    const names = columns.map(({ name }) => name).filter((name) => !NO_COMPONENTS.includes(name));
    expect(names).to.have.members(await componentsKept());
  });

  it('are what the trigger that keeps balances is made of', async () => {
    const trigger = async () => {
      const [row] = await database.query<{ text: string }>(
        `SELECT pg_get_functiondef('extend_balances()'::regprocedure) AS text`,
      );
      return row?.text ?? '';
    };
    const made = await trigger();
    for (const component of COMPONENTS) {
      expect(made).to.include(`coalesce(o.${component}, 0) + coalesce(m.${component}, 0)`);
    }
    await database.query('SELECT make_extend_balances()');
    expect(await trigger()).to.equal(made);
  });
});
