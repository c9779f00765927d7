import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount, formatMoney, parseAmount } from '../../ledger/money.ts';
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

/** A total of the sender beside that of the file: `rows`, `due` or `due:EUR`. Decimal strings. */
export interface ComparedTotal {
  readonly name: string;
  readonly sender: string;
  readonly file: string;
}

/** The amount of a field in the file's row of totals, with its column; undefined where its cell is empty. */
type TotalOf = (
  field: AmountField,
  currency: string,
) => { readonly column: string; readonly amount: bigint } | undefined;

/** The sums of the amount columns of a statement, by currency. */
export class ControlTotals {
  /** What was compared with the sender's totals so far. */
  readonly compared: ComparedTotal[] = [];
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
          formatMoney(sum, currency),
        ]),
      ),
    );
  }

  /** Compares the sums with those of the sender. Each difference is a fault. */
  check(rows: number, expected: ExpectedTotals, report: Report): void {
    if (expected.rows !== undefined) {
      this.compared.push({ name: 'rows', sender: `${expected.rows}`, file: `${rows}` });
      if (expected.rows !== rows) {
        report.fault(
          0,
          '',
          'control_total',
          `expected ${expected.rows} rows; the file has ${rows}`,
          `${rows}`,
        );
      }
    }
    const sums = this.sums();
    for (const [name, text] of Object.entries(expected.sums)) {
      const sum = Object.hasOwn(sums, name) ? sums[name] : undefined;
      const digits = sum?.split('.')[1]?.length ?? 0;
      const wanted = parseAmount(text, digits);
      if (sum === undefined || wanted === undefined) {
        const message = `expected one of ${Object.keys(sums).join(', ')} and a plain decimal`;
        report.fault(0, name, 'control_total', message, text);
        continue;
      }
      const sender = wanted.rounded ? text : formatAmount(wanted.amountMinor, digits);
      this.compared.push({ name, sender, file: sum });
      if (sender !== sum) {
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
      if (total === undefined) continue;
      const file = formatAmount(this.#sumOfAll(field, digits), digits);
      const sender = formatAmount(total.amount, digits);
      this.compared.push({ name: field, sender, file });
      if (sender === file) continue;
      const message = `the file states a total of ${sender}; the rows above add up to ${file}`;
      report.fault(row, total.column, 'control_total', message, sender);
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
