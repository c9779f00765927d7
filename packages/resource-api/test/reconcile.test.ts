import type { BookPlan } from '@cls/book-generator/generate-book';
import {
  openEmbeddedDatabase,
  openEmbeddedDatabaseAsOperator,
} from '@cls/shared/embedded/embedded-database';
import { type Database, DatabaseUnavailable, type Transaction } from '@cls/shared/sql/database';
import { describeOnDatabase, describeOnEngines, type Engine, pglite } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { lockJournal, postJournals } from '../src/posting/post-journals.ts';
import { instant } from '../src/questions/ask/sql/statement.ts';
import {
  type BookPart,
  type Reconciliation,
  type Step,
  UnknownDeals,
} from '../src/reconcile/reconciler.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { date, importWorldBank, statement } from './support/book.ts';
import { generated, loadRecords } from './support/generated.ts';

const brokenOf = ({ checks }: Reconciliation) =>
  checks.filter(({ breakCount }) => breakCount > 0).map(({ invariant }) => invariant);

/** What `work` left behind is reconciled, with each of the parts, and then never was. */
async function reconcileAfter(
  database: Database,
  work: (transaction: Transaction) => Promise<unknown>,
  given: { asOf: string; ledgerSeq: bigint }[],
  parts: readonly (BookPart | undefined)[] = [undefined],
): Promise<readonly Reconciliation[]> {
  const reports: Reconciliation[] = [];
  const undo = new Error('undone');
  await database
    .transaction(async (transaction) => {
      await work(transaction);
      const inside: Database = {
        ...database,
        ...transaction,
        transaction: (run) => run(transaction),
      };
      for (const part of parts) {
        reports.push(await sqlReconciler(inside).reconcile(0, given, { part }));
      }
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  if (reports.length === 0) throw new Error('nothing was reconciled');
  return reports;
}

/** As a part of the book. */
const EVERY_DEAL: BookPart = { since: '2000-01-01T00:00:00Z' };

/** Contracts of the book in which something is broken: it is reconciled some thirty times. */
const SMALL = 14;

describeOnDatabase('reconciling', (engine) => {
  /** The last date of the small book, as it was known before the backdated journal. */
  let past: Point;
  let database: Database;
  before(async () => {
    ({ database, past } = await openBook(engine, { contracts: SMALL, years: 2 }));
  });
  after(() => database?.close());

  for (const contracts of [SMALL, 40]) {
    it(`finds a sound book of ${contracts} contracts sound, and says how much it looked at`, async () => {
      const book = await openBook(engine, { contracts, years: 2 });
      try {
        const report = await sqlReconciler(book.database).reconcile(3, [book.past]);
        expect(brokenOf(report)).to.deep.equal([]);
        expect(report.points).to.have.length(4);
        expect(report.ledgerSeq).to.equal(book.past.ledgerSeq + 1n);
        for (const { invariant, checked } of report.checks) {
          // No period is closed and nothing but a correction is reversed: those may be few.
          expect(checked, invariant).to.be.greaterThan(0);
        }
      } finally {
        await book.database.close();
      }
    });
  }

  it('says which invariant it checks, and how many there are', async () => {
    const steps: Step[] = [];
    const onStep = (step: Step) => steps.push(step);
    const { checks } = await sqlReconciler(database).reconcile(0, [], { onStep });
    expect(steps.map(({ invariant }) => invariant)).to.deep.equal(
      checks.map(({ invariant }) => invariant),
    );
    expect(steps.at(-1)).to.include({ number: checks.length, of: checks.length });
  });

  it('finds a deal sound that was booked before its first journal, with records that follow it', async () => {
    const { records } = generated({ contracts: 1, years: 1, from: date('2023-01-15') });
    const early = records.map((record) => {
      if (record.object === 'deal') return { ...record, bookedOn: date('2022-06-01') };
      return 'bookedOn' in record ? { ...record, bookedOn: undefined } : record;
    });
    const old = await engine.open(MIGRATIONS);
    try {
      await loadRecords(old, early as typeof records);
      expect(brokenOf(await sqlReconciler(old).reconcile(3))).to.deep.equal([]);
    } finally {
      await old.close();
    }
  });

  it('finds an empty book sound', async () => {
    const empty = await engine.open(MIGRATIONS);
    try {
      const report = await sqlReconciler(empty).reconcile(3);
      expect([brokenOf(report), report.points]).to.deep.equal([[], []]);
    } finally {
      await empty.close();
    }
  });

  it('counts what adjustments explain as explained, not as broken', async () => {
    const bank = await engine.open(MIGRATIONS);
    try {
      const amounts = {
        'Original Principal Amount': '100',
        'Disbursed Amount': '60',
        'Undisbursed Amount': '39.99',
        'Due to IBRD': '60',
        "Borrower's Obligation": '60',
        'Loans Held': '99.99',
      };
      await importWorldBank(bank, statement('03/31/2025', [{ 'Loan Number': 'X1', ...amounts }]));
      const report = await sqlReconciler(bank).reconcile(1);
      expect(brokenOf(report)).to.deep.equal([]);
      const undrawn = report.checks.find(({ invariant }) => invariant === 'unfunded_is_undrawn');
      expect(undrawn?.explained).to.equal(1);
    } finally {
      await bank.close();
    }
  });

  const journalOf = (type: string) =>
    `(SELECT min(seq) FROM journal WHERE type = '${type}' AND reverses_seq IS NULL)`;
  const newestBalance = `(line_key, effective_date, known_seq) IN (
    SELECT line_key, effective_date, known_seq FROM balance b
    WHERE lender_key = 0 AND principal_cash > 0 AND NOT EXISTS (
      SELECT FROM balance n WHERE n.line_key = b.line_key
        AND (n.effective_date, n.known_seq) > (b.effective_date, b.known_seq)) LIMIT 1)`;

  for (const { invariant, when, table, sql } of [
    {
      invariant: 'journals_balance',
      when: 'one posting was changed',
      table: 'posting',
      sql: `UPDATE posting SET amount_minor = amount_minor + 1
            WHERE number = 1 AND journal_seq = ${journalOf('advance')}`,
    },
    {
      invariant: 'journal_shares_add_up',
      when: 'a lender’s postings were changed alike on both sides',
      table: 'posting',
      sql: `UPDATE posting SET amount_minor = amount_minor + sign(amount_minor)::bigint
            WHERE journal_seq = ${journalOf('interest_billing')} AND line_key = (
              SELECT max(line_key) FROM posting WHERE journal_seq = ${journalOf('interest_billing')})`,
    },
    {
      invariant: 'postings_fit_journal',
      when: 'a posting was moved to another day',
      table: 'posting',
      sql: `UPDATE posting SET effective_date = effective_date + 1
            WHERE number = 1 AND journal_seq = ${journalOf('advance')}`,
    },
    {
      invariant: 'records_refer',
      when: 'a position was given to a lender that is not there',
      table: 'lender_position',
      sql: `UPDATE lender_position SET lender_key = 999999
            WHERE key = (SELECT min(key) FROM lender_position)`,
    },
    {
      invariant: 'one_currency',
      when: 'a contract was given another currency',
      table: 'loan_contract',
      sql: `UPDATE loan_contract SET currency = 'CHF' WHERE key = 1`,
    },
    {
      invariant: 'sequence_gapless',
      when: 'a journal was put behind a gap',
      table: 'journal',
      sql: `INSERT INTO journal (seq, id, effective_date, type, deal_key, idempotency_key, posted_at)
            SELECT seq + 2, 'jrn_gap', effective_date, 'terms', deal_key, 'gap', posted_at
            FROM journal ORDER BY seq DESC LIMIT 1`,
    },
    {
      invariant: 'posting_times_rise',
      when: 'a journal was given a later time than the next',
      table: 'journal',
      sql: `UPDATE journal SET posted_at = posted_at + interval '1 day' WHERE seq = 1`,
    },
    {
      invariant: 'reversals_cancel',
      when: 'a reversal took back twice',
      table: 'posting',
      sql: `UPDATE posting SET amount_minor = amount_minor * 2
            WHERE journal_seq = (SELECT min(seq) FROM journal WHERE reverses_seq IS NOT NULL)`,
    },
    {
      invariant: 'closed_periods_kept',
      when: 'journals lie in a period that was closed before them',
      table: 'period_close',
      sql: `INSERT INTO period_close (through, reason, decided_at)
            SELECT min(effective_date), 'x', min(posted_at) - interval '1 day' FROM journal`,
    },
    {
      invariant: 'balances_replay',
      when: 'a balance was changed',
      table: 'balance',
      sql: `UPDATE balance SET fees_due = fees_due + 1 WHERE ${newestBalance}`,
    },
    {
      invariant: 'past_replays',
      when: 'a balance that was superseded was changed',
      table: 'balance',
      sql: `UPDATE balance b SET fees_due = fees_due + 1 WHERE EXISTS (
              SELECT FROM balance n WHERE n.line_key = b.line_key
                AND n.effective_date = b.effective_date AND n.known_seq > b.known_seq)`,
    },
    {
      invariant: 'superseded_replay',
      when: 'a balance that was superseded is gone',
      table: 'balance',
      sql: `DELETE FROM balance b WHERE EXISTS (
              SELECT FROM balance n WHERE n.line_key = b.line_key
                AND n.effective_date = b.effective_date AND n.known_seq > b.known_seq)`,
    },
    {
      invariant: 'entitlements_follow',
      when: 'a customer was let see a deal without a rule',
      table: 'entitlement',
      sql: `INSERT INTO entitlement_rule (customer_id, role, country) VALUES ('x', 'agent', 'none');
            INSERT INTO entitlement SELECT key, 'x', 1, 'agent', 0 FROM entitlement_rule
            WHERE customer_id = 'x'`,
    },
    {
      invariant: 'presence_follows_journals',
      when: 'a record was put off',
      table: 'presence',
      sql: `INSERT INTO presence SELECT 'contract', key, 1, deal_key, booked_on + 1
            FROM loan_contract WHERE key = 1`,
    },
    {
      invariant: 'past_presence_follows_journals',
      when: 'a record had been put off, and was put back later',
      table: 'presence',
      sql: `INSERT INTO presence SELECT 'facility', key, 1, deal_key, 'infinity'
            FROM facility WHERE key = 1;
            INSERT INTO presence SELECT 'facility', key, (SELECT max(seq) FROM journal), deal_key,
              booked_on FROM facility WHERE key = 1`,
    },
    {
      invariant: 'standing_follows_reversals',
      when: 'a journal counts no more that nothing takes back',
      table: 'journal_standing',
      sql: 'INSERT INTO journal_standing SELECT 1, seq, deal_key, false FROM journal WHERE seq = 2',
    },
    {
      invariant: 'book_dates_follow_journals',
      when: 'a date has no data that has a journal',
      table: 'book_date',
      sql: `INSERT INTO book_date SELECT effective_date, (SELECT max(seq) FROM journal), false
            FROM journal WHERE seq = 1`,
    },
    {
      invariant: 'totals_add_up',
      when: 'a kept total was changed in all states of knowledge, with its month and its year',
      table: 'book_total',
      sql: `UPDATE book_total SET unfunded = unfunded + 1
            WHERE level = 'deal' AND (currency, grain, start) IN (
              SELECT currency, grain, min(start) FROM book_total GROUP BY currency, grain)`,
    },
    {
      invariant: 'past_totals_add_up',
      when: 'a kept total was changed as it was known before, with its month and its year',
      table: 'book_total',
      sql: `UPDATE book_total SET items = items + 1
            WHERE level = 'contract' AND known_seq < (SELECT max(seq) FROM journal)`,
    },
    {
      invariant: 'totals_foot',
      when: 'the total of one day was changed as it was known once',
      table: 'book_total',
      sql: `UPDATE book_total SET principal_cash = principal_cash + 1
            WHERE grain = 'day' AND (start, known_seq) = (
              SELECT start, known_seq FROM book_total WHERE grain = 'day' LIMIT 1)`,
    },
    {
      invariant: 'sorted_items_kept',
      when: 'the amounts of an item were taken out of their order',
      table: 'sort_amount',
      sql: `DELETE FROM sort_amount
            WHERE level = 'facility' AND item_key = (SELECT min(item_key) FROM sort_amount)`,
    },
    {
      invariant: 'sorted_items_kept',
      when: 'a name was taken out of its order',
      table: 'sort_label',
      sql: `DELETE FROM sort_label WHERE kind = 'contract' AND sort = 'borrower'
              AND item_key = (SELECT min(item_key) FROM sort_label WHERE kind = 'contract')`,
    },
    {
      invariant: 'past_sorted_items_kept',
      when: 'an item ended early, as it was known once',
      table: 'item_life',
      sql: `UPDATE item_life SET lives_until = '-infinity' WHERE level = 'position'`,
    },
    {
      invariant: 'words_kept',
      when: 'a word of a borrower’s name was taken out of what searches find',
      table: 'party_word',
      sql: `DELETE FROM party_word WHERE party_key = (SELECT min(party_key) FROM party_word)`,
    },
    {
      invariant: 'words_kept',
      when: 'a deal was given a word that no name of it has',
      table: 'deal_word',
      sql: `INSERT INTO deal_word SELECT min(key), 'stranger', 0, 0, true FROM deal`,
    },
    {
      invariant: 'records_have_journals',
      when: 'a record was moved to a journal of another deal',
      table: 'loan_contract',
      sql: `UPDATE loan_contract SET booked_seq = (SELECT max(seq) FROM journal)
            WHERE key = (SELECT min(key) FROM loan_contract
              WHERE deal_key <> (SELECT deal_key FROM journal ORDER BY seq DESC LIMIT 1))`,
    },
    {
      invariant: 'reported_dates_follow',
      when: 'a date was reported at another time',
      table: 'reported_date',
      sql: `UPDATE reported_date SET posted_at = posted_at + interval '1 second'`,
    },
    {
      invariant: 'shares_add_up',
      when: 'a lender’s balance was changed',
      table: 'balance',
      sql: `UPDATE balance SET interest_due = interest_due + 1 WHERE (line_key, effective_date) IN (
              SELECT line_key, max(effective_date) FROM balance WHERE lender_key <> 0
              GROUP BY line_key ORDER BY line_key LIMIT 1)`,
    },
    {
      invariant: 'bills_are_what_accrued',
      when: 'rates were changed behind bills',
      table: 'rate_period',
      sql: 'UPDATE rate_period SET all_in_rate = all_in_rate * 2',
    },
    {
      invariant: 'reversed_bills_accrue_again',
      when: 'a bill settles the days of another too',
      table: 'accrual_settlement',
      sql: 'UPDATE accrual_settlement SET settled_from = NULL',
    },
    {
      invariant: 'late_facts_reopen_bills',
      when: 'a late advance was not recorded as late',
      table: 'late_accrual_fact',
      sql: 'DELETE FROM late_accrual_fact',
    },
    {
      invariant: 'roll_forward_foots',
      when: 'a movement was counted twice',
      table: 'balance',
      sql: `UPDATE balance SET advances = advances * 2 WHERE ${newestBalance}`,
    },
    {
      invariant: 'principal_due_is_owed',
      when: 'more principal is due than is owed',
      table: 'balance',
      sql: `UPDATE balance SET principal_due = principal_cash + principal_pik + 1
            WHERE ${newestBalance}`,
    },
    {
      invariant: 'levels_add_up',
      when: 'a contract was moved to a facility of another deal',
      table: 'loan_contract',
      sql: `UPDATE loan_contract SET contract_number = 'moved', facility_key = (
              SELECT max(f.key) FROM facility f WHERE f.deal_key <> loan_contract.deal_key)
            WHERE key = 1`,
    },
    {
      invariant: 'unfunded_is_undrawn',
      when: 'a drawing used up twice its amount of the commitment',
      table: 'posting',
      sql: `UPDATE posting SET amount_minor = amount_minor * 2
            WHERE account IN ('UNFUNDED', 'MEMO') AND journal_seq = ${journalOf('advance')}`,
    },
    {
      invariant: 'guards_in_place',
      when: 'a guard was switched off',
      table: 'rate_period',
      sql: 'ALTER TABLE journal DISABLE TRIGGER append_only',
    },
  ]) {
    it(`names ${invariant} when ${when} behind the database’s back`, async () => {
      const [report, ofDeals] = await reconcileAfter(
        database,
        async (transaction) => {
          await transaction.execute(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
          await transaction.execute(sql);
          await transaction.execute(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
        },
        [past],
        [undefined, EVERY_DEAL],
      );
      if (report === undefined || ofDeals === undefined) throw new Error('not reconciled');
      expect(brokenOf(report)).to.include(invariant);
      const found = ofDeals.notChecked.includes(invariant) ? [] : [invariant];
      expect(brokenOf(ofDeals)).to.include.members(found);
      const broken = report.checks.find((check) => check.invariant === invariant);
      expect(broken?.breaks.length).to.be.greaterThan(0);
      expect(broken?.breaks[0]).to.include.keys('found', 'expected');
    });
  }
});

describeOnEngines('reconciling a part of the book', (engine) => {
  let database: Database;
  let deals: readonly string[];
  before(async () => {
    ({ database } = await openBook(engine, { contracts: SMALL, years: 1, uneven: true }));
    deals = (await database.query<{ id: string }>('SELECT id FROM deal ORDER BY key')).map(
      ({ id }) => id,
    );
  });
  after(() => database?.close());
  const reconcile = (part: BookPart) => sqlReconciler(database).reconcile(3, [], { part });
  const checkedOf = ({ checks }: Reconciliation, name: string) =>
    checks.find(({ invariant }) => invariant === name)?.checked;

  it('looks at what the deals have alone, and says what it did not check', async () => {
    const [first = '', ...others] = deals;
    const [one, rest] = [await reconcile({ deals: [first] }), await reconcile({ deals: others })];
    expect([brokenOf(one), brokenOf(rest)]).to.deep.equal([[], []]);
    expect([one.deals, rest.deals]).to.deep.equal([[first], others]);
    expect(one.checks.every(({ scope }) => scope === 'deals')).to.equal(true);
    expect(one.notChecked).to.include.members(['chain_unbroken', 'totals_add_up']);
    for (const [name, table] of [
      ['journals_balance', 'journal'],
      ['postings_fit_journal', 'posting'],
      ['roll_forward_foots', 'balance'],
    ] as const) {
      const [all] = await database.query<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`);
      expect(checkedOf(one, name)).to.be.greaterThan(0);
      expect(BigInt((checkedOf(one, name) ?? 0) + (checkedOf(rest, name) ?? 0))).to.equal(all?.n);
    }
  });

  it('finds a break in its deals, and in no others', async () => {
    const [first = '', second = ''] = deals;
    const [whole, ofFirst, ofSecond] = await reconcileAfter(
      database,
      async (transaction) => {
        await transaction.execute('ALTER TABLE posting DISABLE TRIGGER USER');
        await transaction.execute(`UPDATE posting SET amount_minor = amount_minor + 1
          WHERE (journal_seq, number) = (SELECT journal_seq, number FROM posting p
            JOIN balance_line l ON l.key = p.line_key JOIN deal d ON d.key = l.deal_key
            WHERE d.id = '${second}' LIMIT 1)`);
        await transaction.execute('ALTER TABLE posting ENABLE TRIGGER USER');
      },
      [],
      [undefined, { deals: [first] }, { deals: [first, second] }],
    );
    expect(brokenOf(whole as Reconciliation)).to.include('journals_balance');
    expect(brokenOf(ofFirst as Reconciliation)).to.deep.equal([]);
    expect(brokenOf(ofSecond as Reconciliation)).to.include('journals_balance');
  });

  it('is of the deals with journals posted since', async () => {
    const [last] = await database.query<{ at: string; deal: string }>(
      `SELECT ${instant('j.posted_at')} AS at, d.id AS deal
       FROM journal j JOIN deal d ON d.key = j.deal_key ORDER BY j.seq DESC LIMIT 1`,
    );
    expect((await reconcile({ since: last?.at ?? '' })).deals).to.deep.equal([last?.deal]);
    const none = await reconcile({ since: '2999-01-01T00:00:00Z' });
    expect([none.deals, none.points, brokenOf(none)]).to.deep.equal([[], [], []]);
  });

  it('refuses deals that the book has not', async () => {
    const refused = await reconcile({ deals: [...deals, 'deal_other'] }).catch((error) => error);
    expect(refused).to.be.instanceOf(UnknownDeals);
    expect(`${refused}`).to.include('deal_other').and.not.include(deals[0]);
  });
});

describe('reconciling a book whose embedded database a service holds', () => {
  it('is not ended by the limit on the statements of the service’s callers', async () => {
    const location = await pglite.createLocation(MIGRATIONS);
    if (location.kind !== 'embedded') throw new Error('not an embedded location');
    const { directory } = location;
    const service = await openEmbeddedDatabase(directory, { statementTimeoutMs: 1 });
    const operator = await openEmbeddedDatabaseAsOperator(directory);
    try {
      await loadRecords(operator, generated({ contracts: 5, years: 1 }).records);
      const slow = 'SELECT count(*) FROM generate_series(1, 10000000)';
      const refused = await service
        .transaction((inside) => inside.query(slow), { readOnly: true })
        .catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(DatabaseUnavailable);
      expect(brokenOf(await sqlReconciler(operator).reconcile(1))).to.deep.equal([]);
    } finally {
      await operator.close();
      await service.close();
    }
  });
});

interface Point {
  readonly asOf: string;
  readonly ledgerSeq: bigint;
}

async function openBook(engine: Engine, plan: Partial<BookPlan>) {
  const database = await engine.open(MIGRATIONS);
  await loadRecords(database, generated(plan).records);
  const [past] = await database.query<Point>(
    'SELECT max(effective_date) AS "asOf", max(seq) AS "ledgerSeq" FROM journal',
  );
  if (past === undefined) throw new Error('nothing was loaded');
  await postBackdated(database);
  // A server does it by itself after a while: without it, statements over the whole book take twice as long.
  await database.execute('ANALYZE');
  return { database, past };
}

/** A cent more on the first drawing's first day, known later than all that follows. */
async function postBackdated(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    const seq = await lockJournal(transaction);
    const first = `SELECT j.deal_key, j.effective_date, p.line_key, l.lender_key
      FROM posting p JOIN journal j ON j.seq = p.journal_seq
      JOIN balance_line l ON l.key = p.line_key
      WHERE p.account = 'PRINCIPAL_CASH' AND j.seq = (
        SELECT min(seq) FROM journal WHERE type = 'advance')
      ORDER BY l.lender_key LIMIT 2`;
    const lines = await transaction.query<{
      deal_key: bigint;
      effective_date: string;
      line_key: bigint;
    }>(first);
    const [{ deal_key: deal, effective_date: day }] = lines as [(typeof lines)[0] & object];
    const postings = lines.flatMap(({ line_key: line }) => [
      { line, account: 'PRINCIPAL_CASH', movement: 'adjustment', amountMinor: 1n } as const,
      { line, account: 'ADJUSTMENT_CLEARING', amountMinor: -1n } as const,
    ]);
    const journal = {
      type: 'adjustment',
      effectiveDate: date(day),
      idempotencyKey: 'late',
    } as const;
    await postJournals(transaction, [{ ...journal, deal, postings }], seq);
  });
}
