import { type BookPlan, generateBook } from '@cls/book-generator/generate-book';
import type { KnownAnswer } from '@cls/book-generator/generated-books';
import type { Database } from '@cls/shared/sql/database';
import type { BookRecord } from '../../src/journal-file/record.ts';
import { writeBook } from '../../src/posting/write-book.ts';
import { date } from './book.ts';

export interface GeneratedBook {
  readonly records: readonly BookRecord[];
  readonly answers: readonly KnownAnswer[];
}

export function generated(plan: Partial<BookPlan> = {}): GeneratedBook {
  const answers: KnownAnswer[] = [];
  const whole = { contracts: 12, years: 2, seed: 7, from: date('2023-01-15'), ...plan };
  const records = [...generateBook(whole, (answer) => answers.push(answer))];
  const hasSublimits = records.some((record) => record.object === 'facility' && record.sublimitOf);
  if (plan.sublimits && !hasSublimits) throw new Error('no sublimits with this seed');
  return { records, answers };
}

export async function loadRecords(
  database: Database,
  records: Iterable<BookRecord>,
): Promise<void> {
  await database.transaction((transaction) => writeBook(transaction, records));
}
