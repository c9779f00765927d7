import { Random } from '@cls/book-generator/random';
import { newId } from '@cls/shared/new-id';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { sqlFxRates } from '../src/fx/sql-fx-rates.ts';
import { sqlBook } from '../src/import/sql/sql-book.ts';
import { exportJournals } from '../src/journal-file/export-journals.ts';
import { importJournals } from '../src/journal-file/import-journals.ts';
import type { JournalRecord } from '../src/journal-file/record.ts';
import { readByIds } from '../src/journal-file/sql/read-book.ts';
import { sqlJournals } from '../src/journal-file/sql/sql-journals.ts';
import { dayBefore, daysAfter } from '../src/ledger/business-date.ts';
import { instant } from '../src/questions/ask/sql/statement.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date, importWorldBank, statement } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
import { expectReconciled } from './support/reconciled.ts';
import { aJournal, aLoan, aParty, entry } from './support/records.ts';

type Loan = ReturnType<typeof aLoan>;

const SEEDS = [3, 11];
const STEPS = 20;
const COMMITTED = date('2023-01-01');
const FIRST_DAY = date('2023-01-31');

/** A book that lives: everything that an operator may do to it, at random. */
class LivingBook {
  readonly #database: Database;
  readonly #random: Random;
  readonly #borrower = aParty('Borrower');
  readonly #lenders = [aParty('Anna'), aParty('Bert')] as const;
  readonly #loans: Loan[] = [];
  readonly #statementLoans: Record<string, bigint>[] = [];
  /** Cumulative amounts per loan, before each statement that stands. */
  readonly #before: { id: string; loans: readonly Record<string, bigint>[] }[] = [];
  #day = FIRST_DAY;

  constructor(database: Database, seed: number) {
    this.#database = database;
    this.#random = new Random(seed);
  }

  /** @returns what was done, for the reader of a failure. */
  async step(number: number): Promise<string> {
    if (number % 2 === 0) this.#day = daysAfter(this.#day, this.#random.between(1, 40));
    const deeds = [
      this.#import,
      this.#import,
      this.#revert,
      this.#lend,
      this.#lend,
      this.#terms,
      this.#terms,
      this.#rate,
      this.#bill,
      this.#correct,
      this.#quote,
      this.#introduce,
    ] as const;
    const first = [this.#introduce, this.#import, this.#lend, this.#rate, this.#quote] as const;
    const deed = first[number] ?? this.#random.pick(deeds);
    await deed.call(this);
    return deed.name;
  }

  #post(...records: Parameters<typeof loadRecords>[1] extends Iterable<infer R> ? R[] : never) {
    return loadRecords(this.#database, records);
  }

  /** A party that no deal names yet. */
  async #introduce(): Promise<void> {
    const fresh = this.#loans.length === 0;
    await this.#post(...(fresh ? [this.#lenders[1], this.#borrower] : [aParty(newId('name'))]));
  }

