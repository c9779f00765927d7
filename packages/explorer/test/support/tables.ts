import { cellsOf, numberOf, numericColumns, tableOf, textOf } from './reading.ts';

export interface ReadTable {
  readonly rows: readonly ReadRow[];
  readonly foot: readonly ReadRow[];
}

export interface ReadRow {
  /** What names the row: its header cell, else its first cell. */
  readonly head: string;
  /** Cells by the name of their column; numbers as the API writes them. */
  readonly cells: Readonly<Record<string, string>>;
  /** Of each number where the page compares: itself, what it was and the difference, where it moved. */
  readonly compared: Readonly<Record<string, readonly string[]>>;
}

/** A table as a person reads it: each cell by its row and column. Undefined where it is not there. */
export function readTable(html: string, id: string): ReadTable | undefined {
  const whole = tableOf(html, id);
  if (whole === undefined) return undefined;
  const isNumeric = numericColumns(whole);
  const part = (name: string) =>
    new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(whole)?.[1] ?? '';
  const [names = ''] = part('thead').split('</tr>');
  const columns = [...names.matchAll(/<th[^>]*>([\s\S]*?)<\/th>/g)].map(([, head = '']) =>
    textOf(head.replace(/<span aria-hidden="true">[^<]*<\/span>/g, '')),
  );
  const rowsOf = (body: string) => rowsIn(body).map((row) => readRow(row, columns, isNumeric));
  return { rows: rowsOf(part('tbody')), foot: rowsOf(part('tfoot')) };
}

function rowsIn(body: string): readonly string[] {
  return [...body.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => row);
}

function readRow(
  row: string,
  columns: readonly string[],
  isNumeric: (at: number) => boolean,
): ReadRow {
  const shown = cellsOf(row).map(({ at, html }) => {
    const parts = isNumeric(at) ? html.split(/<(?:small|b)>/).map(numberOf) : [textOf(html)];
    return [columns[at] ?? `column ${at}`, parts] as const;
  });
  const cells = shown.map(([name, [value = '']]) => [name, value] as const);
  return {
    head: cells[0]?.[1] ?? '',
    cells: Object.fromEntries(cells),
    compared: Object.fromEntries(shown),
  };
}
