import { setImmediate } from 'node:timers/promises';

import { type BookRecord, minorOf } from '../journal-file/record.ts';
import { roomExpected, SMALL_MINOR } from '../journal-file/volumes.ts';
import { type BusinessDate, businessDateOf } from '../ledger/business-date.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import { BOOK_MAX_MINOR, formatAmount, magnitudeOf } from '../ledger/money.ts';
import type { Book, BookReader, ImportHistory, StatementFile, WriteImport } from './book.ts';
import { digestOf } from './file/digest.ts';
import { readTable } from './file/read-table.ts';
import { type StatementSource, UnreadableFile } from './file/table.ts';
import { ChangeSummary, type ChangesByKind } from './plan/change-summary.ts';
import { changesOf } from './plan/changes.ts';
import { misfitsOf } from './plan/fits-book.ts';
import type { KnownDeal } from './plan/known-deal.ts';
import { PartyDirectory } from './plan/parties.ts';
import { type PlanContext, type PlannedDeal, planDeal } from './plan/plan-deal.ts';
import type { AmountField, ImportProfile, SanityCheck } from './profile/profile.ts';
import { SanityChecks, type SanityFinding } from './sanity.ts';
import { ControlTotals, type ExpectedTotals } from './statement/control-totals.ts';
import { groupRows, groupsRows, outstandingOf } from './statement/group-rows.ts';
import { NO_LEGS, totalOf } from './statement/legs.ts';
import { LoanNumbers } from './statement/loan-numbers.ts';
import { type ReadStatement, readStatement } from './statement/read-statement.ts';
import { Report } from './statement/report.ts';
import { readShares, type Shares } from './statement/shares.ts';
import type { StatedDeal } from './statement/stated-deal.ts';
import type { StatementFault, StatementRow } from './statement/statement-row.ts';

export interface ImportRequest {
  readonly source: StatementSource;
  /** The second file, where the profile has shares. */
  readonly shares?: StatementSource | undefined;
  readonly profile: ImportProfile;
  /** The date of a file that has no column for it. */
  readonly asOf?: BusinessDate | undefined;
  readonly apply: boolean;
  /** The sender's control totals; the file is refused when they differ. */
  readonly expected: ExpectedTotals;
  /** Why what a check found is right, by check. */
  readonly accept?: Readonly<Partial<Record<SanityCheck, string>>>;
  /** Today, where it is not the machine's. */
  readonly today?: BusinessDate;
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  readonly step: 'reading' | 'planning';
  readonly rows: number;
  /** Rows in all, once they are counted. */
  readonly of: number | undefined;
}

export interface ImportReport {
  readonly outcome: 'applied' | 'valid' | 'refused' | 'applied_before';
  readonly importId?: string | undefined;
  readonly profile: string;
  readonly asOf?: BusinessDate;
  readonly fileSha256: string;
  readonly rows: number;
  readonly newLoans: number;
  readonly journals: number;
  readonly postings: number;
  /** Sums of every amount column, as decimal strings; `due:EUR` in a file of several currencies. */
  readonly controlTotals: Readonly<Record<string, string>>;
  /** The file has a row of totals, which agree with its rows. */
  readonly hasTotalsRow: boolean;
  /** The first of them; `faultCount` and `warningCount` count all. */
  readonly faults: readonly StatementFault[];
  readonly faultCount: number;
  readonly warnings: readonly StatementFault[];
  readonly warningCount: number;
  /** What is unlikely in the statement. */
  readonly sanity: readonly SanityFinding[];
  /** Outstanding principal of the statement's loans, by currency. */
  readonly outstanding: readonly OutstandingTotal[];
  /** The differences from the book, by kind, with the rule for each kind. */
  readonly changes: readonly ChangesByKind[];
  /** The loans whose outstanding principal changes most. */
  readonly largest: readonly LargestChange[];
}

export interface OutstandingTotal {
  readonly currency: string;
  readonly before: string;
  readonly after: string;
}

