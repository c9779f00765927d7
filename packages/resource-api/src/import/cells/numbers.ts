import { DOUBLE_DIGITS, plainDecimal, significantDigits } from '../file/doubles.ts';
import type { Cell } from '../file/table.ts';
import { decimalExpected, whyNoNumber } from './number-refusal.ts';
import { type NumberDialect, type NumberRead, numberOf } from './number-shape.ts';

export type { NumberDialect, NumberRead };

export interface NumberRefused {
  /** A sentence: what was expected under the dialect, and what to declare where that helps. */
  readonly expected: string;
  readonly code: 'invalid_amount' | 'date_for_amount' | 'inexact_amount';
}

const PLAIN = /^-?\d+(?:\.\d+)?$/;

/** Reads a cell by what the dialect declares; a number of a workbook, whatever the dialect says about text. */
export function readNumber(cell: Cell, dialect: NumberDialect): NumberRead | NumberRefused {
  if (typeof cell === 'number') return readDouble(cell, dialect);
  if (typeof cell !== 'string') {
    const expected = `${decimalExpected(dialect)}; this cell is a date in the workbook`;
    return { expected, code: 'date_for_amount' };
  }
  const text = cell.trim();
  // Most cells of most files.
  const isPlain = dialect.decimalSeparator === '.' && PLAIN.test(text);
  if (isPlain && !dialect.zeroMarks?.includes(text)) return { text };
  const read = numberOf(text, dialect);
  return read ?? { expected: whyNoNumber(text, dialect), code: 'invalid_amount' };
}

function readDouble(value: number, dialect: NumberDialect): NumberRead | NumberRefused {
  if (!Number.isFinite(value))
    return { expected: decimalExpected(dialect), code: 'invalid_amount' };
  const text = plainDecimal(value);
  if (text.length <= DOUBLE_DIGITS) return { text };
  const digits = significantDigits(text);
  if (digits <= DOUBLE_DIGITS) return { text };
  const expected =
    `expected at most ${DOUBLE_DIGITS} digits, which a workbook keeps exactly; ` +
    `this number has ${digits}: round it in the workbook, or give it as text`;
  return { expected, code: 'inexact_amount' };
}
