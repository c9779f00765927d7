import type { BusinessDate } from '../ledger/business-date.ts';
import { checkJournal, fault, type RecordFault } from './check-journal.ts';
import type { Described, JournalStore } from './journal-store.ts';
import { type BookRecord, RECORD, type SummaryRecord } from './record.ts';
import { JournalFileSummary } from './summary.ts';

export interface JournalImport {
  /** Lines of the file without their ends; read once to check and once to write. */
  readonly lines: () => AsyncIterable<string>;
  readonly apply: boolean;
}

export interface JournalImportReport {
  readonly outcome: 'applied' | 'valid' | 'refused' | 'applied_before';
  readonly summary: SummaryRecord;
  /** Records that the book has already; they are left out. */
  readonly known: number;
  /** The first of them; `faultCount` counts all. */
  readonly faults: readonly LineFault[];
  readonly faultCount: number;
}

export interface LineFault extends RecordFault {
  /** Line in the file, from 1. */
  readonly line: number;
}

const FAULTS_LISTED = 1_000;
const BATCH = 1_000;

/** Checks the whole file, then writes it; without `apply` what was written is rolled back. */
export async function importJournals(
  store: JournalStore,
  { lines, apply }: JournalImport,
): Promise<JournalImportReport> {
  const checker = new Checker(store, await store.closedThrough());
  for await (const batch of inBatches(lines())) await checker.check(batch);
  const { faults, faultCount, known, fresh, summary } = checker.finish();
  const facts = { summary, known, faults, faultCount };
  if (faultCount > 0) return { ...facts, outcome: 'refused' };
  if (fresh === 0) return { ...facts, outcome: 'applied_before' };
  await store.write(freshRecords(lines(), checker), apply);
  return { ...facts, outcome: apply ? 'applied' : 'valid' };
}

async function* freshRecords(
  lines: AsyncIterable<string>,
  checker: Checker,
): AsyncGenerator<BookRecord> {
  for await (const line of lines) {
    const record = RECORD.parse(JSON.parse(line));
    if (record.object !== 'summary' && !checker.isKnown(record)) yield record;
  }
}

interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

