import { Random } from '@cls/book-generator/random';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import type { ImportReport } from '../src/import/import-report.ts';
import { importStatement } from '../src/import/import-statement.ts';
import { sqlBook } from '../src/import/sql/sql-book.ts';
import { outstandingPrincipal, type StatedBalance } from '../src/ledger/balance.ts';
import { daysAfter } from '../src/ledger/business-date.ts';
import { minorUnitDigits } from '../src/ledger/currency.ts';
import { isRevolving } from '../src/ledger/facility-type.ts';
import type { JournalType, LedgerAccount } from '../src/ledger/journal.ts';
import { formatAmount } from '../src/ledger/money.ts';
import { writeBook } from '../src/posting/write-book.ts';
import { NO_FILTER } from '../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { date, textSource } from './support/book.ts';
import { expectReconciled } from './support/reconciled.ts';
import { aJournal, entry } from './support/records.ts';
import { StatedBook, wholesOf } from './support/stated-book.ts';
import { type Parts, Syndicate, sumOf } from './support/syndicate.ts';
import { type Shape, someShape, type Written, write } from './support/syndicate-statements.ts';

const SEEDS = [1, 2, 3, 4];
const MONTHS = ['2023-01-31', '2023-02-28', '2023-03-31', '2023-04-30', '2023-05-31', '2023-06-30'];

describeOnDatabase('a syndicate stated month by month in one shape or another', (engine) => {
  for (const seed of SEEDS) {
    it(`is in the book to the cent at every month end, whatever came later (seed ${seed})`, async function () {
      this.timeout(0);
      const database = await engine.open(MIGRATIONS);
      try {
        await new History(database, new Random(seed)).run();
      } finally {
        await database.close();
      }
    });
  }
});

interface Posted {
  readonly type: JournalType;
  readonly accounts: readonly [LedgerAccount, LedgerAccount];
  readonly sign: 1n | -1n;
  /** It changes what is outstanding. */
  readonly moves: boolean;
}

/** What is posted between statements: by the smallest amount of the currency, or a bill of all that is owed. */
const EVENTS: readonly [Posted, ...Posted[]] = [
  {
    type: 'pik_capitalization',
    accounts: ['PRINCIPAL_PIK', 'PIK_ACCRUED'],
    sign: 1n,
    moves: true,
  },
  {
    type: 'voluntary_prepayment',
    accounts: ['PRINCIPAL_CASH', 'CASH_CLEARING'],
    sign: -1n,
    moves: true,
  },
  { type: 'principal_billing', accounts: ['PRINCIPAL_DUE', 'MEMO'], sign: 1n, moves: false },
];

/** A book, its model, and what happens to both. */
class History {
  readonly #database: Database;
  readonly #random: Random;
  readonly #syndicate: Syndicate;
  readonly #plain: boolean;
  readonly #model = new StatedBook();
  #shape: Shape;
  #last: Written | undefined;
  /** Deals that a journal file changed since the last statement. */
  readonly #posted = new Set<string>();
  /** What was billed once. */
  readonly #billed = new Set<string>();

  constructor(database: Database, random: Random) {
    this.#database = database;
    this.#random = random;
    this.#plain = random.chance(0.25);
    this.#syndicate = new Syndicate(random);
    this.#shape = someShape(random, this.#plain);
  }

