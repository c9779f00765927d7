/** Reads pages as a person does: rows of a table, numbers without their grouping. */

export interface Row {
  /** Its header cell. */
  readonly head: string;
  readonly numbers: readonly string[];
  /** Of each number where the page compares: now, then, difference; itself alone where it is the same. */
  readonly compared: readonly (readonly string[])[];
  readonly html: string;
}

/** The rows of the table whose caption has this id, header excluded. */
export function rowsOf(html: string, id: string, part: 'tbody' | 'tfoot' = 'tbody'): Row[] {
  const table = tableOf(html, id) ?? '';
  const isNumeric = numericColumns(table);
  const body = new RegExp(`<${part}>([\\s\\S]*?)</${part}>`).exec(table)?.[1] ?? '';
  return [...body.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => ({
    html: row,
    head: textOf(/<th[^>]*>([\s\S]*?)<\/th>/.exec(row)?.[1] ?? ''),
    numbers: numbersIn(row, isNumeric).map((cell) =>
      numberOf(cell.replace(/<(small|b>)[\s\S]*/, '')),
    ),
    compared: numbersIn(row, isNumeric).map((cell) =>
      cell.split(/<(?:small|b)>/).map((part) => numberOf(part)),
    ),
  }));
}

/** The table whose caption has this id, with its own tag. */
export function tableOf(html: string, id: string): string | undefined {
  return new RegExp(`<table[^>]*>\\s*<caption id="${id}">[\\s\\S]*?</table>`).exec(html)?.[0];
}

/** Which columns hold numbers, from 0: those that the style sheet sets as numbers. */
export function numericColumns(table: string): (at: number) => boolean {
  const [, names = ''] = /^<table class="([^"]*)"/.exec(table) ?? [];
  return (at) => (names === 'n' ? at > 0 : names.split(' ').includes(`n${at + 1}`));
}

export interface Cell {
  /** Its column, from 0. */
  readonly at: number;
  readonly html: string;
}

/** The cells of a row, each below the name of its column, whatever stands before it. */
export function cellsOf(row: string): readonly Cell[] {
  let next = 0;
  return [...row.matchAll(/<t[hd]([^>]*)>([\s\S]*?)<\/t[hd]>/g)].map(
    ([, attributes = '', html = '']) => {
      const at = next;
      next += Number(/colspan="(\d+)"/.exec(attributes)?.[1] ?? 1);
      return { at, html };
    },
  );
}

function numbersIn(row: string, isNumeric: (at: number) => boolean): readonly string[] {
  return cellsOf(row).flatMap(({ at, html }) => (isNumeric(at) ? [html] : []));
}

/** As the API writes it; English grouping. */
export function numberOf(cell: string): string {
  const text = textOf(cell).replace(/equals the global amount|differs from the global amount/, '');
  const plain = text.replace('negative ', '').replace(/^(then|Δ) [+]?/, '');
  return plain.replaceAll(',', '').replace('−', '-').trim();
}

export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .trim();
}

/** Addresses of links whose text is this. */
export function linkNamed(html: string, name: string): string | undefined {
  const links = [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)];
  return links.find(([, , text = '']) => textOf(text) === name)?.[1]?.replaceAll('&amp;', '&');
}

/** The values of a picture below which this stands, as it names them: `2031: 5,000.00`. */
export function valuesIn(html: string, what: string): readonly string[] {
  const [before = ''] = html.split(`</svg><figcaption>${what}`);
  const picture = before.slice(before.lastIndexOf('<svg class="chart"'));
  const marks = [...picture.matchAll(/<(a|g) class="mark"[\s\S]*?<\/\1>/g)];
  return marks.map(([mark]) => textOf(mark));
}
