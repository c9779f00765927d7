/** Files that have no header: which one it may be, and how to add one. */
import type { Dictionary, Layout } from './dictionary.ts';
import type { ProfileDraft } from './draft.ts';
import type { Scan } from './scan.ts';

/** Asks for a header where the file has none. @returns notes. */
export function withoutHeader(found: Scan, dictionary: Dictionary, draft: ProfileDraft): string[] {
  if (found.headerRow !== undefined) return isTurned(found, dictionary) ? [askToTurn(draft)] : [];
  const width = found.headers.length;
  const layout = dictionary.layouts.find((each) => fits(each, found));
  if (layout === undefined) {
    draft.ask(
      ['headerRow'],
      `the file has no header: write one line with the names of its ${width} columns before the first`,
    );
    return [];
  }
  const line = layout.headers.split(layout.separatedBy).slice(0, width).join(layout.delimiter);
  draft.ask(
    ['headerRow'],
    `the file has no header; its ${width} columns are as in ${layout.title}: write that header as the first line`,
  );
  return [`${layout.title} has this header:\n${line}`];
}

/** Whether a column has the names of fields, one in each row: ESMA's templates are given like this. */
function isTurned({ columns, rows, headers }: Scan, dictionary: Dictionary): boolean {
  return columns.some(({ values }) => {
    const names = [...values.keys()].filter((value) =>
      dictionary.exact.has(dictionary.wordsOf(value).join(' ')),
    );
    return names.length >= 8 && names.length > rows * 0.15 && names.length > headers.length * 0.5;
  });
}

function askToTurn(draft: ProfileDraft): string {
  const question =
    'the file seems to have a row for each field and a column for each loan: turn it, so that each row is a loan';
  draft.ask(['headerRow'], question);
  return question;
}

/** By the number of columns, and by the column that has the ids, each of them once or nearly. */
function fits({ columns, idColumn }: Layout, { headers, columns: found }: Scan): boolean {
  const id = found[idColumn - 1];
  return columns.includes(headers.length) && id !== undefined && id.blanks === 0 && id.filled > 0;
}
