import { type BusinessDate, businessDateOf } from '../ledger/business-date.ts';
import { FileChecker, type LineFault, type NumberedLine } from './check-file.ts';
import { FxIdentities } from './fx-identities.ts';
import type { JournalReader, JournalStore } from './journal-store.ts';
import { type BookRecord, RECORD, type SummaryRecord } from './record.ts';

export interface JournalImport {
  /** Lines of the file without their ends; read to check, once more if another import came between, and to write. */
  readonly lines: () => AsyncIterable<string>;
  readonly apply: boolean;
  /** Whether to apply what is implausible, too. */
  readonly acceptWarnings?: boolean;
  /** Today, where it is not the machine's. */
  readonly today?: BusinessDate;
}

export interface JournalImportReport {
  readonly outcome: 'applied' | 'valid' | 'refused' | 'applied_before';
  readonly summary: SummaryRecord;
  /** Records that the book has already, to the letter; they are left out. */
  readonly known: number;
  /** The first of them; `faultCount` counts all. */
  readonly faults: readonly LineFault[];
  readonly faultCount: number;
  /**
   * What should be looked at: what is implausible, drawings that are declared as overadvances, and
   * repayments beyond what is outstanding. The first of them; `warningCount` counts all.
   */
  readonly warnings: readonly LineFault[];
  readonly warningCount: number;
}

const BATCH = 1_000;

/**
 * Checks the whole file, then writes it; without `apply` what was written is rolled back. The check holds
 * no lock: if the book has changed meanwhile, the file is checked again under the lock. Memory grows with
 * the deals and contracts of the file, not with its postings.
 */
export async function importJournals(
  store: JournalStore,
  file: JournalImport,
): Promise<JournalImportReport> {
  const state = await store.state();
  const before = await checkFile(store, file);
  if (!isWritten(before)) return before.report;
  return store.locked(async (book) => {
    const isAsChecked = (await book.state()) === state;
    const checked = isAsChecked ? before : await checkFile(book, file);
    if (isWritten(checked)) await book.write(freshRecords(file.lines(), checked.checker));
    return checked.report;
  }, file.apply);
}

interface CheckedFile {
  readonly checker: FileChecker;
  readonly report: JournalImportReport;
}

function isWritten({ report: { outcome } }: CheckedFile): boolean {
  return outcome === 'applied' || outcome === 'valid';
}

async function checkFile(
  book: JournalReader,
  { lines, apply, acceptWarnings = false, today = businessDateOf(new Date()) }: JournalImport,
): Promise<CheckedFile> {
  const checker = new FileChecker(book, await book.closedThrough(), today);
  for await (const batch of inBatches(lines())) await checker.check(batch);
  const { fresh, undeclared, ...facts } = await checker.finish();
  const { faultCount } = facts;
  const isAccepted = acceptWarnings || undeclared === 0;
  const told = (outcome: JournalImportReport['outcome']) => ({
    checker,
    report: { ...facts, outcome },
  });
  if (faultCount > 0 || (apply && !isAccepted)) return told('refused');
  if (fresh === 0) return told('applied_before');
  return told(apply ? 'applied' : 'valid');
}

async function* freshRecords(
  lines: AsyncIterable<string>,
  checker: FileChecker,
): AsyncGenerator<BookRecord> {
  const fx = new FxIdentities();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const record = RECORD.parse(JSON.parse(line));
    if (record.object === 'summary') continue;
    if (!checker.isKnown(record.object === 'fx_rate' ? fx.of(record) : record.id)) yield record;
  }
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