  async run(): Promise<void> {
    for (const month of MONTHS) await this.#month(month);
    for (const month of MONTHS) await this.#compare(month, 'in the end');
    await expectReconciled(this.#database);
  }

  async #month(month: string): Promise<void> {
    const random = this.#random;
    this.#syndicate.pass();
    if (random.chance(0.6)) this.#shape = someShape(random, this.#plain);
    const written = write(this.#syndicate.deals, month, this.#shape, random);
    if (written.told.length === 0) return;
    const note = `${month} ${JSON.stringify(this.#shape)}\n${written.text}\n${written.shares}`;
    const report = await this.#import(written, month, note);
    await this.#expectUntouched(report, written, note);
    await this.#compare(month, note);
    expect((await this.#give(written)).outcome, note).to.equal('applied_before');
    if (this.#last !== undefined) {
      expect((await this.#give(this.#last)).outcome, note).to.not.equal('applied');
    }
    this.#last = written;
    this.#posted.clear();
    const then = random.pick(['nothing', 'the same', 'corrected', 'posted', 'posted']);
    if (then === 'the same') await this.#sayAgain(written, month, note);
    if (then === 'corrected') await this.#correct(report, month, note);
    if (then === 'posted') await this.#post(month);
    await this.#compare(month, `${note} then ${then}`);
  }

  #give({ text, shares, profile }: Written): Promise<ImportReport> {
    return importStatement(sqlBook(this.#database), {
      source: textSource(text),
      shares: shares === undefined ? undefined : textSource(shares),
      profile,
      apply: true,
      expected: { sums: {} },
      withoutTotals: 'a random history',
      accept: { drawing_moved: 'facilities number their drawings alike' },
      today: date('2026-01-01'),
    });
  }

  async #import(written: Written, day: string, note: string): Promise<ImportReport> {
    const report = await this.#give(written);
    const told = `${note} ${JSON.stringify([report.faults.slice(0, 3), report.sanity])}`;
    expect(report.outcome, told).to.equal('applied');
    const gone = this.#model.vanished(day, written.told);
    const vanished = report.changes.find(({ kind }) => kind === 'vanished')?.changes ?? [];
    const shown = vanished.filter(({ before }) => before !== '' && !/^0(\.0+)?$/.test(before));
    for (const place of gone) {
      const found = shown.some(({ loan }) => loan === place);
      expect(found, `${place} is told as vanished: ${JSON.stringify(vanished)} ${note}`).to.equal(
        true,
      );
    }
    this.#model.state(day, report.importId ?? '', written.told);
    return report;
  }

  /** Deals of which the statement says what the last one said. */
  async #expectUntouched({ importId }: ImportReport, written: Written, note: string) {
    const { rowsOf, profile } = this.#last ?? written;
    if (JSON.stringify(profile) !== JSON.stringify(written.profile) || profile.shares) return;
    const undated = (rows = '') => rows.replaceAll(/^\d{4}-\d\d-\d\d/gm, '');
    const moved = await this.#database.query<{ number: string }>(
      `SELECT DISTINCT d.deal_number AS number FROM journal j JOIN deal d ON d.key = j.deal_key
       WHERE j.import_key = (SELECT key FROM import_batch WHERE id = $1)`,
      [importId ?? ''],
    );
    for (const { number } of moved) {
      if (this.#last === undefined || this.#posted.has(number)) continue;
      const same = undated(rowsOf.get(number)) === undated(written.rowsOf.get(number));
      expect(same, `${number} has not changed ${note}`).to.equal(false);
    }
  }

  /** The same month under the next day is another file, and says nothing new. */
  async #sayAgain(written: Written, month: string, note: string): Promise<void> {
    const day = later(month, 1);
    const text = written.text.replaceAll(month, day);
    const same = await this.#import({ ...written, text }, day, note);
    expect([same.journals, same.postings], note).to.deep.equal([0, 0]);
    this.#last = { ...written, text };
  }

  /** Taken back, and imported with other figures in another shape. */
  async #correct({ importId = '' }: ImportReport, month: string, note: string): Promise<void> {
    await sqlBook(this.#database).revert(importId, true);
    this.#model.revert(importId);
    await this.#compare(month, `${note} taken back`);
    this.#syndicate.pass();
    this.#shape = someShape(this.#random, this.#plain);
    const written = write(this.#syndicate.deals, month, this.#shape, this.#random);
    this.#last = undefined;
    if (written.told.length === 0) return;
    await this.#import(written, month, `${note} corrected\n${written.text}\n${written.shares}`);
    this.#last = written;
  }

  /** By a journal file: for one lender, on a day of its own, which may be before the statement. */
  async #post(month: string): Promise<void> {
    const [database, model, random] = [this.#database, this.#model, this.#random];
    const expected = [...model.at(month).due].filter(([, due]) => due > 1n);
    const [[key, due] = ['', 0n]] = random.some(expected, 1);
    if (due === 0n) return;
    const [deal = '', facility = '', contract = '', lender = ''] = key.split('|');
    const [ids] = await database.query<Record<string, string>>(
      `SELECT d.id AS deal, f.id AS facility, f.currency, f.type, c.id AS contract, y.id AS lender
     FROM deal d JOIN facility f ON f.deal_key = d.key AND f.name = $2
     JOIN loan_contract c ON c.facility_key = f.key AND c.contract_number = $3
     JOIN party y ON y.name = $4 WHERE d.deal_number = $1`,
      [deal, facility, contract, lender],
    );
    this.#posted.add(deal);
    if (ids === undefined) throw new Error(`nothing is called ${key}`);
    const { type, accounts, sign, moves } = random.pick(EVENTS);
    if (!moves && this.#billed.has(key)) return;
    if (!moves) this.#billed.add(key);
    const day = later(month, random.chance(0.3) ? -5 : 10);
    const digits = minorUnitDigits(ids['currency'] ?? '') ?? 2;
    const told = formatAmount(moves ? sign : due, digits);
    const line = {
      facility: { id: ids['facility'], currency: ids['currency'] },
      contract: { id: ids['contract'] },
    };
    const legs = [
      [undefined, told],
      [{ id: ids['lender'] }, told],
    ];
    const movement = moves ? { movement: type } : {};
    const givesBack = sign < 0n && isRevolving(ids['type'] ?? '');
    const postings = [
      ...entry(line as never, accounts as never, legs as never, movement as never),
      ...(givesBack
        ? entry({ facility: line.facility } as never, ['MEMO', 'UNFUNDED'], legs as never)
        : []),
    ];
    const journal = aJournal({ id: ids['deal'] } as never, type, day, postings);
    await database.transaction((transaction) => writeBook(transaction, [journal]));
    model.post(
      day,
      new Map([[key, moves ? sign : 0n]]),
      new Map(givesBack ? [[`${deal}|${facility}|${lender}`, 1n]] : []),
    );
  }

  /** Everything that the statements so far say of a day is what the book answers. */
  async #compare(day: string, note: string): Promise<void> {
    const [database, model] = [this.#database, this.#model];
    const expected = model.at(day);
    const [contracts, facilities] = [
      await items(database, 'contract', day),
      await items(database, 'facility', day),
    ];
    const due = new Map<string, bigint>();
    const wholes = new Map<string, bigint>();
    for (const { deal, facility, contract, global, lenders } of contracts) {
      const place = `${deal.dealNumber}|${facility?.name}|${contract?.contractNumber}`;
      const whole = outstandingPrincipal(global);
      if (whole !== 0n) wholes.set(place, whole);
      for (const { lender, balance } of lenders) {
        const part = outstandingPrincipal(balance);
        if (part !== 0n) due.set(`${place}|${lender.name}`, part);
      }
    }
    expect(sorted(due), `${day} ${note}`).to.deep.equal(sorted(expected.due));
    const nonZero = new Map([...wholesOf(expected.due)].filter(([, amount]) => amount !== 0n));
    expect(sorted(wholes), `${day} ${note}`).to.deep.equal(sorted(nonZero));
    for (const { deal, facility, global, lenders } of facilities) {
      const place = `${deal.dealNumber}|${facility?.name}`;
      const of = (amountOf: (balance: StatedBalance) => bigint) =>
        sorted(new Map(lenders.map(({ lender, balance }) => [lender.name, amountOf(balance)])));
      const limit = expected.limits.get(place);
      if (limit) {
        const told = `${day} ${place} limit ${note}`;
        expect(committed(global), told).to.equal(sumOf(limit.values()));
        expect(of(committed), told).to.deep.equal(sorted(limit));
      }
      const undrawn = expected.undrawn.get(place);
      if (undrawn) {
        const told = `${day} ${place} undrawn ${note}`;
        expect(global.unfunded, told).to.equal(undrawn.whole);
        if (undrawn.parts)
          expect(
            of(({ unfunded }) => unfunded),
            told,
          ).to.deep.equal(sorted(undrawn.parts));
      }
    }
  }
}

function later(day: string, days: number): string {
  return daysAfter(date(day), days);
}

function committed(balance: StatedBalance): bigint {
  return balance.original_commitment - balance.cancelled_commitment;
}

async function items(database: Database, level: 'contract' | 'facility', asOf: string) {
  const { items: all } = await sqlBalanceStore(database).page(
    { fullControl: true },
    {
      level,
      filter: { ...NO_FILTER, includeZero: true },
      snapshot: { asOf: date(asOf), ledgerSeq: 9_000_000_000_000n },
      sort: undefined,
      after: undefined,
      limit: 1_000,
    },
  );
  return all;
}

function sorted(parts: Parts): readonly string[] {
  return [...parts].flatMap(([key, amount]) => (amount === 0n ? [] : `${key} ${amount}`)).sort();
}
