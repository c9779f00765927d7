import { monthNamed } from './month-names.ts';
import { dialectsThatRead } from './number-candidates.ts';
import type { NumberDialect } from './number-shape.ts';

/** `expected a decimal such as 1234.56 or 1,234.56`. */
export function decimalExpected(dialect: NumberDialect): string {
  const { decimalSeparator: decimal, thousandsSeparator: thousands } = dialect;
  const grouped = thousands === undefined ? '' : ` or 1${thousands}234${decimal}56`;
  return `expected a decimal such as 1234${decimal}56${grouped}`;
}

const NEVER: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'this cell is empty'],
  [/%/, 'this is a percentage'],
  [
    /^#[\p{L}\d/]+[!?]?$/u,
    'this is an error of a spreadsheet: repair its formula, and export the file again',
  ],
  [
    /\d\s*(?:K|M|B|bn|mn|mio|mrd|million|billion)\.?$/i,
    'this is in thousands, millions or billions, as its last letters say: ask for plain numbers, or ' +
      'for a column of one unit, which amountsIn declares',
  ],
  [/^[-−+].*\d.*(?:[-−]|CR|DR)$/i, 'this has two signs'],
  [/(?=\P{ASCII})\p{Nd}/u, 'this has digits other than 0 to 9'],
  [/^[-−+]?(?=.*[oO])[\doO.,]+$/, 'this has the letter O where a zero may be meant'],
  [
    /^[-−+]?[\d.,]+e[-+]?\d+$/i,
    'this is in scientific notation, which leaves digits out: show all digits in the spreadsheet ' +
      'and export it again',
  ],
  [
    /^\D*[1-9]\d?(?:,\d\d)+,\d{3}(?!\d)/,
    'this is grouped as lakhs and crores: ask for groups of three or for no groups',
  ],
  [/\d[.,]\D*$/, 'digits are missing after the separator'],
];

const UNGROUPED = 'its separators do not stand between groups of three digits';

/** @param text one that `numberOf` does not read under the dialect. */
export function whyNoNumber(text: string, dialect: NumberDialect): string {
  const expected = decimalExpected(dialect);
  const reasons = NEVER.flatMap(([shape, reason]) => (shape.test(text) ? [reason] : []));
  if (isMonth(text)) reasons.push(MONTH);
  const hints = reasons.length > 0 ? reasons.slice(0, 1) : whatToDeclare(text, dialect);
  const ungrouped = hints.length === 0 && /^[-−+]?\d[\d.,'’\s]*\d$/.test(text);
  return [expected, ...hints, ...(ungrouped ? [UNGROUPED] : [])].join('; ');
}

const MONTH =
  'this is a month and a year: a spreadsheet may have made it of a number such as 12.79; ask for the number';

/** A Polish `gru.79` is one too. */
function isMonth(text: string): boolean {
  const [, name = '', point] = /^(\p{L}{3,9})([. -]?) ?\d\d$/u.exec(text) ?? [];
  return monthNamed(name) !== undefined || (name !== '' && point === '.');
}

function whatToDeclare(text: string, dialect: NumberDialect): readonly string[] {
  return dialectsThatRead([text]).map(({ dialects, values }) => {
    const changes = dialects
      .map((candidate) => changesTo(candidate, dialect))
      .sort((one, other) => one.length - other.length);
    return `if this is ${values[0]}, declare ${changes[0]?.join(' and ')}`;
  });
}

/** As it would be written in a profile. */
function changesTo(candidate: NumberDialect, dialect: NumberDialect): readonly string[] {
  const names = Object.keys({ ...dialect, ...candidate }) as (keyof NumberDialect)[];
  return names.flatMap((name) => {
    const wanted = candidate[name];
    if (wanted === undefined) return name === 'thousandsSeparator' ? [`no ${name}`] : [];
    const same = JSON.stringify(wanted) === JSON.stringify(dialect[name]);
    return same ? [] : [`${name}: ${yaml(wanted)}`];
  });
}

/** YAML on one line, which is short where JSON is not. */
function yaml(value: NonNullable<NumberDialect[keyof NumberDialect]>): string {
  if (typeof value === 'boolean') return `${value}`;
  if (typeof value === 'string') return value === "'" ? `"'"` : `'${value}'`;
  if (Array.isArray(value)) return `[${value.map((one) => `'${one}'`).join(', ')}]`;
  return `{ ${Object.entries(value)
    .map(([mark, currency]) => `'${mark}': ${currency}`)
    .join(', ')} }`;
}
