/**
 * A book of statements, corrections and take-backs, and the naive model of it: a list of what was
 * done, from which every answer is worked out anew.
 */
import type { Random } from '@cls/book-generator/random';
import type { Database } from '@cls/shared/sql/database';
import type { ImportReport } from '../../src/import/import-report.ts';
import { sqlBook } from '../../src/import/sql/sql-book.ts';
import type { BookRecord, JournalRecord, PostingRecord } from '../../src/journal-file/record.ts';
import { writeBook } from '../../src/posting/write-book.ts';
import { date, importWorldBank, statement } from './book.ts';
import { aJournal, aLoan, aParty, entry } from './records.ts';

/** What a statement says about a loan; an empty name or borrower keeps what is known. */
export interface Told {
  readonly disbursed: number;
  readonly status: 'Repaying' | 'Fully Repaid';
  readonly name: string;
  readonly borrower: string;
  readonly country: string;
}

/** What the book has after a statement. */
export interface Resolved extends Told {
  /** A statement names a party by name and country. */
  readonly borrowerCountry: string;
}

export interface Done {
  /** The last journal that was known after it. */
  readonly seq: bigint;
  readonly date: string;
  readonly posted: boolean;
  readonly moved: ReadonlyMap<string, number>;
  readonly told: ReadonlyMap<string, Resolved>;
  /** A statement as it was given. */
  readonly stated?: ReadonlyMap<string, Told>;
  readonly importId?: string | undefined;
  readonly text?: string;
  readonly journal?: JournalRecord;
  /** When it was taken back and put back, in turns. */
  readonly turns: { readonly seq: bigint; readonly journal?: JournalRecord }[];
}

export interface Item {
  readonly loan: string;
  readonly outstanding: number;
  readonly told: Resolved;
}