export interface LargestChange extends OutstandingTotal {
  readonly loan: string;
}

/** Deals that are planned at once. */
const BATCH_DEALS = 2_000;

/** Imports a statement. Without `apply`, it checks and plans, and writes nothing. */
export async function importStatement(book: Book, request: ImportRequest): Promise<ImportReport> {
  const { profile, expected, apply, accept = {} } = request;
  const report = new Report();
  const sanity = new SanityChecks(profile, request.today ?? businessDateOf(new Date()));
  const fileSha256 = await digestOf(request.source, request.shares);
  const statement = await checkStatement(request, report, sanity);
  const { asOf, rowCount: rows, totals } = statement;
  const controlTotals = totals.sums();
  if (report.faultCount === 0) totals.check(rows, expected, report);
  sanity.statement(asOf);
  const told = (result: Planned): ImportReport => ({
    profile: profile.name,
    ...(asOf === undefined ? {} : { asOf }),
    fileSha256,
    rows,
    newLoans: 0,
    journals: 0,
    postings: 0,
    controlTotals,
    hasTotalsRow: statement.hasTotalsRow,
    faults: report.faults,
    faultCount: report.faultCount,
    warnings: report.warnings,
    warningCount: report.warningCount,
    sanity: sanity.findings(accept),
    outstanding: [],
    changes: [],
    largest: [],
    ...result,
  });
  if (report.faultCount > 0 || asOf === undefined) return told(REFUSED);
  const file: StatementFile = { profile, fileSha256, asOf, rows, controlTotals };
  const deals = () => statedDeals(request, statement.shares, asOf);
  const work = async (reader: BookReader, write?: WriteImport) => {
    const plan = new Plan(file, deals, { report, sanity, request, numbers: statement.numbers });
    const result = await plan.run(reader, write);
    const refused = report.faultCount > 0 || isRefused(sanity.findings(accept));
    const outcome = refused ? ('refused' as const) : result.outcome;
    return { keep: outcome === 'applied', result: told({ ...result, outcome }) };
  };
  return apply ? book.apply(work) : (await book.check(work)).result;
}

/** What the plan says of a report. */
type Planned = Partial<ImportReport> & Pick<ImportReport, 'outcome'>;
const REFUSED: Planned = { outcome: 'refused' };

function isRefused(findings: readonly SanityFinding[]): boolean {
  return findings.some(({ severity }) => severity === 'refused');
}

interface CheckedStatement extends ReadStatement {
  readonly shares: Shares;
  readonly numbers: LoanNumbers;
}

