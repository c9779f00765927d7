export type DecimalSeparator = '.' | ',';
export type ThousandsSeparator = ',' | '.' | "'" | ' ';

/** What a profile declares about numbers; its schema (profile.ts) says what each setting means. */
export interface NumberDialect {
  readonly decimalSeparator: DecimalSeparator;
  readonly thousandsSeparator?: ThousandsSeparator | undefined;
  readonly parenthesesNegative?: boolean | undefined;
  readonly trailingMinus?: boolean | undefined;
  readonly negativeMarks?: readonly string[] | undefined;
  readonly positiveMarks?: readonly string[] | undefined;
  readonly currencyMarks?: Readonly<Record<string, string>> | undefined;
  readonly zeroMarks?: readonly string[] | undefined;
}

export interface NumberRead {
  /** A plain decimal such as `-1234.5`, of any number of digits. */
  readonly text: string;
  /** Whose mark stands beside the number. */
  readonly currency?: string;
}

/** What counts as each separator: keyboards and word processors write other characters. */
const SEPARATORS: Readonly<Record<ThousandsSeparator, string>> = {
  ',': ',',
  '.': '\\.',
  "'": "['’]",
  ' ': '[ \\u00a0\\u2009\\u202f]',
};
const GROUPED = new Map<string, RegExp>();
const THOUSANDS = new Map<string, RegExp>();
for (const [thousands, mark] of Object.entries(SEPARATORS)) {
  THOUSANDS.set(thousands, new RegExp(mark, 'g'));
  for (const decimal of [',', '.'] as const) {
    // A group never begins with 0: 0,125 is a decimal comma that nobody declared.
    const shape = `^[1-9]\\d{0,2}(?:${mark}\\d{3})+(?:${SEPARATORS[decimal]}\\d+)?$`;
    if (decimal !== thousands) GROUPED.set(decimal + thousands, new RegExp(shape));
  }
}

/** Databases write 0.5 without its zero. `5.` is refused: its end may be cut off. */
const UNGROUPED = { '.': /^\d+$|^\d*\.\d+$/, ',': /^\d+$|^\d*,\d+$/ };

/** @param text without space around it. */
export function numberOf(text: string, dialect: NumberDialect): NumberRead | undefined {
  let rest = text;
  let negative: boolean | undefined;
  const currencies: Partial<Record<Side, string>> = {};
  for (;;) {
    const isZero = negative === undefined && dialect.zeroMarks?.includes(rest);
    const digits = isZero ? '0' : plainDigits(rest, dialect);
    if (digits !== undefined) return withSign(digits, negative, currencies);
    const mark = outermostMark(rest, dialect);
    if (mark === undefined) return undefined;
    const { side, isNegative, currency } = mark;
    if (isNegative !== undefined) {
      // Two signs may cancel each other or repeat each other: the text does not say.
      if (negative !== undefined) return undefined;
      negative = isNegative;
    }
    if (currency !== undefined) {
      if (currencies[side] !== undefined) return undefined;
      currencies[side] = currency;
    }
    rest = mark.rest;
  }
}

function withSign(
  digits: string,
  negative: boolean | undefined,
  { start, end }: Partial<Record<Side, string>>,
): NumberRead | undefined {
  const text = negative ? `-${digits}` : digits;
  const currency = start ?? end;
  if (currency === undefined) return { text };
  return end === undefined || end === currency ? { text, currency } : undefined;
}

function plainDigits(text: string, dialect: NumberDialect): string | undefined {
  const { decimalSeparator: decimal, thousandsSeparator: thousands } = dialect;
  let digits = text;
  if (!UNGROUPED[decimal].test(text)) {
    if (thousands === undefined || !GROUPED.get(decimal + thousands)?.test(text)) return undefined;
    digits = text.replaceAll(THOUSANDS.get(thousands) ?? '', '');
  }
  const plain = decimal === '.' ? digits : digits.replace(',', '.');
  return plain.startsWith('.') ? `0${plain}` : plain;
}

type Side = 'start' | 'end';

interface Mark {
  readonly side: Side;
  readonly rest: string;
  readonly isNegative?: boolean;
  readonly currency?: string;
}

const SIGNS: ReadonlyMap<string, boolean> = new Map([
  ['-', true],
  ['−', true],
  ['+', false],
]);

/** A sign stands directly at what it belongs to; a space may stand beside other marks. */
function outermostMark(text: string, dialect: NumberDialect): Mark | undefined {
  const isNegative = /^.\S/.test(text) ? SIGNS.get(text[0] ?? '') : undefined;
  if (isNegative !== undefined) return { side: 'start', rest: text.slice(1), isNegative };
  if (dialect.parenthesesNegative && text.startsWith('(') && text.endsWith(')')) {
    return { side: 'start', rest: text.slice(1, -1), isNegative: true };
  }
  if (dialect.trailingMinus && /\d[-−]$/.test(text)) {
    return { side: 'end', rest: text.slice(0, -1), isNegative: true };
  }
  return longestWord(text, dialect);
}

function longestWord(text: string, dialect: NumberDialect): Mark | undefined {
  let longest: Mark | undefined;
  const lower = text.toLowerCase();
  const take = (word: string, meaning: Pick<Mark, 'isNegative' | 'currency'>) => {
    const mark = word.toLowerCase();
    let found: Mark | undefined;
    if (lower.startsWith(mark)) {
      found = { side: 'start', rest: text.slice(word.length).trimStart(), ...meaning };
    } else if (lower.endsWith(mark)) {
      found = { side: 'end', rest: text.slice(0, -word.length).trimEnd(), ...meaning };
    }
    if (found && (longest === undefined || found.rest.length < longest.rest.length)) {
      longest = found;
    }
  };
  for (const word of dialect.negativeMarks ?? []) take(word, { isNegative: true });
  for (const word of dialect.positiveMarks ?? []) take(word, { isNegative: false });
  for (const [word, currency] of Object.entries(dialect.currencyMarks ?? {})) {
    take(word, { currency });
  }
  return longest;
}

/**
 * A mark that is declared for two meanings, in whatever case, or that has a digit: no profile may have
 * one, because a text would not say which meaning it has.
 */
export function ambiguousMark(dialect: NumberDialect): string | undefined {
  const { negativeMarks = [], positiveMarks = [], currencyMarks = {} } = dialect;
  const marks = [...negativeMarks, ...positiveMarks, ...Object.keys(currencyMarks)];
  const folded = marks.map((mark) => mark.toLowerCase());
  return marks.find((mark, at) => /\d/.test(mark) || folded.indexOf(mark.toLowerCase()) < at);
}
