import { migrate, readMigrations } from '@cls/shared/sql/migrate';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import { NO_FILTER } from '../src/balances/balance-store.ts';
import { MIGRATIONS } from '../src/store/migrations.ts';
import { sqlBalanceStore } from '../src/store/sql-balance-store.ts';
import { sqlReconciler } from '../src/store/sql-reconciler.ts';
import { date } from './support/book.ts';

/** A journal of one deal on its own facility's line; two of them have one posting time. */
const posted = (seq: number, day: string, deal: number, amount: number, more = 'NULL, NULL') => `
  BEGIN;
  SELECT set_config('cls.posted_at', '2024-01-0${Math.ceil(seq / 2)} 00:00:00+00', true);
  INSERT INTO journal (seq, id, effective_date, type, deal_key, idempotency_key, import_key,
    reverses_seq)
  SELECT ${seq}, 'jrn_${seq}', '${day}', 'original_commitment', ${deal},
    CASE WHEN r IS NULL THEN 'k${seq}' ELSE 'revert:k${seq}' END, i, r
  FROM (SELECT ${more}) AS m(i, r);
  INSERT INTO posting (journal_seq, number, line_key, account, amount_minor, effective_date)
    VALUES (${seq}, 1, ${deal}, 'UNFUNDED', ${amount}, '${day}'),
      (${seq}, 2, ${deal}, 'ORIGINAL_COMMITMENT', ${amount}, '${day}'),
      (${seq}, 3, ${deal}, 'MEMO', ${-2 * amount}, '${day}');
  ${seq === 3 ? `INSERT INTO facility_terms VALUES (1, 1, '2023-05-31', 3, 'matured');` : ''}
  ${seq === 5 ? `INSERT INTO facility_terms VALUES (1, 1, '2022-05-31', 5, 'pending');` : ''}
  COMMIT;`;

/** Two deals of an import that was taken back; then one of them by an import of an older statement. */
const OLD_BOOK = `
  INSERT INTO party (id, name) VALUES ('pty_1', 'A');
  INSERT INTO import_batch (id, profile, source, file_sha256, as_of, row_count, control_totals,
    reverted_at)
  VALUES ('imp_1', 'p', 's', 'x', '2023-05-31', 2, '{}', now()),
    ('imp_2', 'p', 's', 'y', '2022-05-31', 1, '{}', NULL);
  INSERT INTO deal (id, name, deal_number, borrower_key, agent_key, country, status, booked_on,
    booked_seq)
  VALUES ('deal_1', 'One', '1', 1, 1, 'IN', 'active', '2023-05-31', 1),
    ('deal_2', 'Two', '2', 1, 1, 'IN', 'active', '2023-05-31', 1);
  INSERT INTO facility (id, deal_key, name, type, currency, status, booked_on, booked_seq)
  SELECT 'fac_' || key, key, name, 'term_loan', 'USD', 'active', booked_on, booked_seq
  FROM deal ORDER BY key;
  INSERT INTO external_id (source, value, entity_id) VALUES ('s', '1', 'deal_1'),
    ('s', '2', 'deal_2');
  INSERT INTO balance_line (deal_key, facility_key, contract_key, lender_key, currency)
  SELECT deal_key, key, 0, 0, 'USD' FROM facility ORDER BY key;
  ${posted(1, '2023-05-31', 1, 5, '1, NULL::bigint')}
  ${posted(2, '2023-05-31', 2, 6, '1, NULL::bigint')}
  ${posted(3, '2023-05-31', 1, -5, 'NULL::bigint, 1')}
  ${posted(4, '2023-05-31', 2, -6, 'NULL::bigint, 2')}
  ${posted(5, '2022-05-31', 1, 7, '2, NULL::bigint')}`;

describeOnEngines('a book with an import that was taken back before', (engine) => {
  it('comes right with its migration, at every date and state of knowledge', async () => {
    const database = await engine.open();
    const all = readMigrations(MIGRATIONS);
    const standing = all.findIndex(({ name }) => name.endsWith('-standing.sql'));
    await migrate(database, all.slice(0, standing));
    await database.execute(OLD_BOOK);
    await migrate(database, all);
    const store = sqlBalanceStore(database);
    const at = async (asOf: string, ledgerSeq: bigint) => {
      const { items } = await store.page(
        { fullControl: true },
        {
          level: 'facility',
          filter: { ...NO_FILTER, includeZero: true },
          snapshot: { asOf: date(asOf), ledgerSeq },
          sort: undefined,
          after: undefined,
          limit: 10,
        },
      );
      return items.map(({ deal, facility, global }) => [
        deal.name,
        facility?.status,
        global.unfunded,
      ]);
    };
    expect(await at('2023-05-31', 2n)).to.deep.equal([
      ['One', 'active', 5n],
      ['Two', 'active', 6n],
    ]);
    expect(await at('2022-05-31', 2n)).to.deep.equal([]);
    expect(await at('2023-05-31', 4n)).to.deep.equal([]);
    for (const asOf of ['2022-05-31', '2023-05-31']) {
      expect(await at(asOf, 5n), asOf).to.deep.equal([['One', 'pending', 7n]]);
    }
    expect((await store.ledgerState(date('2024-01-01'))).lastDate).to.equal('2022-05-31');
    const { checks } = await sqlReconciler(database).reconcile(2);
    const broken = checks.filter(({ breakCount }) => breakCount > 0);
    expect(broken.map(({ invariant }) => invariant)).to.deep.equal([]);
    await database.close();
  });
});
