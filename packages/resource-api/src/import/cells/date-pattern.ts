/** A format of dates, such as `DD.MM.YYYY hh:mm`, as a regular expression with what its parts mean. */

export interface DatePattern {
  /** Groups: year, short (two digits of one), month, name, day, hour, minute, second, half. */
  readonly shape: RegExp;
  /** Without a day: the last one of the month is meant. */
  readonly monthOnly: boolean;
}

const FRACTION = '(?:\\.0{1,9})?(?:Z|\\+00:00)?';
const SPACE = '[ \\u00a0\\u2009\\u202f]';
const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<short>\\d{2})',
  MMMM: '(?<name>[\\p{L}\\p{M}]{3,12}\\.?)',
  MMM: '(?<name>[\\p{L}\\p{M}]{3,12}\\.?)',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  hh: '(?<hour>\\d{2})',
  h: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
  AM: '(?<half>AM|PM)',
  '-': '-',
  '/': '\\/',
  '.': '\\.',
  ',': ',',
  ':': ':',
  ' ': SPACE,
  T: `(?:T|${SPACE})`,
};
const TOKEN = /YYYY|YY|MMMM|MMM|MM|M|DD|D|hh|h|mm|ss|AM|[-/.,: T]/g;

const SEPARATED = '[-/., ]{1,2}';
const DATE = 'YYYY|YY|MMMM|MMM|MM|M|DD|D';
/** Parts of a date, then perhaps a time. `compile` checks that each part is there once. */
const WELL_FORMED = new RegExp(
  `^(?:${DATE})(?:(?:${SEPARATED})?(?:${DATE})){1,2}(?:(?:T| |, )h{1,2}:mm(?::ss)?(?: ?AM)?)?$`,
);

const PATTERNS = new Map<string, DatePattern | undefined>();
/** As many as profiles declare; the inspector tries a fixed list. */
const MOST_PATTERNS = 1_000;

/**
 * A day, a month and a year in any order, or a month and a year; after a day perhaps a time. Digits of two
 * parts may touch where each part has a fixed number of them. Undefined where the format is not well formed.
 */
export function datePattern(format: string): DatePattern | undefined {
  if (PATTERNS.has(format)) return PATTERNS.get(format);
  const pattern = compile(format);
  if (PATTERNS.size < MOST_PATTERNS) PATTERNS.set(format, pattern);
  return pattern;
}

function compile(format: string): DatePattern | undefined {
  if (format.length > 40 || !WELL_FORMED.test(format)) return undefined;
  const tokens: readonly string[] = format.match(TOKEN) ?? [];
  const count = (letter: string) => tokens.filter((token) => token.startsWith(letter)).length;
  const [years, months, days] = [count('Y'), count('M'), count('D')];
  const monthOnly = days === 0;
  const hasTime = tokens.includes('mm');
  if (years !== 1 || months !== 1 || days > 1 || (monthOnly && hasTime)) return undefined;
  if (touches(tokens)) return undefined;
  const shape = tokens.map((token) => TOKENS[token]).join('');
  return { shape: new RegExp(`^${shape}${ending(tokens)}$`, 'u'), monthOnly };
}

const VARIABLE = ['D', 'M'];

/** Digits of unknown number beside other digits: 1112025 is 1 November or 11 January. */
function touches(tokens: readonly string[]): boolean {
  return tokens.some((token, index) => {
    const next = tokens[index + 1];
    if (next === undefined || !isDigits(token) || !isDigits(next)) return false;
    return VARIABLE.includes(token) || VARIABLE.includes(next);
  });
}

function isDigits(token: string): boolean {
  return /^(?:Y+|MM?|DD?)$/.test(token);
}

/** Programs add seconds, fractions and the zone of a midnight. */
function ending(tokens: readonly string[]): string {
  const last = tokens.at(-1);
  if (last === 'ss' && tokens.includes('T')) return FRACTION;
  return last === 'mm' && tokens.includes('h') ? '(?::(?<second>\\d{2}))?' : '';
}
