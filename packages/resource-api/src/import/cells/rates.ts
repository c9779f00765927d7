import { parseAmount } from '../../ledger/money.ts';
import { formatRate, type Rate } from '../../ledger/rate.ts';
import { DOUBLE_DIGITS } from '../file/doubles.ts';
import type { Cell } from '../file/table.ts';
import { type NumberDialect, readNumber } from './numbers.ts';

type RateUnit = 'percent' | 'fraction' | 'basis_points';

interface Unit {
  /** Of a fraction's twelve decimals, those that a rate in this unit can have. */
  readonly decimals: number;
  readonly mark: RegExp;
  readonly example: readonly [string, string];
}

const UNITS: Readonly<Record<RateUnit, Unit>> = {
  percent: { decimals: 10, mark: /%$/, example: ['a percentage', '4.75'] },
  fraction: { decimals: 12, mark: /(?!)/, example: ['a fraction', '0.0475'] },
  basis_points: { decimals: 8, mark: /bps?$/i, example: ['basis points', '475'] },
};

/** 1,000 %, as in journal files. */
const MOST = 10n * 10n ** 12n;
/**
 * −10 %. Rates below zero exist (Euribor from 2015 to 2022, without a floor) and the ledger accrues
 * them, but none was near this: −99 in a tape stands for no rate.
 */
const LEAST = -(10n ** 11n);

/** A rate per year, with or without the mark of its unit, as a fraction with twelve decimals that are enough. */
export function readRate(cell: Cell, dialect: NumberDialect, unit: RateUnit): string | undefined {
  const rate = rateOf(cell, dialect, unit);
  const isRate = typeof rate === 'bigint' && rate <= MOST && rate >= LEAST;
  return isRate ? formatRate(rate as Rate) : undefined;
}

/** What `readRate` expected of a cell that it refused: a sentence. */
export function rateExpected(cell: Cell, dialect: NumberDialect, unit: RateUnit): string {
  const [noun, number] = UNITS[unit].example;
  const expected = `expected ${noun} such as ${number.replace('.', dialect.decimalSeparator)}`;
  if (cell instanceof Date) return `${expected}; this cell is a date in the workbook`;
  const rate = rateOf(cell, dialect, unit);
  if (rate === 'inexact') return `${expected}, with at most ${UNITS[unit].decimals} decimals`;
  if (rate !== undefined && rate > MOST) return `${expected}, of at most 1,000 %`;
  if (rate !== undefined && rate < LEAST) {
    return `${expected}, of at least −10 %; if this stands for no rate, declare it in emptyMarks`;
  }
  const other = Object.entries(UNITS).find(
    ([name, { mark }]) => name !== unit && typeof cell === 'string' && mark.test(cell.trim()),
  );
  if (other === undefined && typeof cell === 'string' && /\p{L}{3}|^\D+$/u.test(cell)) {
    return `${expected}; if this stands for no rate, declare it in emptyMarks`;
  }
  if (other === undefined) return expected;
  const sign = other[0] === 'percent' ? 'a percent sign' : 'bp';
  return `${expected}; this has ${sign}: if all rates of the column have it, declare rateUnit: ${other[0]}`;
}

/** In units of 10⁻¹²; `inexact` where those are too few. */
function rateOf(
  cell: Cell,
  dialect: NumberDialect,
  unit: RateUnit,
): bigint | 'inexact' | undefined {
  const { decimals, mark } = UNITS[unit];
  // A workbook shows 15 digits: 0.0431 + 0.0225 is 0.06559999999999999 in it, and means 0.0656.
  const shown = typeof cell === 'number' ? Number(cell.toPrecision(DOUBLE_DIGITS)) : cell;
  const value = typeof shown === 'string' ? shown.trim().replace(mark, '').trimEnd() : shown;
  const read = readNumber(value, rateDialect(dialect, unit));
  const { amountMinor, rounded } = ('text' in read && parseAmount(read.text, decimals)) || {};
  return rounded ? 'inexact' : amountMinor;
}

/** Marks of amounts mean nothing beside a rate; only basis points reach thousands. */
function rateDialect(dialect: NumberDialect, unit: RateUnit): NumberDialect {
  const { decimalSeparator, thousandsSeparator, parenthesesNegative, trailingMinus } = dialect;
  const grouped = unit === 'basis_points' && thousandsSeparator !== undefined;
  return {
    decimalSeparator,
    parenthesesNegative,
    trailingMinus,
    ...(grouped ? { thousandsSeparator } : {}),
  };
}
