import { isKey, isStorable, KEY_EXPECTED, STORABLE_EXPECTED } from '@cls/shared/text';
import type { BusinessDate } from '../../ledger/business-date.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { EXTERNAL_VALUE_EXPECTED, isExternalValue, PARTY_REF } from '../../ledger/external-id.ts';
import type { FacilityType } from '../../ledger/facility-type.ts';
import { dateExpected } from '../cells/date-refusal.ts';
import { readDate } from '../cells/dates.ts';
import { rateExpected, readRate } from '../cells/rates.ts';
import { cellText } from '../cells/text.ts';
import type { Cell, TableRow } from '../file/table.ts';
import {
  type AmountField,
  DATE_FIELDS,
  type DateField,
  type Field,
  type ImportProfile,
} from '../profile/profile.ts';
import { AmountReader } from './amount-reader.ts';
import type { Columns } from './columns.ts';
import type { Report } from './report.ts';
import { shareOf } from './shares.ts';
import type { StatedParty } from './stated-deal.ts';
import { partyOf, partyRef } from './stated-party.ts';
import type { StatementRow } from './statement-row.ts';

/** Of a cell; names of journal files are as long. */
const TEXT_MAX = 500;
const UNLISTED = 'the profile does not list this value';
/** What Unicode calls an unknown region: the country of deals whose statement has none. */
const UNKNOWN_COUNTRY = 'ZZ';

interface RowReaderDeps {
  readonly columns: Columns;
  readonly header: readonly string[];
  readonly profile: ImportProfile;
  readonly report: Report;
  /** The date of a file that has no column for it. */
  readonly asOf: BusinessDate | undefined;
}

/** Reads rows by a profile, cell by cell. */
export class RowReader {
  asOf: BusinessDate | undefined;
  readonly #columns: Columns;
  readonly #header: readonly string[];
  readonly #profile: ImportProfile;
  readonly #report: Report;
  readonly #amounts: AmountReader;
  readonly #emptyMarks: ReadonlySet<string>;
  #cells: readonly Cell[] = [];
  #row = 0;

  constructor({ columns, header, profile, report, asOf }: RowReaderDeps) {
    this.asOf = asOf;
    this.#columns = columns;
    this.#header = header;
    this.#profile = profile;
    this.#report = report;
    this.#emptyMarks = new Set(profile.emptyMarks);
    this.#amounts = new AmountReader(profile, columns, report);
  }

  /** @returns undefined when the row has a fault, which is then reported. */
  read(line: TableRow): StatementRow | undefined {
    const faultsBefore = this.#report.faultCount;
    if (!this.#take(line)) return undefined;
    this.#checkTexts();
    this.#readAsOf();
    const currency = this.#currency();
    const numbers = this.#numbers();
    const borrower = this.#borrower();
    const result: StatementRow = {
      row: this.#row,
      ...numbers,
      dealName: this.#text('dealName') || this.#text('name') || undefined,
      facilityName: this.#text('facilityName') || this.#text('name') || undefined,
      country: this.#country() || UNKNOWN_COUNTRY,
      borrower,
      unnamedBorrower: this.#unnamedBorrower(borrower, numbers.dealNumber),
      guarantor: this.#guarantor(),
      agent: this.#party('agent'),
      lender: this.#party('lender'),
      share: this.#share(),
      facilityType: this.#facilityType(),
      statuses: this.#statuses(),
      allInRate: this.#rate(),
      currency,
      amounts: this.#amounts.read(this.#row, currency, (field) => this.#cell(field)),
      dates: this.#dates(),
    };
    return this.#report.faultCount > faultsBefore ? undefined : result;
  }

  /** An amount of the row of totals; undefined where its cell is empty. */
  total(line: TableRow, field: AmountField, currency: string): bigint | undefined {
    this.#cells = line.cells;
    this.#row = line.row;
    const cell = this.#cell(field);
    if (cellText(cell) === '') return undefined;
    return this.#amounts.readOne(this.#row, field, cell, currency);
  }

  #take({ cells, row }: TableRow): boolean {
    this.#row = row;
    this.#cells = cells;
    const width = this.#header.length;
    if (cells.length === width) return true;
    const message = `expected ${width} columns, got ${cells.length}`;
    this.#report.fault(row, '', 'row_width', message, '');
    return false;
  }

