import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount, formatMoney, parseAmount } from '../../ledger/money.ts';
import type { TableRow } from '../file/table.ts';
import { AMOUNT_FIELDS, type AmountField } from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import { nameOfWhole, type Whole, wholeOf } from './facility-amounts.ts';
import type { Report } from './report.ts';
import type { StatementRow } from './statement-row.ts';

/** What a sender says that a file holds: `due` or, in a file of several currencies, `due:EUR`. */
export interface ExpectedTotals {
  readonly rows?: number;
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

type Sums = Map<string, Map<AmountField, bigint>>;

/**
 * The sums of the amount columns of a statement, by currency. Where rows repeat the amount of a loan or
 * facility, it counts once; a sender who adds up the column with its repetitions is right too.
 */
export class ControlTotals {
  readonly compared: ComparedTotal[] = [];
  readonly #profile: ImportProfile;
  readonly #fields: readonly AmountField[];
  readonly #wholes: ReadonlyMap<AmountField, Whole>;
  readonly #sums: Sums = new Map();
  /** The same where no rows repeat an amount. */
  readonly #sumsOfColumns: Sums;
  readonly #counted = new Set<string>();
  readonly #totalled = new Set<string>();

  constructor(profile: ImportProfile) {
    this.#profile = profile;
    this.#fields = AMOUNT_FIELDS.filter((field) => profile.columns[field] !== undefined);
    this.#wholes = new Map(
      this.#fields.flatMap((field) => {
        const whole = wholeOf(field, profile);
        return whole === undefined ? [] : [[field, whole] as const];
      }),
    );
    this.#sumsOfColumns = this.#wholes.size === 0 ? this.#sums : new Map();
  }

  add(row: StatementRow): void {
    const repeated = this.#repeatedIn(row);
    for (const field of this.#fields) {
      const amount = row.amounts[field] ?? 0n;
      const whole = this.#wholes.get(field);
      const isRepeated = whole !== undefined && repeated.has(whole);
      addTo(this.#sums, row.currency, field, isRepeated ? 0n : amount);
      if (this.#wholes.size > 0) addTo(this.#sumsOfColumns, row.currency, field, amount);
    }
  }

  /** The wholes of a row that an earlier row has stated. */
  #repeatedIn(row: StatementRow): ReadonlySet<Whole> {
    const repeated = new Set<Whole>();
    for (const whole of new Set(this.#wholes.values())) {
      const name = nameOfWhole(whole, row, this.#profile);
      if (this.#counted.has(name)) repeated.add(whole);
      this.#counted.add(name);
    }
    return repeated;
  }

  sums(): Readonly<Record<string, string>> {
    return named(this.#sums);
  }

  /** Compares the sums with those of the sender. Each difference is a fault. */
  check(rows: number, expected: ExpectedTotals, report: Report): void {
    if (expected.rows !== undefined) {
      const [sender, file] = [`${expected.rows}`, `${rows}`];
      this.compared.push({ name: 'rows', sender, file });
      const message = `expected ${sender} rows; the file has ${file}`;
      if (sender !== file) report.fault(0, '', 'control_total', message, file);
    }
    const sums = this.sums();
    const sumsOfColumns = named(this.#sumsOfColumns);
    for (const [name, text] of Object.entries(expected.sums)) {
      const once = Object.hasOwn(sums, name) ? sums[name] : undefined;
      const digits = once?.split('.')[1]?.length ?? 0;
      const wanted = parseAmount(text, digits);
      if (once === undefined || wanted === undefined) {
        const message =
          once === undefined
            ? `the file has no sum of this name; expected one of ${Object.keys(sums).join(', ')}`
            : 'expected a plain decimal such as 12000000.00, without separators of thousands';
        report.fault(0, name, 'invalid_control', message, text);
        continue;
      }
      const sender = wanted.rounded ? text : formatAmount(wanted.amountMinor, digits);
      const file = sender === sumsOfColumns[name] ? sender : once;
      this.compared.push({ name, sender, file });
      const message = `expected a sum of ${text}; the rows add up to ${file}`;
      if (sender !== file) report.fault(0, name, 'control_total', message, file);
    }
  }

  /** The currencies of the rows that no row of totals was compared with, where one was with others. */
  get currenciesWithoutTotals(): readonly string[] {
    if (this.#totalled.size === 0) return [];
    return [...this.#sums.keys()].filter((currency) => !this.#totalled.has(currency));
  }

  /** The one of the rows' currencies that a text such as `Total EUR` names. */
  currencyIn(text: string): string | undefined {
    return wordIn(text, this.#sums);
  }

  /** Compares the sums with those in a row of totals: of one currency, or of all where it names none. */
  compare({ row }: TableRow, named: string | undefined, totalOf: TotalOf, report: Report): void {
    // Senders add up what is in several currencies: no amount of money, and yet a check of the file.
    const added = named === undefined ? [...this.#sums.keys()] : [named];
    const currencies = added.map((code) => [code, digitsOf(code)] as const);
    const digits = currencies.length === 0 ? 2 : Math.max(...currencies.map(([, most]) => most));
    const [currency = ''] = currencies.find(([, most]) => most === digits) ?? [];
    const isOneOfSeveral = named !== undefined && this.#sums.size > 1;
    const rows = isOneOfSeveral ? `the rows in ${named}` : 'the rows above';
    for (const field of this.#fields) {
      const total = totalOf(field, currency);
      if (total === undefined) continue;
      const sender = formatAmount(total.amount, digits);
      const ofColumn = formatAmount(sumOf(this.#sumsOfColumns, added, field, digits), digits);
      const once = formatAmount(sumOf(this.#sums, added, field, digits), digits);
      const file = sender === ofColumn ? ofColumn : once;
      this.compared.push({ name: isOneOfSeveral ? `${field}:${named}` : field, sender, file });
      for (const code of added) this.#totalled.add(code);
      if (sender === file) continue;
      const message = `the file states a total of ${sender}; ${rows} add up to ${file}`;
      report.fault(row, total.column, 'control_total', message, sender);
    }
  }
}

function digitsOf(currency: string): number {
  return minorUnitDigits(currency) ?? 2;
}

function addTo(all: Sums, currency: string, field: AmountField, amount: bigint): void {
  const sums = all.get(currency) ?? new Map<AmountField, bigint>();
  sums.set(field, (sums.get(field) ?? 0n) + amount);
  all.set(currency, sums);
}

function named(all: Sums): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...all].flatMap(([currency, sums]) =>
      [...sums].map(([field, sum]) => [
        all.size > 1 ? `${field}:${currency}` : field,
        formatMoney(sum, currency),
      ]),
    ),
  );
}

function sumOf(
  all: Sums,
  currencies: readonly string[],
  field: AmountField,
  digits: number,
): bigint {
  return currencies.reduce((sum, currency) => {
    const amount = all.get(currency)?.get(field) ?? 0n;
    return sum + amount * 10n ** BigInt(digits - digitsOf(currency));
  }, 0n);
}

/** The first word of a text that is among some. */
export function wordIn(
  text: string,
  some: { readonly has: (word: string) => boolean },
): string | undefined {
  return text.split(/[^\p{L}\p{N}]+/u).find((word) => some.has(word));
}
