import type { FileDescription } from '../file/describe-file.ts';
import type { FileDialect } from '../file/table.ts';
import { delimitersOf } from './delimiter.ts';
import type { Dictionary } from './dictionary.ts';
import type { ProfileDraft } from './draft.ts';

/** @param sheet the one that was asked for. @returns how the file is read to be inspected. */
export function decideFile(
  description: FileDescription,
  dictionary: Dictionary,
  sheet: string | undefined,
  draft: ProfileDraft,
): FileDialect {
  return description.kind === 'workbook'
    ? { encoding: 'utf-8', delimiter: ',', sheet: decideSheet(description.sheets, sheet, draft) }
    : decideText(description, dictionary, draft);
}

type Of<Kind> = Extract<FileDescription, { readonly kind: Kind }>;

function decideSheet(
  sheets: Of<'workbook'>['sheets'],
  asked: string | undefined,
  draft: ProfileDraft,
): string | undefined {
  const filled = sheets.filter(({ rows }) => rows > 1);
  const cells = ({ rows, columns }: (typeof filled)[number]) => rows * columns;
  const [largest] = filled.toSorted((one, other) => cells(other) - cells(one));
  const name = asked ?? largest?.name;
  if (name === undefined || sheets.length < 2) return name;
  if (asked === undefined && filled.length > 1) {
    const names = filled.map((each) => `“${each.name}” (${each.rows} rows)`).join(' or ');
    draft.ask(['sheet'], `${names}? ${name} was inspected; --sheet names another`);
  } else draft.set(['sheet'], name);
  return name;
}

function decideText(
  { encoding, sample }: Of<'text'>,
  dictionary: Dictionary,
  draft: ProfileDraft,
): FileDialect {
  const { name, sure, why } = encoding;
  if (!sure) draft.ask(['encoding'], `${name} or iso-8859-1 or another? ${why}`);
  else if (name !== 'utf-8') draft.set(['encoding'], name, why);
  const found = delimitersOf(sample, dictionary);
  const declared = /^\ufeff?sep=(.)\r?\n/i.exec(sample)?.[1];
  const delimiter = declared ?? found[0] ?? ',';
  if (found.length > 1 && delimiter === found[0]) {
    const marks = found.map((mark) => JSON.stringify(mark)).join(' or ');
    draft.ask(['delimiter'], `${marks}? each of them separates as many cells in nearly all lines`);
  } else if (delimiter !== ',') draft.set(['delimiter'], delimiter);
  return { encoding: name, delimiter };
}