/** A book and its model, changed together. */
export class History {
  readonly done: Done[] = [];
  readonly #database: Database;
  /** What a loan's records were first booked with. */
  readonly #booked = new Map<string, Resolved>();
  /** Loans that no statement has. */
  readonly #filed = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  get lastSeq(): bigint {
    return (
      this.done
        .flatMap(({ seq, turns }) => [seq, ...turns.map((turn) => turn.seq)])
        .sort((a, b) => Number(b - a))[0] ?? 0n
    );
  }

  /** States of knowledge that anyone could have had. */
  get seqs(): readonly bigint[] {
    const all = this.done.flatMap(({ seq, turns }) => [seq, ...turns.map((turn) => turn.seq)]);
    return [...new Set(all)].filter((seq) => seq > 0n);
  }

  get standingImports(): readonly Done[] {
    return this.done.filter((one) => one.importId && stands(one, this.lastSeq));
  }

  /** Loans that have records, whether the book has them now or not. */
  get loans(): readonly string[] {
    return [...this.#booked.keys()];
  }

  /** Every item at a date as it was known at a sequence. */
  at(asOf: string, seq: bigint): readonly Item[] {
    const counted = this.done.filter((one) => one.date <= asOf && stands(one, seq));
    return this.loans.flatMap((loan) => {
      const own = counted.filter(({ moved, told }) => moved.has(loan) || told.has(loan));
      if (own.length === 0) return [];
      const told = own
        .filter((one) => one.told.has(loan))
        .sort((a, b) => (a.date === b.date ? Number(a.seq - b.seq) : a.date < b.date ? -1 : 1))
        .at(-1)
        ?.told.get(loan);
      const outstanding = own.reduce((sum, { moved }) => sum + (moved.get(loan) ?? 0), 0);
      const base = this.#booked.get(loan) as Resolved;
      return [{ loan, outstanding, told: told ?? base }];
    });
  }

  /** The last date that the book has data for. */
  dataThrough(seq: bigint): string | undefined {
    return this.done
      .filter((one) => one.posted && stands(one, seq))
      .map((one) => one.date)
      .sort()
      .at(-1);
  }

  /** Imports a statement, and tells what its report should say beside what it says. */
  async import(asOf: string, stated: ReadonlyMap<string, Told>) {
    const before = new Map(this.at(asOf, this.lastSeq).map((item) => [item.loan, item]));
    const told = new Map(
      [...stated].map(([loan, row]) => [loan, resolve(loan, row, before.get(loan)?.told)]),
    );
    const [year, month, day] = asOf.split('-');
    const rows = [...stated].map(([loan, row]) => rowOf(loan, row));
    const text = statement(`${month}/${day}/${year}`, rows);
    const report = await importWorldBank(this.#database, text);
    if (report.outcome !== 'applied') throw new Error(JSON.stringify(report.faults));
    for (const [loan, row] of told) {
      if (!this.#booked.has(loan)) this.#booked.set(loan, row);
    }
    const moved = [...told].map(([loan, row]): [string, number] => [
      loan,
      row.disbursed - (before.get(loan)?.outstanding ?? 0),
    ]);
    this.done.push({
      seq: await this.#seq(),
      date: asOf,
      posted: report.journals > 0,
      moved: new Map(moved),
      told,
      stated,
      importId: report.importId,
      text,
      turns: [],
    });
    const loans = [...told.keys()];
    const kept = loans.filter((loan) => before.has(loan));
    const differs = (...fields: (keyof Resolved)[]) =>
      kept.filter((loan) =>
        fields.some((field) => before.get(loan)?.told[field] !== told.get(loan)?.[field]),
      );
    return {
      report: changesOf(report),
      expected: {
        new_loan: loans.filter((loan) => !before.has(loan)).sort(),
        vanished: [...before.keys()]
          .filter((loan) => !told.has(loan) && !this.#filed.has(loan))
          .sort(),
        terms_changed: differs('status').sort(),
        details_changed: differs('name', 'borrower', 'borrowerCountry', 'country').sort(),
        amount_fell: kept
          .filter((loan) => (before.get(loan)?.outstanding ?? 0) > (told.get(loan)?.disbursed ?? 0))
          .sort(),
      },
    };
  }

  async revert(done: Done): Promise<void> {
    const result = await sqlBook(this.#database).revert(done.importId ?? '', true);
    if (result.outcome !== 'reverted') throw new Error(result.outcome);
    done.turns.push({ seq: await this.#seq() });
  }

  /** Books a loan by a file of records alone: that is a state of knowledge of its own. */
  async book(loan: string, since: string): Promise<void> {
    const [borrower, lender] = [aParty(`Borrower of ${loan}`), aParty(`Lender of ${loan}`)];
    const { deal, facility, contract, positions } = aLoan(borrower, [lender]);
    const booked = { bookedOn: date(since) };
    await this.#write([
      borrower,
      lender,
      { ...deal, ...booked, name: loan, dealNumber: loan },
      { ...facility, ...booked },
      { ...contract, ...booked, contractNumber: loan },
      ...positions.map((position) => ({ ...position, ...booked })),
    ]);
    const told: Resolved = {
      disbursed: 0,
      status: 'Repaying',
      name: loan,
      borrower: borrower.name,
      country: deal.country,
      borrowerCountry: '',
    };
    this.#booked.set(loan, told);
    this.#filed.add(loan);
    const seq = await this.#seq();
    const toldOf = new Map([[loan, told]]);
    this.done.push({ seq, date: since, posted: false, moved: new Map(), told: toldOf, turns: [] });
  }

  /** A drawing on a loan's own date, as a journal file tells it. */
  async draw(loan: string, day: string, amount: number): Promise<void> {
    const [ids] = await this.#database.query<Record<string, string>>(
      `SELECT d.id AS deal, f.id AS facility, c.id AS contract, y.id AS lender
       FROM loan_contract c JOIN facility f ON f.key = c.facility_key
       JOIN deal d ON d.key = f.deal_key JOIN lender_position p ON p.facility_key = f.key
       JOIN party y ON y.key = p.lender_key
       WHERE c.contract_number = $1 AND p.kind = 'assignment'`,
      [loan],
    );
    const { deal = '', facility = '', contract = '', lender = '' } = ids ?? {};
    const line = { facility: { id: facility, currency: 'USD' }, contract: { id: contract } };
    const holder = { id: lender };
    const legs = [
      [undefined, `${amount}.00`],
      [holder, `${amount}.00`],
    ];
    const facilityLine = { facility: line.facility };
    const postings = [
      ...entry(line as never, ['PRINCIPAL_CASH', 'CASH_CLEARING'], legs as never, {
        movement: 'advance',
      }),
      ...entry(facilityLine as never, ['MEMO', 'UNFUNDED'], legs as never),
    ];
    const journal = aJournal({ id: deal } as never, 'advance', day, postings);
    const moved = new Map([[loan, amount]]);
    const seq = await this.#write([journal]);
    this.done.push({ seq, date: day, posted: true, moved, told: new Map(), journal, turns: [] });
  }

  /** Takes a drawing back by a reversal, or puts it back by a reversal of that. */
  async turn(done: Done): Promise<void> {
    const last = done.turns.at(-1)?.journal ?? done.journal;
    if (last === undefined) throw new Error('not a journal of a file');
    const negated = (posting: PostingRecord): PostingRecord => {
      const { amount } = posting;
      return { ...posting, amount: amount.startsWith('-') ? amount.slice(1) : `-${amount}` };
    };
    const journal = aJournal(
      { id: last.deal } as never,
      last.type,
      last.effectiveDate,
      last.postings.map(negated),
      { reverses: last.id },
    );
    done.turns.push({ seq: await this.#write([journal]), journal });
  }

  /** A journal without postings, beside the model: what it says of a deal's terms and names. */
  async post(deal: string, facts: Partial<JournalRecord>): Promise<void> {
    const { effectiveDate = '' } = facts;
    await this.#write([aJournal({ id: deal } as never, 'terms', effectiveDate, [], facts)]);
  }

  async #write(records: readonly BookRecord[]): Promise<bigint> {
    await this.#database.transaction((transaction) => writeBook(transaction, records));
    return this.#seq();
  }

  async #seq(): Promise<bigint> {
    const [last] = await this.#database.query<{ seq: bigint }>(
      'SELECT coalesce(max(seq), 0) AS seq FROM journal',
    );
    return last?.seq ?? 0n;
  }
}

/** What `History.import` resolves to. */
export type Imported = Awaited<ReturnType<History['import']>>;

/**
 * Does one thing that may happen to a book: a statement is imported, or imported again, or taken back, a
 * loan is booked by its records alone, a drawing is posted, taken back or put back.
 */
export async function act(
  history: History,
  random: Random,
  { loans, dates }: { readonly loans: readonly string[]; readonly dates: readonly string[] },
): Promise<{ readonly note: string; readonly imported?: Imported }> {
  const oneOf = <T>(values: readonly T[]) => random.pick(values as [T, ...T[]]);
  const last = history.standingImports.at(-1);
  const drawn = history.done.filter(({ journal }) => journal !== undefined);
  const choice = random.between(1, 12);
  if (choice > 10) {
    const loan = `R${history.loans.length}`;
    const since = oneOf(dates);
    await history.book(loan, since);
    return { note: `book ${loan} ${since}` };
  }
  if (choice <= 2 && last !== undefined) {
    await history.revert(last);
    return { note: `revert ${last.date}` };
  }
  if (choice <= 4 && history.loans.length > 0) {
    const loan = oneOf(history.loans);
    const day = oneOf(dates);
    await history.draw(loan, day, random.between(1, 9) * 100);
    return { note: `draw ${loan} ${day}` };
  }
  if (choice === 5 && drawn.length > 0) {
    const turned = oneOf(drawn);
    await history.turn(turned);
    return { note: `turn ${turned.date}` };
  }
  const gone = history.done.filter(({ told, turns }) => told.size > 0 && turns.length > 0);
  const open = dates.filter((day) => last === undefined || day >= last.date);
  const again = gone.filter((one) => open.includes(one.date));
  if (choice === 6 && again.length > 0) {
    const one = oneOf(again);
    const same = history.done.some(({ text, turns }) => text === one.text && turns.length === 0);
    if (!same) {
      const imported = await history.import(one.date, one.stated ?? new Map());
      return { note: `import again ${one.date}`, imported };
    }
  }
  const asOf = oneOf(open);
  const told = randomlyTold(random, loans, ['Project 1', 'Project 2', '']);
  return { note: `import ${asOf}`, imported: await history.import(asOf, told) };
}

/** What a statement tells of some of the loans. */
export function randomlyTold(
  random: Random,
  loans: readonly string[],
  names: readonly [string, ...string[]],
): ReadonlyMap<string, Told> {
  return new Map(
    random.some(loans, random.between(1, loans.length)).map((loan) => [
      loan,
      {
        disbursed: random.between(1, 5) * 10_000,
        status: random.pick(['Repaying', 'Fully Repaid'] as const),
        name: random.pick(names),
        borrower: random.pick(['Borrower 1', 'Borrower 2', '']),
        country: random.pick(['IN', 'BR']),
      },
    ]),
  );
}

function stands({ seq, turns }: Done, knownSeq: bigint): boolean {
  return seq <= knownSeq && turns.filter((turn) => turn.seq <= knownSeq).length % 2 === 0;
}

/** The country of `statement`, which stands for the borrower of a loan that names none. */
const COUNTRY = 'India';

function resolve(loan: string, row: Told, known: Resolved | undefined): Resolved {
  const { borrower, borrowerCountry } =
    row.borrower === '' && known !== undefined
      ? known
      : { borrower: row.borrower || COUNTRY, borrowerCountry: row.country };
  return { ...row, name: row.name || (known?.name ?? loan), borrower, borrowerCountry };
}

const ORIGINAL = 100_000;

function rowOf(loan: string, { disbursed, status, name, borrower, country }: Told) {
  return {
    'Loan Number': loan,
    'Loan Status': status,
    'Project Name': name,
    Borrower: borrower,
    'Country / Economy Code': country,
    'Original Principal Amount': `${ORIGINAL}`,
    'Undisbursed Amount': `${ORIGINAL - disbursed}`,
    'Disbursed Amount': `${disbursed}`,
    'Due to IBRD': `${disbursed}`,
    "Borrower's Obligation": `${disbursed}`,
    'Loans Held': `${ORIGINAL}`,
  };
}

function changesOf(report: ImportReport): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    report.changes.map(({ kind, changes }) => [
      kind,
      [...new Set(changes.map(({ loan }) => loan))].sort(),
    ]),
  );
}
