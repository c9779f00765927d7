import { readDelimited } from './read-delimited.ts';
import { readWorkbook } from './read-workbook.ts';
import type { FileDialect, StatementSource, TableRow } from './table.ts';
import { unpack } from './unpack.ts';

/**
 * All rows of a file in batches, header and what stands before it too. Rows without anything are left out.
 *
 * @throws {UnreadableFile} at the first thing that is wrong with the file as a file.
 */
export async function* readTable(
  source: StatementSource,
  dialect: FileDialect,
): AsyncGenerator<readonly TableRow[]> {
  const content = await unpack(source);
  yield* content.kind === 'text' ? readDelimited(content, dialect) : readWorkbook(content, dialect);
}
