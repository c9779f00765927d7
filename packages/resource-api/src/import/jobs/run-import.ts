import { CommandRefused } from '@cls/shared/cli/command-line';
import { linesOfFile } from '@cls/shared/cli/lines-of-file';
import { SqlError } from '@cls/shared/sql/database';
import type { LineFault } from '../../journal-file/check-file.ts';
import { importJournals } from '../../journal-file/import-journals.ts';
import type { JournalStore } from '../../journal-file/journal-store.ts';
import { parseBusinessDate } from '../../ledger/business-date.ts';
import type { Book } from '../book.ts';
import { inflated, limitExpansion } from '../file/expansion.ts';
import { isGzip } from '../file/signatures.ts';
import { type StatementSource, UnreadableFile } from '../file/table.ts';
import { importStatement } from '../import-statement.ts';
import type { ImportResult, ImportWork, RunImport } from './import-job.ts';
import { profileOf } from './import-profiles.ts';

/** Faults, warnings and changes of a kind that a report tells; it counts all. */
const TOLD_MAX = 1_000;

/** Imports as the commands `import` and `journals import` do. */
export function importerOf(book: Book, journals: JournalStore): RunImport {
  return async (work) => {
    try {
      return work.kind === 'statement'
        ? await runStatement(book, work)
        : await runJournals(journals, work);
    } catch (error) {
      const message = faultOfFile(error);
      if (message === undefined) throw error;
      const faults = [{ row: 0, column: '', code: 'unreadable', message, value: '' }];
      return { status: 'refused', report: { outcome: 'refused', faults, faultCount: 1 } };
    }
  };
}

async function runStatement(book: Book, work: ImportWork): Promise<ImportResult> {
  const { source, document, apply, expected, asOf, poster } = work;
  const report = await importStatement(book, {
    ...{ source, profile: profileOf(document), apply, expected },
    asOf: asOf === undefined ? undefined : parseBusinessDate(asOf),
    actor: { name: poster.subject, customer: poster.customer },
    accept: work.accept,
    withoutTotals: work.withoutTotals,
  });
  const { faults, warnings, changes, fileSha256: _, importId, ...facts } = report;
  return {
    status: statusOf(report.outcome, apply),
    importId: apply ? importId : undefined,
    report: {
      ...facts,
      faults: faults.slice(0, TOLD_MAX),
      warnings: warnings.slice(0, TOLD_MAX),
      changes: changes.map((one) => ({ ...one, changes: one.changes.slice(0, TOLD_MAX) })),
    },
  };
}

async function runJournals(
  store: JournalStore,
  { source, apply, accept }: ImportWork,
): Promise<ImportResult> {
  const report = await importJournals(store, {
    lines: () => linesOf(source),
    apply,
    acceptWarnings: Object.hasOwn(accept, 'warnings'),
  });
  return {
    status: statusOf(report.outcome, apply),
    report: {
      ...report,
      faults: report.faults.map(faultOfLine),
      warnings: report.warnings.map(faultOfLine),
    },
  };
}

/** In the words of a statement's faults. */
function faultOfLine({ line: row, field: column, code, message }: LineFault) {
  return { row, column, code, message };
}

function statusOf(
  outcome: 'applied' | 'valid' | 'refused' | 'applied_before',
  apply: boolean,
): ImportResult['status'] {
  if (outcome === 'refused') return 'refused';
  // It was applied before where a job runs again that was interrupted at its end.
  return apply ? 'applied' : 'checked';
}

/** Why a file cannot be read or written, in words; undefined where the file is not the reason. */
function faultOfFile(error: unknown): string | undefined {
  if (error instanceof CommandRefused || error instanceof UnreadableFile) return error.message;
  // What triggers raise and constraints refuse: the ledger's own rules.
  if (error instanceof SqlError) return /^(P0|23)/.test(error.code) ? error.message : undefined;
  return undefined;
}

async function* linesOf(source: StatementSource): AsyncGenerator<string> {
  for await (const first of source.bytes()) {
    const bytes = source.bytes();
    yield* linesOfFile(
      isGzip(first) ? limitExpansion(inflated(bytes, 'gzip'), source.size) : bytes,
    );
    return;
  }
}
