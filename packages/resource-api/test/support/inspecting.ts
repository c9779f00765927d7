import { expect } from 'chai';
import { readDictionary } from '../../src/cli/read-dictionary.ts';
import { bytesSource } from '../../src/import/file/bytes-source.ts';
import { readTable } from '../../src/import/file/read-table.ts';
import { inspectFile } from '../../src/import/inspect/inspect-file.ts';
import { writeProfile } from '../../src/import/inspect/write-profile.ts';
import { profileSchema } from '../../src/import/profile/profile.ts';
import { readStatement } from '../../src/import/statement/read-statement.ts';
import { Report } from '../../src/import/statement/report.ts';
import type { StatementRow } from '../../src/import/statement/statement-row.ts';
import type { BusinessDate } from '../../src/ledger/business-date.ts';

const dictionary = readDictionary();

/** Inspects a file of these bytes, or of this text in UTF-8. */
export async function inspect(file: string | Uint8Array, name = 'tape.csv', sheet?: string) {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file;
  const { inspection, draft } = await inspectFile({
    source: bytesSource(name, bytes),
    dictionary,
    sheet,
  });
  const { questions, columns } = inspection;
  return {
    inspection,
    /** The proposed profile as it is written. */
    yaml: writeProfile(draft, inspection),
    setting: (path: string) => settingAt(inspection.profile, path.split('.')),
    /** Undefined where the file decides. */
    question: (setting: string) => questions.find((each) => each.setting === setting)?.question,
    comment: (path: string) => draft.comments.get(path.replaceAll('.', '\n')),
    column: (header: string) => columns.find((each) => each.header === header),
  };
}

/**
 * A proposed profile with its questions answered.
 *
 * @param answers by setting, such as `columns.due`; undefined leaves the setting out.
 * @param otherwise the answer to a question that `answers` does not name.
 */
export function answer(
  document: Readonly<Record<string, unknown>>,
  answers: Readonly<Record<string, unknown>>,
  otherwise: (setting: string, question: string) => unknown = () => undefined,
  path = '',
): Record<string, unknown> {
  const entries = Object.entries(document).map(([key, value]) => {
    const setting = path === '' ? key : `${path}.${key}`;
    if (setting in answers) return [key, answers[setting]];
    if (typeof value === 'string' && value.startsWith('? ')) {
      return [key, otherwise(setting, value)];
    }
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isMap) return [key, value];
    return [key, answer(value as Record<string, unknown>, answers, otherwise, setting)];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** What a file has, by the reader that imports are read by; a fault fails the test. */
export async function load(
  file: Uint8Array,
  document: unknown,
  asOf = '2025-03-31',
): Promise<readonly StatementRow[]> {
  const profile = profileSchema.parse(document);
  const report = new Report();
  const table = readTable(bytesSource('tape', file), profile);
  const date = profile.columns.asOf === undefined ? (asOf as BusinessDate) : undefined;
  const rows: StatementRow[] = [];
  for await (const batch of readStatement(table, profile, date, report)) rows.push(...batch);
  expect(report.faults).to.deep.equal([]);
  return rows;
}

function settingAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    document,
  );
}
