import { decode } from './decode.ts';
import { RecordSplitter } from './records.ts';
import { type FileDialect, type TableRow, UnreadableFile } from './table.ts';
import type { TextContent } from './unpack.ts';

/** The records of a text file. A first line `sep=;`, which tells Excel the delimiter, is left out. */
export async function* readDelimited(
  content: TextContent,
  { encoding, delimiter }: FileDialect,
): AsyncGenerator<readonly TableRow[]> {
  const splitter = new RecordSplitter(delimiter);
  let isFirst = true;
  for await (const piece of decode(content, encoding)) {
    let rows = splitter.push(piece);
    if (isFirst && rows.length > 0) {
      rows = withoutHint(rows, delimiter);
      isFirst = false;
    }
    if (rows.length > 0) yield rows;
  }
  const last = splitter.end();
  if (last.length > 0) yield isFirst ? withoutHint(last, delimiter) : last;
}

function withoutHint(rows: readonly TableRow[], delimiter: string): readonly TableRow[] {
  const [first, ...others] = rows;
  const hint = /^sep=(.)$/i.exec(first?.cells.join(delimiter) ?? '')?.[1];
  if (hint === undefined) return rows;
  if (hint === delimiter) return others;
  const message = `the first line says that cells are separated by ${JSON.stringify(hint)}; declare it as delimiter`;
  throw new UnreadableFile('wrong_delimiter', message, { row: 1 });
}