  async #import(): Promise<void> {
    const before = this.#statementLoans.map((loan) => ({ ...loan }));
    if (this.#statementLoans.length < 6) {
      this.#statementLoans.push({ original: 100_000n, drawn: 0n, repaid: 0n, rate: 1n });
    }
    for (const loan of this.#statementLoans) {
      loan['drawn'] = (loan['drawn'] ?? 0n) + BigInt(this.#random.between(0, 9_000));
      loan['repaid'] = ((loan['drawn'] ?? 0n) * BigInt(this.#random.between(0, 9))) / 10n;
      loan['rate'] = BigInt(this.#random.between(1, 4));
    }
    const [year, month, day] = this.#day.split('-');
    const rows = this.#statementLoans.map((loan, index) => row(index, loan));
    const text = statement(`${month}/${day}/${year}`, rows);
    const { outcome, importId } = await importWorldBank(this.#database, text);
    expect(outcome).to.equal('applied');
    this.#before.push({ id: importId ?? '', loans: before });
    this.#day = daysAfter(this.#day, 1);
  }

  async #revert(): Promise<void> {
    const last = this.#before.pop();
    if (last === undefined) return;
    const { outcome } = await sqlBook(this.#database).revert(last.id, true);
    expect(outcome).to.equal('reverted');
    this.#statementLoans.splice(0, Infinity, ...last.loans);
  }

  async #lend(): Promise<void> {
    // One transaction, as a slice is: what becomes known together has one sequence.
    const records: object[] = [];
    if (this.#loans.length < 3) {
      const loan = aLoan(this.#borrower, this.#lenders, { type: 'revolver' });
      const committed = entry(loan, ['ORIGINAL_COMMITMENT', 'MEMO'], shared('4000000.00'));
      const open = entry(loan, ['UNFUNDED', 'MEMO'], shared('4000000.00'));
      const booked = aJournal(
        loan.deal,
        'original_commitment',
        COMMITTED,
        [...committed, ...open].map((posting) => this.#named({ ...posting, contract: undefined })),
      );
      const first = this.#loans.length === 0 ? [this.#lenders[0]] : [];
      records.push(...first, ...loan.all, booked);
      this.#loans.push(loan);
    }
    const loan = this.#loan();
    const amount = `${this.#random.between(1, 90_000)}.0${this.#random.between(0, 9)}`;
    // Some become known late.
    const day = this.#random.chance(0.3) ? dayBefore(this.#day) : this.#day;
    const drawn = entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], shared(amount), {
      movement: 'advance',
    });
    const used = entry(loan, ['UNFUNDED', 'MEMO'], shared(`-${amount}`)).map((posting) => ({
      ...posting,
      contract: undefined,
    }));
    records.push(aJournal(loan.deal, 'advance', day, [...drawn, ...used].map(this.#named)));
    await this.#post(...(records as JournalRecord[]));
  }

  readonly #named = <P extends { lender?: string | undefined }>(posting: P): P => {
    const index = LENDER_NAMES.indexOf(posting.lender ?? '');
    const { lender: _, ...rest } = posting;
    const named = index < 0 ? rest : { ...rest, lender: this.#lenders[index]?.id };
    return JSON.parse(JSON.stringify(named)) as P;
  };

  #loan(): Loan {
    const [first, ...rest] = this.#loans;
    if (first === undefined) throw new Error('nothing is lent yet');
    return this.#random.pick([first, ...rest]);
  }

  /** Of a contract, a facility or a deal alone, of a statement's or a syndicated one. */
  async #terms(): Promise<void> {
    const subject = this.#random.pick(['contract', 'facility', 'deal']);
    const table = subject === 'contract' ? 'loan_contract' : subject;
    const rows = await this.#database.query<{ id: string; deal: string }>(
      `SELECT t.id, d.id AS deal FROM ${table} t
       JOIN deal d ON d.key = ${subject === 'deal' ? 't.key' : 't.deal_key'} ORDER BY t.key`,
    );
    const one = rows[this.#random.between(0, rows.length - 1)];
    if (one === undefined) return;
    const maturityDate = daysAfter(this.#day, this.#random.between(100, 999));
    const change = { [subject]: one.id, status: 'active' };
    const terms = [subject === 'deal' ? change : { ...change, maturityDate }];
    const deal = { id: one.deal } as Loan['deal'];
    await this.#post(
      aJournal(deal, 'terms', this.#day, [], { terms } as unknown as Partial<JournalRecord>),
    );
  }

  async #rate(): Promise<void> {
    const loan = this.#loan();
    const subject = { facility: loan.facility.id, contract: loan.contract.id };
    const allInRate = `0.0${this.#random.between(1, 9)}0000000000`;
    const rates = [{ ...subject, component: 'interest' as const, startDate: this.#day, allInRate }];
    await this.#post(aJournal(loan.deal, 'rate_set', this.#day, [], { rates }));
  }

  async #bill(): Promise<void> {
    const dueDate = daysAfter(this.#day, 5);
    await billAccruals(sqlBilling(this.#database), { through: this.#day, dueDate, apply: true });
  }

  /** Takes a drawing back, as if it had never been. */
  async #correct(): Promise<void> {
    const [mistaken] = await this.#database.query<{ id: string }>(
      `SELECT j.id FROM journal j WHERE j.type = 'advance' AND j.import_key IS NULL
         AND j.reverses_seq IS NULL
         AND NOT EXISTS (SELECT FROM journal r WHERE r.reverses_seq = j.seq)
       ORDER BY j.seq DESC LIMIT 1`,
    );
    if (mistaken === undefined) return;
    const journals = await readByIds(this.#database, [mistaken.id]);
    const journal = journals.get(mistaken.id) as JournalRecord;
    const postings = journal.postings.map((posting) => ({
      ...posting,
      amount: posting.amount.startsWith('-') ? posting.amount.slice(1) : `-${posting.amount}`,
    }));
    const id = newId('jrn');
    await this.#post({ ...journal, id, idempotencyKey: id, postings, reverses: journal.id });
  }

  async #quote(): Promise<void> {
    const rate = this.#random.pick(['1.1', '1.2']);
    await sqlFxRates(this.#database).add({
      date: FIRST_DAY,
      from: 'USD',
      to: 'EUR',
      rate,
      source: 'test',
    });
  }
}

const LENDER_NAMES = ['first', 'second'];

/** Globally, and a third and the rest for two lenders. */
function shared(amount: string) {
  const minor = BigInt(amount.replace('.', ''));
  const text = (value: bigint) => {
    const digits = `${value < 0n ? -value : value}`.padStart(3, '0');
    return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  };
  const party = (name: string) => ({ ...aParty(name), id: name });
  return [
    [undefined, amount],
    [party('first'), text(minor / 3n)],
    [party('second'), text(minor - minor / 3n)],
  ] as const;
}

function row(index: number, loan: Record<string, bigint>): Record<string, string> {
  const { original = 0n, drawn = 0n, repaid = 0n, rate = 0n } = loan;
  return {
    'Loan Number': `L${index}`,
    Borrower: `Borrower ${index % 3}`,
    'Interest Rate': `${rate}.5`,
    'Original Principal Amount': `${original}`,
    'Disbursed Amount': `${drawn}`,
    'Undisbursed Amount': `${original - drawn}`,
    'Repaid to IBRD': `${repaid}`,
    'Due to IBRD': `${drawn - repaid}`,
    "Borrower's Obligation": `${drawn - repaid}`,
    'Loans Held': `${original - repaid}`,
  };
}

describeOnDatabase('a copy that is fed with slices of a book', (engine) => {
  for (const seed of SEEDS) {
    it(`answers as the book does, and exports the same bytes (history ${seed})`, async () => {
      const [book, copy] = [await startTestApi(engine), await startTestApi(engine)];
      try {
        const living = new LivingBook(book.database, seed);
        const done: string[] = [];
        const ends: bigint[] = [];
        for (let step = 0; step < STEPS; step += 1) {
          done.push(await living.step(step));
          const history = `after ${done.join(', ')}`;
          await bringUpToDate(copy.database, book.database, (ends.at(-1) ?? 0n) + 1n, history);
          ends.push(await lastSeq(book.database));
        }
        const history = `after ${done.join(', ')}`;
        for (const seq of [...new Set(ends)].filter((_, index) => index % 6 === 5)) {
          await sameAnswers(book, copy, seq, history);
        }
        expect(await exported(copy.database), history).to.equal(await exported(book.database));
        // Exchange rates have known times of their own: they are compared as they stand now.
        const now = 'balances?level=deal&reportingCurrency=EUR&limit=100';
        const [wanted, found] = [await answerOf(book, now), await answerOf(copy, now)];
        expect(found, history).to.equal(wanted);
        for (const { database } of [book, copy]) await expectReconciled(database);
      } finally {
        await Promise.all([book.stop(), copy.stop()]);
      }
    });
  }

  it('takes the terms of a contract alone, as a statement with new rates posts them', async () => {
    const [book, copy] = [await engine.open(MIGRATIONS), await engine.open(MIGRATIONS)];
    try {
      const loan = { original: 1_000n, drawn: 10n, repaid: 0n };
      const at = (day: string, rate: bigint) => statement(day, [row(0, { ...loan, rate })]);
      await importWorldBank(book, at('01/31/2023', 1n));
      await bringUpToDate(copy, book, 1n, 'first');
      const seq = await lastSeq(book);
      await importWorldBank(book, at('02/28/2023', 2n));
      await bringUpToDate(copy, book, seq + 1n, 'second');
      expect(await exported(copy)).to.equal(await exported(book));
    } finally {
      await Promise.all([book.close(), copy.close()]);
    }
  });
});

async function exported(database: Database, fromSeq = 1n): Promise<string> {
  let text = '';
  const receive = async (part: string) => {
    text += part;
  };
  await exportJournals(sqlJournals(database), receive, fromSeq);
  return text;
}

async function bringUpToDate(copy: Database, book: Database, fromSeq: bigint, history: string) {
  const lines = (await exported(book, fromSeq)).trimEnd().split('\n');
  const report = await importJournals(sqlJournals(copy), {
    apply: true,
    lines: async function* () {
      yield* lines;
    },
  });
  expect(report.faults, history).to.deep.equal([]);
}

async function lastSeq(database: Database): Promise<bigint> {
  const [last] = await database.query<{ seq: bigint }>(
    'SELECT coalesce(max(seq), 0) AS seq FROM journal',
  );
  return last?.seq ?? 0n;
}

const QUESTIONS = [
  'balances?level=deal&expand=lenders',
  'balances?level=facility&includeZero=true',
  'balances?level=contract&expand=accrual',
  'balances?level=position',
  'balances/principal?expand=movements',
  'balances/principal/movements?',
];

async function sameAnswers(book: TestApi, copy: TestApi, seq: bigint, history: string) {
  const [range] = await book.database.query<{ first: string; last: string }>(
    `SELECT min(effective_date)::text AS first, max(effective_date)::text AS last
     FROM journal WHERE seq <= $1`,
    [seq],
  );
  for (const asOf of new Set([range?.first, range?.last])) {
    for (const question of QUESTIONS) {
      const path = `${question}&asOf=${asOf}&limit=100`;
      const [wanted, found] = [await answerOf(book, path, seq), await answerOf(copy, path, seq)];
      expect(found, `${question} ${asOf} ${seq}, ${history}`).to.equal(wanted);
    }
  }
}

/** With the sequences in place of the known times, which are the ledger's own. */
async function answerOf(api: TestApi, path: string, seq?: bigint): Promise<string> {
  const times = await postingTimes(api.database);
  const known = seq === undefined ? '' : `&knownAt=${encodeURIComponent(times.get(seq) ?? '')}`;
  const text = await (await api.get(`/api/v1/cls/${path}${known}`)).text();
  expect(text).to.include('"object":"list"');
  return [...times].reduce(
    (whole, [of, at]) =>
      whole.replaceAll(at, `#${of}`).replaceAll(encodeURIComponent(at), `#${of}`),
    text.replace(/"(generatedAt|requestId)":"[^"]*",?/g, ''),
  );
}

/** One for each time: journals that became known together share theirs. */
async function postingTimes(database: Database): Promise<ReadonlyMap<bigint, string>> {
  const rows = await database.query<{ seq: bigint; at: string }>(
    `SELECT max(seq) AS seq, ${instant('posted_at')} AS at FROM journal GROUP BY posted_at`,
  );
  return new Map(rows.map(({ seq, at }) => [seq, at]));
}
