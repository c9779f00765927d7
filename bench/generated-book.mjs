// A book as a bank has it: loans that accrue, with lenders, fees and sublimits, billed each quarter.
import { generateBook } from '../packages/book-generator/dist/src/generate-book.js';
import { sqlGeneratedBooks } from '../packages/book-generator/dist/src/sql-generated-books.js';

/**
 * The same book each time, checked against the answers that it must give.
 *
 * @param database with the schema
 * @returns what the import says, with the number of `postings`
 */
export function generatedBook(database, { contracts, years }) {
  const plan = { contracts, years, seed: 1, from: '2015-01-15', sublimits: true };
  const answers = [];
  const records = generateBook(plan, (answer) => answers.push(answer));
  return sqlGeneratedBooks(database).write(records, () => answers, true);
}
