import { Random } from '@cls/book-generator/random';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { outstandingPrincipal } from '../src/ledger/balance.ts';
import { LEVELS, type Level, NO_FILTER } from '../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { date } from './support/book.ts';
import { act, History, type Imported, type Item, type Told } from './support/history.ts';
import { expectReconciled } from './support/reconciled.ts';
import { expectTotalsOfItems, STATUSES, someFilter } from './support/totals-of-items.ts';

const SEEDS = [1, 2];
const STEPS = 14;
const LOANS = ['A1', 'B2', 'C3', 'D4', 'E5', 'F6'];
const DATES = ['2020-06-30', '2021-03-31', '2021-09-30', '2022-05-31', '2023-05-31', '2024-06-30'];
const VALUES = {
  currencies: ['USD', 'EUR'],
  countries: ['IN', 'BR'],
  facilityTypes: ['term_loan', 'revolver'],
  statuses: STATUSES,
};
const FULL = { fullControl: true } as const;
const TODAY = date('2026-01-01');
const plain: Told = {
  disbursed: 10_000,
  status: 'Repaying',
  name: 'Project',
  borrower: 'Borrower',
  country: 'IN',
};

describeOnDatabase('a book whose statements are imported, corrected and taken back', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await engine.open(MIGRATIONS);
  });
  afterEach(() => database?.close());

  const itemsAt = async (
    level: Level,
    asOf: string,
    ledgerSeq: bigint,
  ): Promise<readonly Item[]> => {
    const { items } = await sqlBalanceStore(database).page(
      { fullControl: true },
      {
        level,
        filter: { ...NO_FILTER, includeZero: true },
        snapshot: { asOf: date(asOf), ledgerSeq },
        sort: { by: 'dealNumber', descending: false },
        after: undefined,
        limit: 100,
      },
    );
    return items
      .filter(({ position }) => position === null || position.kind === 'assignment')
      .map(({ deal, borrower, global }) => ({
        loan: deal.dealNumber,
        outstanding: Number(outstandingPrincipal(global)) / 100,
        told: {
          disbursed: 0,
          status: deal.status === 'matured' ? 'Fully Repaid' : 'Repaying',
          name: deal.name,
          borrower: borrower.name,
          country: borrower.country,
          borrowerCountry: '',
        },
      }));
  };
  const bare = (items: readonly Item[]) =>
    items
      .map(({ loan, outstanding, told: { status, name, borrower, country } }) => ({
        loan,
        outstanding,
        status,
        name,
        borrower,
        country,
      }))
      .sort((a, b) => (a.loan < b.loan ? -1 : 1));

  /** Every answer of the book is the model's, at every date and every state of knowledge. */
  const compare = async (history: History, note: string) => {
    const store = sqlBalanceStore(database);
    for (const ledgerSeq of history.seqs) {
      for (const [index, asOf] of DATES.entries()) {
        const level = LEVELS[index % LEVELS.length] ?? 'facility';
        expect(
          bare(await itemsAt(level, asOf, ledgerSeq)),
          `${note} ${asOf} ${ledgerSeq}`,
        ).to.deep.equal(bare(history.at(asOf, ledgerSeq)));
      }
      const facts = await store.knowledge({ asOf: TODAY, ledgerSeq });
      expect(facts.dataThrough, `${note} ${ledgerSeq}`).to.equal(history.dataThrough(ledgerSeq));
    }
    const state = await store.ledgerState(TODAY);
    expect(state.lastDate).to.equal(history.dataThrough(history.lastSeq));
    await expectReconciled(database);
  };
  const expectReport = ({ report, expected }: Imported) => {
    for (const [kind, loans] of Object.entries(expected)) {
      expect(report[kind] ?? [], kind).to.deep.equal(loans);
    }
  };

  it('answers after a reverted import as if it had never been known', async () => {
    const history = new History(database);
    const told = (loans: readonly string[], change: Partial<Told> = {}) =>
      new Map(loans.map((loan) => [loan, { ...plain, ...change }]));
    expectReport(await history.import('2020-06-30', told(['A1', 'B2'])));
    expectReport(
      await history.import('2023-05-31', told(['A1', 'C3', 'D4'], { status: 'Fully Repaid' })),
    );
    const [, later] = history.done;
    if (later === undefined) throw new Error('no later import');
    await history.revert(later);
    expectReport(await history.import('2022-05-31', told(['B2', 'C3'], { disbursed: 20_000 })));
    expect(bare(history.at('2022-05-31', history.lastSeq)).map(({ loan }) => loan)).to.deep.equal([
      'A1',
      'B2',
      'C3',
    ]);
    expectReport(await history.import('2023-05-31', later.stated ?? new Map()));
    await compare(history, 'imported again');
  });

  it('has records without a journal since the file that booked them, and no earlier', async () => {
    const history = new History(database);
    await history.book('R1', '2021-03-31');
    await history.import('2022-05-31', new Map([['A1', plain]]));
    await history.book('R2', '2020-06-30');
    await history.draw('R1', '2020-06-30', 500);
    expect(history.seqs.length).to.equal(4);
    await compare(history, 'records alone');
  });

  it('has an item on the date of a journal that is older than its booking', async () => {
    const history = new History(database);
    await history.import('2022-05-31', new Map([['A1', plain]]));
    await history.draw('A1', '2021-03-31', 500);
    await history.turn(history.done[1] as never);
    await history.turn(history.done[1] as never);
    await compare(history, 'put back');
  });

  for (const seed of SEEDS) {
    it(`is what a naive model works out, after any history (${seed})`, async function () {
      this.timeout(0);
      const random = new Random(seed);
      const history = new History(database);
      const notes: string[] = [];
      const store = sqlBalanceStore(database);
      for (let step = 0; step < STEPS; step += 1) {
        const { note, imported } = await act(history, random, { loans: LOANS, dates: DATES });
        notes.push(note);
        if (imported !== undefined) expectReport(imported);
        for (const day of DATES) {
          const asked = { asOf: date(day), filter: someFilter(random, VALUES) };
          await expectTotalsOfItems(store, database, FULL, asked, notes.join(', '));
        }
      }
      await compare(history, notes.join(', '));
    });
  }
});