  #checkTexts(): void {
    for (const [index, cell] of this.#cells.entries()) {
      if (typeof cell !== 'string') continue;
      const column = this.#header[index] ?? '';
      if (!isStorable(cell)) {
        this.#report.fault(this.#row, column, 'nul_character', STORABLE_EXPECTED, '');
      } else if (cell.length > TEXT_MAX) {
        const message = `expected at most ${TEXT_MAX} characters`;
        this.#report.fault(this.#row, column, 'text_too_long', message, cell);
      }
    }
  }

  #cell(field: Field): Cell {
    const cell = this.#cells[this.#columns.get(field)?.index ?? -1] ?? '';
    return typeof cell === 'string' && this.#emptyMarks.has(cell.trim()) ? '' : cell;
  }

  #text(field: Field): string {
    return cellText(this.#cell(field));
  }

  /** A missing column is reported once, for the header, and not for each row. */
  #has(field: Field): boolean {
    return this.#columns.has(field) || this.#profile.columns[field] === undefined;
  }

  #fault(field: Field, code: string, message: string, value: string): void {
    this.#report.fault(this.#row, this.#columns.get(field)?.header ?? field, code, message, value);
  }

  #numbers() {
    const { columns } = this.#profile;
    const loan = this.#key('loanNumber');
    const facility = this.#key('facilityNumber');
    const deal = this.#key('dealNumber');
    const own = columns.dealNumber === undefined ? (facility ?? loan) : deal;
    const required: Field =
      columns.dealNumber !== undefined
        ? 'dealNumber'
        : columns.facilityNumber !== undefined
          ? 'facilityNumber'
          : 'loanNumber';
    if (own === undefined && this.#has(required)) {
      this.#fault(required, 'missing_value', 'a value is required', '');
    }
    // A deal of several loans without facility numbers: each loan is a facility.
    const within = facility ?? loan;
    if (columns.dealNumber !== undefined && within === undefined) {
      const field = columns.facilityNumber === undefined ? 'loanNumber' : 'facilityNumber';
      if (columns[field] !== undefined && this.#has(field)) {
        this.#fault(field, 'missing_value', 'a value is required', '');
      }
    }
    const grouped = columns.dealNumber !== undefined && within !== undefined;
    const drawing = columns.loanNumber === undefined ? (facility ?? deal) : loan;
    return {
      dealNumber: own ?? '',
      facilityNumber: grouped ? within : undefined,
      loanNumber: drawing,
    };
  }

  #key(field: Field): string | undefined {
    // Kept for all rows: a copy, because a cut of the file's text would keep all of it.
    const value = Buffer.from(this.#text(field)).toString();
    if (value === '') return undefined;
    const { lender, participants } = this.#profile;
    const reserved = [lender.externalId, participants?.externalId].includes(value);
    if (reserved || value.startsWith(PARTY_REF)) {
      const message = 'this value is reserved for another record';
      this.#fault(field, 'reserved_value', message, value);
    }
    if (!(isKey(value) && isExternalValue(value))) {
      const expected = isKey(value) ? EXTERNAL_VALUE_EXPECTED : KEY_EXPECTED;
      this.#fault(field, 'invalid_key', expected, value);
    }
    return value;
  }

  #borrower(): StatedParty | undefined {
    const number = this.#text('borrowerNumber');
    const name = this.#text('borrower') || number;
    if (name === '') return undefined;
    const countryCode = this.#country();
    const ref = number === '' ? partyRef(name, countryCode) : `${PARTY_REF}#${number}`;
    return { ref, name, countryCode };
  }

  /** The country, where the statement has one, and the deal itself where it has none. */
  #unnamedBorrower(borrower: StatedParty | undefined, dealNumber: string): StatedParty {
    const countryCode = this.#country();
    const stated = this.#text('country');
    if (stated === '' && borrower === undefined && this.#columns.has('country')) {
      this.#fault('country', 'missing_value', 'a value is required', '');
    }
    const name = stated || dealNumber;
    return { ref: partyRef(name, countryCode), name, countryCode };
  }

  #country(): string {
    const { countries, country = '', columns } = this.#profile;
    const field = columns.countryCode === undefined ? 'country' : 'countryCode';
    const value = this.#text(field);
    const listed = countries && own(countries, value);
    if (listed !== undefined) return listed;
    if (columns.countryCode === undefined) return country;
    if (value === '' && country !== '') return country;
    if (this.#has('countryCode') && !/^[A-Z0-9]{2}$/.test(value)) {
      this.#fault('countryCode', 'invalid_country', 'expected two characters', value);
    }
    return value;
  }

  #guarantor(): StatedParty | undefined {
    const name = this.#text('guarantor');
    if (name === '') return undefined;
    const countryCode = this.#text('guarantorCountryCode');
    if (countryCode !== '' && !/^[A-Z0-9]{2}$/.test(countryCode)) {
      const message = 'expected two characters or nothing';
      this.#fault('guarantorCountryCode', 'invalid_country', message, countryCode);
    }
    return { ref: partyRef(name, countryCode), name, countryCode };
  }

  #party(field: 'agent' | 'lender'): StatedParty | undefined {
    const name = this.#text(field);
    if (name !== '') return partyOf(name, this.#profile);
    if (field === 'lender' && this.#profile.rowIs === 'lender' && this.#has('lender')) {
      this.#fault('lender', 'missing_value', 'a value is required', '');
    }
    return undefined;
  }

  #share(): bigint | undefined {
    const { shareUnit } = this.#profile;
    if (shareUnit === undefined || !this.#columns.has('lenderShare')) return undefined;
    const cell = this.#cell('lenderShare');
    const share = shareOf(cell, this.#profile, shareUnit);
    if (typeof share === 'bigint') return share;
    this.#fault('lenderShare', 'invalid_share', share, cellText(cell));
    return undefined;
  }

  #readAsOf(): void {
    if (!this.#columns.has('asOf')) return;
    const cell = this.#cell('asOf');
    const { dateFormats, twoDigitYearsFrom } = this.#profile;
    const date = readDate(cell, dateFormats, twoDigitYearsFrom);
    if (date === undefined) {
      this.#fault('asOf', 'invalid_date', this.#expectedDate(cell), cellText(cell));
    } else if (this.asOf === undefined) {
      this.asOf = date;
    } else if (date !== this.asOf) {
      const message = `all rows must have the same date; the first row has ${this.asOf}`;
      this.#fault('asOf', 'mixed_dates', message, cellText(cell));
    }
  }

  #currency(): string {
    const { currency, currencyColumn } = this.#profile;
    const value = this.#text('currency');
    if (currency === undefined) {
      if (minorUnitDigits(value) === undefined && this.#has('currency')) {
        this.#fault('currency', 'unknown_currency', 'expected an ISO 4217 code', value);
      }
      return value;
    }
    if (value === '' || value === currency) return currency;
    if (currencyColumn === 'loan' && /^[A-Z]{3}$/.test(value)) {
      const message = `the loan is in ${value}; its amounts are in ${currency}`;
      const column = this.#columns.get('currency')?.header ?? 'currency';
      this.#report.warn(this.#row, column, 'loan_currency', message, value);
      return currency;
    }
    const expected = currencyColumn === 'loan' ? 'a currency code' : currency;
    this.#fault('currency', 'unknown_currency', `expected ${expected} or nothing`, value);
    return currency;
  }

  #facilityType(): FacilityType {
    const types = this.#profile.facilityTypes;
    const value = this.#text('loanType');
    const type = own(types, value) ?? types['*'];
    const told = value !== '' || !this.#columns.has('loanType');
    if (type !== undefined && told) return type;
    if (this.#has('loanType')) this.#fault('loanType', 'unknown_loan_type', UNLISTED, value);
    return 'term_loan';
  }

  #statuses(): readonly [string, string, string] {
    const { statuses } = this.#profile;
    const value = this.#text('status');
    const found = own(statuses, value) ?? statuses['*'];
    if (found !== undefined) return found;
    if (this.#has('status')) this.#fault('status', 'unknown_status', UNLISTED, value);
    return ['', '', ''];
  }

  #rate(): string | undefined {
    const { rateUnit } = this.#profile;
    const field = this.#columns.has('ratePercent') ? 'ratePercent' : 'rate';
    const cell = this.#cell(field);
    if (cellText(cell) === '') return undefined;
    const unit = field === 'ratePercent' ? 'percent' : rateUnit;
    const rate = readRate(cell, this.#profile, unit);
    if (rate === undefined) {
      const expected = rateExpected(cell, this.#profile, unit);
      this.#fault(field, 'invalid_rate', expected, cellText(cell));
    }
    return rate;
  }

  #dates(): Partial<Record<DateField, BusinessDate>> {
    const { dateFormats, twoDigitYearsFrom } = this.#profile;
    const dates: Partial<Record<DateField, BusinessDate>> = {};
    for (const field of DATE_FIELDS) {
      const cell = this.#cell(field);
      const text = cellText(cell);
      if (text === '') continue;
      const date = readDate(cell, dateFormats, twoDigitYearsFrom);
      if (date === undefined) this.#fault(field, 'invalid_date', this.#expectedDate(cell), text);
      else dates[field] = date;
    }
    return dates;
  }

  #expectedDate(cell: Cell): string {
    const { dateFormats, twoDigitYearsFrom } = this.#profile;
    return dateExpected(dateFormats, cell, twoDigitYearsFrom);
  }
}

/** Text of the file must not find properties that every object inherits. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
