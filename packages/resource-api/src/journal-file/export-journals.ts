import type { JournalStore } from './journal-store.ts';
import type { SummaryRecord } from './record.ts';
import { JournalFileSummary } from './summary.ts';

/**
 * Writes the book as a journal file, batch by batch; `write` waits while it is full.
 *
 * @param fromSeq 1 for the whole book, or the first journal sequence that the receiver has not.
 */
export async function exportJournals(
  store: JournalStore,
  write: (text: string) => Promise<void>,
  fromSeq = 1n,
): Promise<SummaryRecord> {
  const summary = new JournalFileSummary();
  await store.readAll(async (records) => {
    const lines = records.map((record) => {
      const line = JSON.stringify(record);
      summary.addLine(line);
      summary.addRecord(record);
      return `${line}\n`;
    });
    await write(lines.join(''));
  }, fromSeq);
  const result = summary.result();
  await write(`${JSON.stringify(result)}\n`);
  return result;
}
