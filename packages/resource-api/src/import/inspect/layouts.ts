/** Where the header is; and files that have none: which one it may be, and how to add one. */
import type { Dictionary, Layout } from './dictionary.ts';
import type { Proposal } from './proposal.ts';
import type { Scan } from './scan.ts';

export function proposeHeader({ found, dictionary, draft, notes }: Proposal): void {
  const { headerRow, headers } = found;
  const path = ['headerRow'];
  if (headerRow !== undefined) {
    if (headerRow !== 1) draft.set(path, headerRow);
    if (isTurned(found, dictionary)) {
      const seems = 'the file seems to have a row for each field and a column for each loan';
      draft.ask(path, `${seems}: turn it, so that each row is a loan`);
    }
    return;
  }
  const width = headers.length;
  const layout = dictionary.layouts.find((each) => fits(each, found));
  if (layout === undefined) {
    const advice = `write one line with the names of its ${width} columns before the first`;
    draft.ask(path, `the file has no header: ${advice}`);
    return;
  }
  const names = layout.headers.split(layout.separatedBy).slice(0, width);
  const like = `its ${width} columns are as in ${layout.title}`;
  draft.ask(path, `the file has no header; ${like}: write that header as the first line`);
  notes.push(`${layout.title} has this header:\n${names.join(layout.delimiter)}`);
}

/** Whether a column has the names of fields, one in each row: ESMA's templates are given like this. */
function isTurned({ columns, rows, headers }: Scan, dictionary: Dictionary): boolean {
  const isName = (value: string) => dictionary.exact.has(dictionary.wordsOf(value).join(' '));
  return columns.some(({ values }) => {
    const names = [...values.keys()].filter(isName).length;
    return names >= 8 && names > rows * 0.15 && names > headers.length * 0.5;
  });
}

/** By the number of columns, and by the column that has the ids. */
function fits({ columns, idColumn }: Layout, { headers, columns: found }: Scan): boolean {
  const id = found[idColumn - 1];
  return columns.includes(headers.length) && id !== undefined && id.blanks === 0 && id.filled > 0;
}
