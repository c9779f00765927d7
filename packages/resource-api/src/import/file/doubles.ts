/** Numbers of a workbook's cells: doubles, which are exact to 15 decimal digits. */

export const DOUBLE_DIGITS = 15;

/** The shortest decimal that is this double, without an exponent: `1e21` has 22 digits. */
export function plainDecimal(value: number): string {
  const text = `${value}`;
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', first = '', others = '', exponent = ''] = match;
  const digits = first + others;
  const power = Number(exponent);
  return power < 0
    ? `${sign}0.${'0'.repeat(-power - 1)}${digits}`
    : sign + digits.padEnd(power + 1, '0');
}

/** Of a plain decimal: without zeros that only say where the point is. */
export function significantDigits(decimal: string): number {
  const digits = decimal.replace(/[-.]/g, '').replace(/^0+/, '');
  return digits.replace(/0+$/, '').length;
}

/** Below it, 15 digits leave four decimals, which is more than money has. */
const EXACT_BELOW = 1e11;
/** Below it, 15 digits leave two decimals, and noise is far smaller than a cent. */
const NOISE_BELOW = 1e13;
/** No program writes as many; to count zeros takes time with the square of them. */
const WRITTEN_MAX_CHARS = 1_000;

/**
 * The number that a stored text stands for: its first 15 digits, which are what Excel shows, and which
 * leave out the noise of doubles (0.30000000000000004 is 0.3). It keeps more digits where 15 are too few
 * for money, or for a number that is an id: who reads the cell refuses it.
 *
 * @param text of a finite number, as XML has it.
 */
export function sheetNumber(text: string): number {
  const number = Number(text);
  if (text.length <= DOUBLE_DIGITS || text.length > WRITTEN_MAX_CHARS) return number;
  if (significantDigits(text.split(/e/i, 1)[0] ?? '') <= DOUBLE_DIGITS) return number;
  const shown = Number(number.toPrecision(DOUBLE_DIGITS));
  const size = Math.abs(number);
  if (size < EXACT_BELOW) return shown;
  // The distance between a double and the next one.
  const ulp = 2 ** (Math.floor(Math.log2(size)) - 52);
  return size < NOISE_BELOW && Math.abs(number - shown) <= ulp ? shown : number;
}
