import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount, parseAmount } from '../../ledger/money.ts';
import type { TableRow } from '../file/table.ts';
import { AMOUNT_FIELDS, type AmountField } from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import type { Report } from './report.ts';
import type { StatementRow } from './statement-row.ts';

/** What a sender says that a file holds: `due` or, in a file of several currencies, `due:EUR`. */
export interface ExpectedTotals {
  readonly rows?: number;
  /** Decimal strings. */
  readonly sums: Readonly<Record<string, string>>;
}

/** The amount of a field in the file's row of totals, with its column; undefined where its cell is empty. */
type TotalOf = (
  field: AmountField,
  currency: string,
) => { readonly column: string; readonly amount: bigint } | undefined;

/** The sums of the amount columns of a statement, by currency. */
export class ControlTotals {
  readonly #fields: readonly AmountField[];
  readonly #sums = new Map<string, Map<AmountField, bigint>>();

  constructor({ columns }: ImportProfile) {
    this.#fields = AMOUNT_FIELDS.filter((field) => columns[field] !== undefined);
  }

  add({ currency, amounts }: StatementRow): void {
    let sums = this.#sums.get(currency);
    if (sums === undefined) {
      sums = new Map();
      this.#sums.set(currency, sums);
    }
    for (const field of this.#fields) {
      sums.set(field, (sums.get(field) ?? 0n) + (amounts[field] ?? 0n));
    }
  }

  /** As decimal strings of their currency. */
  sums(): Readonly<Record<string, string>> {
    const several = this.#sums.size > 1;
    return Object.fromEntries(
      [...this.#sums].flatMap(([currency, sums]) =>
        [...sums].map(([field, sum]) => [
          several ? `${field}:${currency}` : field,
          formatAmount(sum, minorUnitDigits(currency) ?? 2),
        ]),
      ),
    );
  }

  /** Compares the sums with those of the sender. Each difference is a fault. */
  check(rows: number, expected: ExpectedTotals, report: Report): void {
    if (expected.rows !== undefined && expected.rows !== rows) {
      report.fault(
        0,
        '',
        'control_total',
        `expected ${expected.rows} rows; the file has ${rows}`,
        `${rows}`,
      );
    }
    const sums = this.sums();
    for (const [name, text] of Object.entries(expected.sums)) {
      const sum = sums[name];
      const digits = sum?.split('.')[1]?.length ?? 0;
      const wanted = parseAmount(text, digits);
      if (sum === undefined || wanted === undefined) {
        const message = `expected one of ${Object.keys(sums).join(', ')} and a plain decimal`;
        report.fault(0, name, 'control_total', message, text);
      } else if (wanted.rounded || formatAmount(wanted.amountMinor, digits) !== sum) {
        report.fault(
          0,
          name,
          'control_total',
          `expected a sum of ${text}; the rows add up to ${sum}`,
          sum,
        );
      }
    }
  }

  /** Compares the sums with those in the file's row of totals. */
  compare({ row }: TableRow, totalOf: TotalOf, report: Report): void {
    // Senders add up what is in several currencies: no amount of money, and yet a check of the file.
    const [digits = 2] = [...this.#sums.keys()]
      .map((code) => minorUnitDigits(code) ?? 2)
      .sort()
      .reverse();
    const [currency = ''] = [...this.#sums.keys()].filter(
      (code) => minorUnitDigits(code) === digits,
    );
    for (const field of this.#fields) {
      const total = totalOf(field, currency);
      const sum = this.#sumOfAll(field, digits);
      if (total === undefined || total.amount === sum) continue;
      const value = formatAmount(total.amount, digits);
      const message = `the file states a total of ${value}; the rows above add up to ${formatAmount(sum, digits)}`;
      report.fault(row, total.column, 'control_total', message, value);
    }
  }

  #sumOfAll(field: AmountField, digits: number): bigint {
    let all = 0n;
    for (const [currency, sums] of this.#sums) {
      const missing = digits - (minorUnitDigits(currency) ?? 2);
      all += (sums.get(field) ?? 0n) * 10n ** BigInt(missing);
    }
    return all;
  }
}