/** Reads all of the file, and reports what is wrong with it. */
async function checkStatement(
  request: ImportRequest,
  report: Report,
  sanity: SanityChecks,
): Promise<CheckedStatement> {
  const { source, profile, asOf, onProgress } = request;
  const totals = new ControlTotals(profile);
  const read: ReadStatement = { asOf, rowCount: 0, totals, hasTotalsRow: false };
  const all: StatementRow[] = [];
  const numbers = new LoanNumbers(report);
  let shares: Shares = new Map();
  try {
    if (request.shares)
      shares = await readShares(readTable(request.shares, profile), profile, report);
    const grouped = groupsRows(profile);
    for await (const rows of readStatement(
      readTable(source, profile),
      profile,
      asOf,
      report,
      read,
    )) {
      for (const row of rows) {
        sanity.row(row);
        if (!grouped) numbers.add(row);
      }
      if (grouped) all.push(...rows);
      onProgress?.({ step: 'reading', rows: read.rowCount, of: undefined });
      await setImmediate();
    }
    checkSecondFile(request, report);
    for (const { row, number } of grouped ? groupRows(all, profile, shares, report) : []) {
      numbers.add({ row, dealNumber: number });
    }
    if (read.rowCount > 0 && read.asOf === undefined && profile.columns.asOf === undefined) {
      report.fault(0, '', 'no_date', 'the file has no column for the date: give --as-of', '');
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const { row, column, code, message, value } = error.fault;
    report.fault(row, column, code, message, value);
  }
  return { ...read, shares, numbers };
}

function checkSecondFile({ profile, shares }: ImportRequest, report: Report): void {
  if ((profile.shares === undefined) === (shares === undefined)) return;
  const message = shares
    ? 'the profile has no shares, so a second file says nothing: give the statement alone'
    : 'the profile expects a second file with the shares of lenders: give --shares';
  report.fault(0, '', 'second_file', message, '');
}

/** The deals of a checked statement, read once more. */
async function* statedDeals(
  { source, profile }: ImportRequest,
  shares: Shares,
  asOf: BusinessDate,
): AsyncGenerator<readonly StatedDeal[]> {
  const unused = new Report();
  const grouped = groupsRows(profile);
  const given = profile.columns.asOf === undefined ? asOf : undefined;
  let rows: StatementRow[] = [];
  for await (const some of readStatement(readTable(source, profile), profile, given, unused)) {
    rows.push(...some);
    if (grouped) continue;
    while (rows.length >= BATCH_DEALS) {
      yield groupRows(rows.slice(0, BATCH_DEALS), profile, shares, unused);
      rows = rows.slice(BATCH_DEALS);
    }
  }
  const deals = groupRows(rows, profile, shares, unused);
  for (let at = 0; at < deals.length; at += BATCH_DEALS) yield deals.slice(at, at + BATCH_DEALS);
}

interface PlanDeps {
  readonly report: Report;
  readonly sanity: SanityChecks;
  readonly request: ImportRequest;
  readonly numbers: LoanNumbers;
}

/** The way from a checked statement to records and journals, batch by batch. */
class Plan {
  readonly #file: StatementFile;
  readonly #deals: () => AsyncIterable<readonly StatedDeal[]>;
  readonly #deps: PlanDeps;
  readonly #changes = new ChangeSummary();
  readonly #volumes = new Map<string, bigint>();
  #booked: ReadonlyMap<string, bigint> | undefined;
  #newLoans = 0;
  #journals = 0;
  #postings = 0;
  #rows = 0;

  constructor(
    file: StatementFile,
    deals: () => AsyncIterable<readonly StatedDeal[]>,
    deps: PlanDeps,
  ) {
    this.#file = file;
    this.#deals = deals;
    this.#deps = deps;
  }

  async run(reader: BookReader, write: WriteImport | undefined): Promise<Planned> {
    const { report, sanity } = this.#deps;
    const history = await reader.history(this.#file);
    if (history.appliedBefore !== undefined) {
      return { outcome: 'applied_before', importId: history.appliedBefore };
    }
    if (!this.#fitsHistory(history)) return REFUSED;
    const records = this.#records(reader, history);
    let importId: string | undefined;
    try {
      if (write) importId = await write(this.#file, records);
      else for await (const _ of records);
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
    }
    if (report.faultCount > 0) return REFUSED;
    const { before, vanished } = await this.#vanished(reader);
    sanity.loans(before, vanished, this.#changes.loans);
    return {
      outcome: importId === undefined ? 'valid' : 'applied',
      ...(importId === undefined ? {} : { importId }),
      newLoans: this.#newLoans,
      journals: this.#journals,
      postings: this.#postings,
      ...this.#changes.result(),
    };
  }

  #fitsHistory({ last, closedThrough }: ImportHistory): boolean {
    const { asOf } = this.#file;
    const { report } = this.#deps;
    if (last !== undefined && asOf < last.asOf) {
      // Its amounts are those of a day: after a later statement they would undo what came since.
      const message =
        `a statement of ${last.asOf} is in the book (${last.id}); import older ones first. ` +
        `If its date is wrong, take it back: cls-api imports revert ${last.id} --apply`;
      report.fault(0, '', 'out_of_order', message, asOf);
    } else if (closedThrough !== undefined && asOf <= closedThrough) {
      const message = `the books are closed through ${closedThrough}`;
      report.fault(0, '', 'period_closed', message, asOf);
    }
    return report.faultCount === 0;
  }

  async *#records(reader: BookReader, history: ImportHistory): AsyncGenerator<BookRecord> {
    const file = this.#file;
    const { profile, asOf, fileSha256 } = file;
    const directory = new PartyDirectory(profile.source, await reader.parties(file));
    const again = history.revertedBefore === 0 ? '' : `:${history.revertedBefore + 1}`;
    const context: PlanContext = {
      asOf,
      source: profile.source,
      keyPrefix: `${profile.name}:${asOf}:${fileSha256.slice(0, 16)}${again}`,
      partyId: (party) => directory.idOf(party),
    };
    for await (const deals of this.#deals()) {
      const numbers = deals.map(({ number }) => number);
      const known = await reader.deals(file, numbers);
      for (const stated of deals) {
        const before = known.get(stated.number);
        if (before !== undefined && !this.#fits(stated, before)) continue;
        const planned = planDeal(stated, before, context);
        await this.#count(planned, reader);
        this.#changes.add(planned, before, changesOf(planned, before));
        yield* directory.takeFresh();
        yield* planned.records;
        yield* planned.journals;
      }
      this.#rows += deals.length;
      this.#deps.request.onProgress?.({ step: 'planning', rows: this.#rows, of: file.rows });
    }
  }

  #fits(stated: StatedDeal, known: KnownDeal): boolean {
    const misfits = misfitsOf(stated, known);
    for (const { row, column, message, value } of misfits) {
      this.#deps.report.fault(row, column, 'differs_from_book', message, value);
    }
    return misfits.length === 0;
  }

  async #count({ stated, isNew, journals }: PlannedDeal, reader: BookReader): Promise<void> {
    if (isNew) this.#newLoans += 1;
    this.#journals += journals.length;
    for (const { postings } of journals) {
      this.#postings += postings.length;
      for (const posting of postings) {
        const { currency } = posting;
        const volume = (this.#volumes.get(currency) ?? 0n) + magnitudeOf(minorOf(posting));
        this.#volumes.set(currency, volume);
      }
    }
    for (const [currency, volume] of this.#volumes) {
      if (volume <= SMALL_MINOR) continue;
      this.#booked ??= await reader.volumes();
      if (volume + (this.#booked.get(currency) ?? 0n) <= BOOK_MAX_MINOR) continue;
      const digits = minorUnitDigits(currency) ?? 2;
      const [field, amount] = largestAmount(stated);
      const message = roomExpected(currency);
      const value = formatAmount(amount, digits);
      this.#deps.report.fault(stated.row, field, 'amount_too_large', message, value);
      throw new NoRoom();
    }
  }

  /** Loans of the book that the statement does not have. */
  async #vanished(reader: BookReader): Promise<{ before: number; vanished: number }> {
    let before = 0;
    let vanished = 0;
    for await (const numbers of reader.numbers(this.#file)) {
      for (const number of numbers) {
        before += 1;
        if (this.#deps.numbers.has(number)) continue;
        vanished += 1;
        this.#changes.vanished(number);
      }
    }
    return { before, vanished };
  }
}

class NoRoom extends Error {}

/** The amount of a deal that takes most room. */
function largestAmount({ facilities }: StatedDeal): readonly [AmountField, bigint] {
  const amounts = facilities.flatMap((facility) => {
    const { original, current, undrawn } = facility.commitment;
    return [
      ['originalPrincipal', totalOf(original ?? NO_LEGS)],
      ['limit', totalOf(current ?? NO_LEGS)],
      ['due', outstandingOf(facility)],
      ['undisbursed', totalOf(undrawn ?? NO_LEGS)],
    ] as const;
  });
  const size = (amount: bigint) => magnitudeOf(amount);
  return amounts.reduce((one, other) => (size(other[1]) > size(one[1]) ? other : one));
}
