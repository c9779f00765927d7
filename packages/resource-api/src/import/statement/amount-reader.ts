import { minorUnitDigits } from '../../ledger/currency.ts';
import { FACILITY_TYPES, type FacilityType } from '../../ledger/facility-type.ts';
import {
  AMOUNT_MAX_MINOR,
  BOOK_MAX_MINOR,
  formatMoney,
  magnitudeOf,
  parseAmount,
} from '../../ledger/money.ts';
import { readNumber } from '../cells/numbers.ts';
import { cellText } from '../cells/text.ts';
import type { Cell } from '../file/table.ts';
import {
  type Amounts,
  type Derivation,
  sumFor,
  sumOf,
  type Term,
  termsOf,
} from '../profile/derivation.ts';
import { AMOUNT_FIELDS, type AmountField } from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import type { Columns } from './columns.ts';
import { Identities } from './identities.ts';
import type { Report, RowReport } from './report.ts';

interface Derived {
  readonly field: AmountField;
  readonly terms: readonly Term[];
}

function derivedFor(type: FacilityType, { derive }: ImportProfile): readonly Derived[] {
  return (Object.entries(derive) as [AmountField, Derivation][]).flatMap(([field, given]) => {
    const sum = sumFor(given, type);
    return sum === undefined ? [] : [{ field, terms: termsOf(sum) }];
  });
}

/** An amount is posted globally and for its holder, each time on two accounts. */
const GROSS_MAX_MINOR = BOOK_MAX_MINOR / 4n;

/** Reads the amounts of rows, derives what the profile says, and checks what must hold among them. */
export class AmountReader {
  readonly #profile: ImportProfile;
  readonly #columns: Columns;
  readonly #tell: RowReport;
  readonly #derived: ReadonlyMap<FacilityType, readonly Derived[]>;
  readonly #identities: Identities;
  readonly #emptyIsZero: (field: AmountField) => boolean;
  /** All amounts of the rows before by currency, signs aside. */
  readonly #gross = new Map<string, bigint>();

  constructor(profile: ImportProfile, columns: Columns, report: Report, tell: RowReport) {
    this.#profile = profile;
    this.#columns = columns;
    this.#tell = tell;
    this.#derived = new Map(FACILITY_TYPES.map((type) => [type, derivedFor(type, profile)]));
    this.#identities = new Identities(profile, 'rows', report, (field) => tell.headerOf(field));
    const { emptyIsZero } = profile;
    this.#emptyIsZero = (field) => emptyIsZero === true || (emptyIsZero?.includes(field) ?? false);
  }

  read(currency: string, type: FacilityType, cellOf: (field: AmountField) => Cell): Amounts {
    const amounts: Amounts = {};
    let isWhole = true;
    for (const field of AMOUNT_FIELDS) {
      if (this.#profile.columns[field] === undefined) continue;
      const isThere = this.#columns.has(field);
      const amount = isThere ? this.readOne(field, cellOf(field), currency) : undefined;
      if (amount === undefined || !this.#fits(field, amount, currency)) isWhole = false;
      else amounts[field] = amount;
    }
    this.#identities.check(this.#tell.row, amounts, currency);
    this.#derive(amounts, type);
    // Without a fault that says why, such a loan would owe nothing.
    if (isWhole && amounts.due === undefined) {
      const message = `expected a column, or a sum in derive of amounts that the file states for a ${type}: the outstanding principal`;
      this.#tell.fault('due', 'missing_column', message, '');
    }
    for (const field of ['due', 'undisbursed'] as const) {
      const amount = amounts[field] ?? 0n;
      if (amount >= 0n) continue;
      const message = 'this balance is below zero; it is imported as it is';
      this.#tell.warn(field, 'negative_balance', message, formatMoney(amount, currency));
    }
    return amounts;
  }

  /** @returns undefined, with a fault, when the cell is no amount of the profile. */
  readOne(field: AmountField, cell: Cell, currency: string): bigint | undefined {
    const text = cellText(cell);
    if (text === '' && this.#emptyIsZero(field)) return 0n;
    const read = readNumber(cell, this.#profile);
    if ('expected' in read) {
      const hint = text === '' ? `; if that means 0, declare emptyIsZero: [${field}]` : '';
      this.#tell.fault(field, read.code, `${read.expected}${hint}`, text);
      return undefined;
    }
    if (read.currency !== undefined && read.currency !== currency) {
      const message = `expected an amount in ${currency}, the currency of this row; the mark beside it says ${read.currency}`;
      this.#tell.fault(field, 'other_currency', message, text);
      return undefined;
    }
    const digits = minorUnitDigits(currency) ?? 2;
    const parsed = parseAmount(read.text, digits + SHIFT[this.#profile.amountsIn]);
    if (parsed === undefined) {
      const message = `expected at most ${formatMoney(AMOUNT_MAX_MINOR, currency)}`;
      this.#tell.fault(field, 'amount_too_large', message, text);
      return undefined;
    }
    if (parsed.rounded) this.#excessDecimals(field, text, currency);
    return parsed.amountMinor;
  }

  #excessDecimals(field: AmountField, value: string, currency: string) {
    const { amountsIn, excessDecimals, decimalSeparator, thousandsSeparator } = this.#profile;
    const digits = (minorUnitDigits(currency) ?? 2) + SHIFT[amountsIn];
    const unit = amountsIn === 1 ? currency : `an amount in ${amountsIn} ${currency}`;
    const fact =
      digits === 0
        ? `expected no decimals, because ${unit} has none`
        : `expected at most ${digits} decimals, which ${unit} has`;
    if (excessDecimals === 'round') {
      this.#tell.warn(field, 'rounded', `${fact}; rounded half away from zero`, value);
      return;
    }
    const other = decimalSeparator === '.' ? ',' : '.';
    const mayGroup =
      thousandsSeparator === undefined && /^[-−+]?[1-9]\d{0,2}[.,]\d{3}$/.test(value);
    const grouped = mayGroup
      ? `; if this is ${value.replace(/[.,]/, '')}, declare thousandsSeparator: '${decimalSeparator}' and decimalSeparator: '${other}'`
      : '';
    const message = `${fact}${grouped}; to round such amounts, declare excessDecimals: round`;
    this.#tell.fault(field, 'excess_decimals', message, value);
  }

  #fits(field: AmountField, amount: bigint, currency: string): boolean {
    const gross = (this.#gross.get(currency) ?? 0n) + magnitudeOf(amount);
    // Told once, and not for each row that follows.
    this.#gross.set(currency, gross > GROSS_MAX_MINOR ? 0n : gross);
    if (gross <= GROSS_MAX_MINOR) return true;
    const most = formatMoney(GROSS_MAX_MINOR, currency);
    const message = `expected that all amounts through this row come to at most ${most}`;
    this.#tell.fault(field, 'amount_too_large', message, formatMoney(amount, currency));
    return false;
  }

  /** A sum of others may need sums that stand after it. */
  #derive(amounts: Amounts, facilityType: FacilityType): void {
    const derived = this.#derived.get(facilityType) ?? [];
    for (let left = derived.length; left > 0; left -= 1) {
      const before = Object.keys(amounts).length;
      for (const { field, terms } of derived) {
        const amount = amounts[field] ?? sumOf(terms, amounts);
        if (amount !== undefined) amounts[field] = amount;
      }
      if (Object.keys(amounts).length === before) return;
    }
  }
}

/** Decimals by which amounts in thousands or millions are moved. */
const SHIFT = { 1: 0, 1000: 3, 1000000: 6 } as const;
