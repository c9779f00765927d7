import type { BookRecord } from '../../src/journal-file/record.ts';
import { JournalFileSummary } from '../../src/journal-file/summary.ts';

/** The lines of a journal file with these records, summary included. */
export function fileOf(records: readonly object[]): string[] {
  const summary = new JournalFileSummary();
  const lines = records.map((record) => {
    const line = JSON.stringify(record);
    summary.addLine(line);
    summary.addRecord(record as BookRecord);
    return line;
  });
  return [...lines, JSON.stringify(summary.result())];
}

/** Lines as an import reads them. */
export function linesFrom(lines: readonly string[]): () => AsyncGenerator<string> {
  return async function* () {
    yield* lines;
  };
}