async function* inBatches(lines: AsyncIterable<string>): AsyncGenerator<readonly NumberedLine[]> {
  let batch: NumberedLine[] = [];
  let number = 0;
  for await (const text of lines) {
    number += 1;
    batch.push({ number, text });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

class Checker {
  readonly #store: JournalStore;
  readonly #closedThrough: BusinessDate | undefined;
  /** What an id stands for, in the book or in the file before the line. */
  readonly #described = new Map<string, Described>();
  readonly #inBook = new Set<string>();
  readonly #inFile = new Set<string>();
  readonly #keys = new Set<string>();
  readonly #reversed = new Set<string>();
  readonly #summary = new JournalFileSummary();
  readonly #faults: LineFault[] = [];
  #faultCount = 0;
  #known = 0;
  #fresh = 0;
  #given: SummaryRecord | undefined;
  #lastLine = 0;

  constructor(store: JournalStore, closedThrough: BusinessDate | undefined) {
    this.#store = store;
    this.#closedThrough = closedThrough;
  }

  isKnown(record: BookRecord): boolean {
    return this.#inBook.has(record.id);
  }

  async check(lines: readonly NumberedLine[]): Promise<void> {
    const parsed = lines.map(({ number, text }) => ({ number, record: this.#parse(number, text) }));
    await this.#lookUp(parsed.flatMap(({ record }) => record ?? []));
    for (const { number, record } of parsed) {
      if (record !== undefined) this.#checkRecord(number, record);
    }
  }

  finish() {
    const summary = this.#summary.result();
    if (this.#given === undefined) {
      this.#report(this.#lastLine + 1, fault('', 'cut', 'the file has no summary: it was cut'));
    } else if (this.#faultCount === 0) {
      for (const field of ['records', 'journals', 'postings', 'sha256'] as const) {
        if (this.#given[field] === summary[field]) continue;
        const message = `the file has ${summary[field]}, its summary says ${this.#given[field]}`;
        this.#report(this.#lastLine, fault(field, 'control_total', message));
      }
      const [has, says] = [summary, this.#given].map(({ debits }) => canonicalSums(debits));
      if (has !== says) {
        const message = `the file has ${has}, its summary says ${says}`;
        this.#report(this.#lastLine, fault('debits', 'control_total', message));
      }
    }
    return {
      summary,
      faults: this.#faults.toSorted((a, b) => a.line - b.line),
      faultCount: this.#faultCount,
      known: this.#known,
      fresh: this.#fresh,
    };
  }

  #report(line: number, { field, code, message }: RecordFault): void {
    this.#faultCount += 1;
    if (this.#faults.length < FAULTS_LISTED) this.#faults.push({ line, field, code, message });
  }

  #parse(line: number, text: string): BookRecord | undefined {
    this.#lastLine = line;
    if (this.#given !== undefined) {
      this.#report(line, fault('', 'after_summary', 'nothing stands after the summary'));
      return undefined;
    }
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      this.#report(line, fault('', 'malformed_json', 'expected one JSON object'));
      return undefined;
    }
    const result = RECORD.safeParse(document);
    if (!result.success) {
      for (const { path, message } of result.error.issues) {
        this.#report(line, fault(path.join('.'), 'invalid_record', message));
      }
      this.#summary.addLine(text);
      return undefined;
    }
    if (result.data.object === 'summary') {
      this.#given = result.data;
      return undefined;
    }
    this.#summary.addLine(text);
    this.#summary.addRecord(result.data);
    return result.data;
  }

  async #lookUp(records: readonly BookRecord[]): Promise<void> {
    const ids = [...new Set(records.flatMap((record) => [record.id, ...referencesOf(record)]))];
    const unseen = ids.filter((id) => !this.#described.has(id));
    for (const [id, described] of await this.#store.describe(unseen)) {
      this.#described.set(id, described);
      this.#inBook.add(id);
    }
    const journals = records.filter((record) => record.object === 'journal');
    const posted = await this.#store.postedKeys(journals.map((one) => one.idempotencyKey));
    for (const { id, idempotencyKey } of journals) {
      if (posted.has(idempotencyKey)) this.#inBook.add(id);
    }
  }

  #checkRecord(line: number, record: BookRecord): void {
    const report = (broken: RecordFault) => this.#report(line, broken);
    if (this.#inFile.has(record.id)) {
      report(fault('id', 'duplicate_id', 'the id stands in the file before'));
      return;
    }
    this.#inFile.add(record.id);
    if (this.#inBook.has(record.id)) {
      this.#known += 1;
      return;
    }
    this.#fresh += 1;
    const unknown = referencesOf(record).filter((id) => this.#kindOf(id) === undefined);
    for (const id of new Set(unknown)) {
      report(fault('', 'unknown_reference', `${id} is neither in the book nor before this line`));
    }
    if (record.object === 'journal') this.#checkJournal(record, report, unknown.length > 0);
    this.#remember(record);
  }

  #kindOf(id: string): string | undefined {
    return this.#described.get(id)?.kind;
  }

  #checkJournal(
    record: Extract<BookRecord, { object: 'journal' }>,
    report: (broken: RecordFault) => void,
    incomplete: boolean,
  ): void {
    const { idempotencyKey, effectiveDate, reverses } = record;
    if (this.#keys.has(idempotencyKey)) {
      report(fault('idempotencyKey', 'duplicate_key', 'the key stands in the file before'));
    }
    this.#keys.add(idempotencyKey);
    if (this.#closedThrough !== undefined && effectiveDate <= this.#closedThrough) {
      const message = `the books are closed through ${this.#closedThrough}`;
      report(fault('effectiveDate', 'period_closed', message));
    }
    if (reverses !== undefined) {
      if (this.#reversed.has(reverses)) {
        report(fault('reverses', 'reversed_twice', 'the journal is reversed before'));
      }
      this.#reversed.add(reverses);
    }
    if (incomplete) return;
    for (const broken of checkJournal(record, (id) => this.#described.get(id))) report(broken);
  }

  #remember(record: BookRecord): void {
    switch (record.object) {
      case 'facility': {
        const { deal, currency } = record;
        this.#described.set(record.id, { kind: 'facility', deal, currency, lenders: new Set() });
        break;
      }
      case 'contract':
        this.#described.set(record.id, { kind: 'contract', facility: record.facility });
        break;
      case 'position': {
        const facility = this.#described.get(record.facility);
        if (facility?.kind === 'facility') facility.lenders.add(record.lender);
        this.#described.set(record.id, { kind: 'position' });
        break;
      }
      default:
        this.#described.set(record.id, { kind: record.object });
    }
  }
}

/** Ids that a record names, besides its own. */
function referencesOf(record: BookRecord): readonly string[] {
  const present = (...ids: readonly (string | undefined)[]) => ids.filter((id) => id !== undefined);
  switch (record.object) {
    case 'party':
      return [];
    case 'deal':
      return present(record.borrower, record.agent, record.guarantor);
    case 'facility':
      return [record.deal];
    case 'contract':
      return present(record.facility, record.rolledFrom);
    case 'position':
      return present(record.facility, record.lender, record.parent);
    case 'journal':
      return present(
        record.deal,
        record.reverses,
        ...record.postings.flatMap(({ facility, contract, lender }) => [
          facility,
          contract,
          lender,
        ]),
        ...record.terms.map((terms) =>
          'deal' in terms ? terms.deal : 'facility' in terms ? terms.facility : terms.contract,
        ),
        ...[...record.rates, ...record.settlements].flatMap(({ facility, contract }) => [
          facility,
          contract,
        ]),
      );
  }
}

function canonicalSums(sums: Readonly<Record<string, string>>): string {
  return Object.entries(sums)
    .sort()
    .map(([currency, sum]) => `${sum} ${currency}`)
    .join(', ');
}
