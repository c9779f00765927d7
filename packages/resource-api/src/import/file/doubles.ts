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
