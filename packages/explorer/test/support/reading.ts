/** Reads pages as a person does: rows of a table, numbers without their grouping. */

export interface Row {
  readonly head: string;
  readonly numbers: readonly string[];
  /** Of each number where the page compares: now, then, difference; two of them where it is the same. */
  readonly compared: readonly (readonly string[])[];
  readonly html: string;
}

/** The rows of the table whose caption has this id, header excluded. */
export function rowsOf(html: string, id: string, part: 'tbody' | 'tfoot' = 'tbody'): Row[] {
  const table = new RegExp(`<caption id="${id}">[\\s\\S]*?</table>`).exec(html)?.[0] ?? '';
  const body = new RegExp(`<${part}>([\\s\\S]*?)</${part}>`).exec(table)?.[1] ?? '';
  return [...body.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => ({
    html: row,
    head: textOf(/<th[^>]*>([\s\S]*?)<\/th>/.exec(row)?.[1] ?? ''),
    numbers: cellsOf(row).map((cell) => numberOf(cell.replace(/<(small|b>)[\s\S]*/, ''))),
    compared: cellsOf(row).map((cell) => cell.split(/<(?:small|b)>/).map((part) => numberOf(part))),
  }));
}

function cellsOf(row: string): readonly string[] {
  return [...row.matchAll(/<td (?:data-label="[^"]*" )?class="n">([\s\S]*?)<\/td>/g)].map(
    ([, cell = '']) => cell,
  );
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
