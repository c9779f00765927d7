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

/** A total of the sender beside that of the file: `rows`, `due` or `due:EUR`. Decimal strings. */
export interface ComparedTotal {
  readonly name: string;
  readonly sender: string;
  readonly file: string;
}

/** The amount of a field in the file's row of totals; undefined where its cell is empty. */
type TotalOf = (field: AmountField, currency: string) => bigint | undefined;

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
          formatAmount(sum, minorUnitDigits(currency) ?? 2),
        ]),
      ),
    );
  }

  /** Compares the sums with those of the sender. Each difference is a fault. */
  check(rows: number, expected: ExpectedTotals, report: Report): void {
    if (expected.rows !== undefined) {
      this.compared.push({ name: 'rows', sender: `${expected.rows}`, file: `${rows}` });
      if (expected.rows !== rows) {
        report.fault(0, '', 'control_total', `expected ${expected.rows} rows`, `${rows}`);
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
        report.fault(0, name, 'control_total', `expected a sum of ${text}`, sum);
      }
    }
  }

  /** Compares the sums with those in the file's row of totals. */
  compare({ row }: TableRow, totalOf: TotalOf, report: Report): void {
    if (this.#sums.size > 1) {
      const message = 'expected rows of one currency above totals that name none';
      report.fault(row, '', 'control_total', message, '');
      return;
    }
    const [[currency, sums] = ['', new Map<AmountField, bigint>()]] = this.#sums;
    const digits = minorUnitDigits(currency) ?? 2;
    for (const field of this.#fields) {
      const total = totalOf(field, currency);
      if (total === undefined) continue;
      const sum = formatAmount(sums.get(field) ?? 0n, digits);
      const sender = formatAmount(total, digits);
      this.compared.push({ name: field, sender, file: sum });
      if (sender === sum) continue;
      const message = `expected ${sum}, the sum of the rows above`;
      report.fault(row, field, 'control_total', message, sender);
    }
  }
}
