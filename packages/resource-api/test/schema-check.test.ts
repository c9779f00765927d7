import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { describeOnEngines, type Engine } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import type { CheckResult } from '../src/reconcile/reconciler.ts';
import { checkSchema } from '../src/reconcile/sql/schema.ts';

/** As who administers the database; embedded ones know nobody else. */
async function openAsSuperuser(engine: Engine): Promise<Database> {
  const location = await engine.createLocation(MIGRATIONS);
  if (location.kind === 'embedded') return openDatabaseAsOperator(location, 'test', silentLog);
  const url = new URL(location.url.expose());
  url.username = 'postgres';
  return openDatabaseAsOperator({ ...location, url: new Secret(url.href) }, 'test', silentLog);
}

describeOnEngines('the check of the schema', (engine) => {
  let database: Database;
  before(async () => {
    database = await openAsSuperuser(engine);
  });
  after(() => database?.close());

  it('finds what the migrations made as they made it', async () => {
    const { breaks, checked } = await checkSchema(database);
    expect(breaks).to.deep.equal([]);
    expect(checked).to.be.greaterThan(200);
  });

  it('finds nothing wrong with an operator’s own table, function and index', async () => {
    const { breaks } = await checkAfter(`CREATE TABLE note (of text); CREATE INDEX mine ON journal
      (type); CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`);
    expect(breaks).to.deep.equal([]);
  });

  for (const [what, sql, kind, name] of [
    [
      'a trigger was disabled',
      'ALTER TABLE journal DISABLE TRIGGER append_only',
      'trigger',
      'journal.append_only',
    ],
    [
      'the chain’s trigger was dropped',
      'DROP TRIGGER close_journals ON book_state',
      'trigger',
      'book_state.close_journals',
    ],
    [
      'a trigger was added',
      `CREATE TRIGGER a BEFORE INSERT ON posting FOR EACH ROW
      EXECUTE FUNCTION refuse_change()`,
      'trigger',
      'posting.a',
    ],
    [
      'foreign keys are not checked',
      'ALTER TABLE facility DISABLE TRIGGER ALL',
      'check of a constraint',
      'facility.facility_sublimit_of_key_fkey',
    ],
    ['a policy was dropped', 'DROP POLICY reader ON deal', 'policy', 'deal.reader'],
    [
      'a policy lets everything through',
      'ALTER POLICY reader ON balance USING (true)',
      'policy',
      'balance.reader',
    ],
    [
      'a policy was added',
      'CREATE POLICY more ON deal TO cls_reader USING (true)',
      'policy',
      'deal.more',
    ],
    [
      'row-level security is off',
      'ALTER TABLE deal DISABLE ROW LEVEL SECURITY',
      'row security',
      'deal',
    ],
    [
      'a function does nothing',
      `CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger
      LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
      'function',
      'refuse_change()',
    ],
    [
      'a function runs with other settings',
      'ALTER FUNCTION check_postings() SECURITY DEFINER',
      'function',
      'check_postings()',
    ],
    [
      'the content of journals is made otherwise',
      `CREATE OR REPLACE FUNCTION journal_content(first bigint, last bigint)
      RETURNS TABLE (journal_seq bigint, content text) LANGUAGE sql AS 'SELECT 1::bigint, ''''::text'`,
      'function',
      'journal_content(first bigint, last bigint)',
    ],
    [
      'a constraint was dropped',
      'ALTER TABLE posting DROP CONSTRAINT posting_amount_minor_check',
      'constraint',
      'posting.posting_amount_minor_check',
    ],
    [
      'a unique index was dropped',
      'DROP INDEX journal_reversed_once',
      'index',
      'journal.journal_reversed_once',
    ],
    [
      'a column may be null',
      'ALTER TABLE journal ALTER deal_key DROP NOT NULL',
      'column',
      'journal.deal_key',
    ],
    [
      'a default was changed',
      'ALTER TABLE journal ALTER posted_at SET DEFAULT now()',
      'column',
      'journal.posted_at',
    ],
    [
      'a rule swallows journals',
      'CREATE RULE swallow AS ON INSERT TO journal DO INSTEAD NOTHING',
      'rule',
      'journal.swallow',
    ],
    [
      'a view was changed',
      'CREATE OR REPLACE VIEW due_item AS SELECT p.journal_seq, p.line_key, p.account, p.effective_date AS billed_on, p.due_date, p.amount_minor FROM posting p WHERE p.due_date IS NOT NULL AND p.amount_minor > 5',
      'view',
      'due_item',
    ],
    [
      'a migration’s checksum was changed',
      `UPDATE schema_migration SET checksum = 'x' WHERE number = 1`,
      'migration',
      '0001-ledger.sql',
    ],
  ] as const) {
    it(`names the ${kind} ${name} when ${what}`, async () => {
      const { breaks } = await checkAfter(sql);
      const named = breaks.find((one) => one['kind'] === kind && one['name'] === name);
      expect(named, JSON.stringify(breaks)).to.include.keys('found', 'expected');
      expect(named?.['found']).not.to.equal(named?.['expected']);
    });
  }

  async function checkAfter(sql: string): Promise<CheckResult> {
    let result: CheckResult | undefined;
    const undo = new Error('undone');
    await database
      .transaction(async (transaction) => {
        await transaction.execute(sql);
        result = await checkSchema(transaction);
        throw undo;
      })
      .catch((error) => {
        if (error !== undo) throw error;
      });
    if (result === undefined) throw new Error('nothing was checked');
    return result;
  }
});
