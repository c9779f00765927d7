import { isStorable, STORABLE_EXPECTED } from '@cls/shared/text';
import type { BusinessDate } from '../../ledger/business-date.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { PARTY_REF } from '../../ledger/external-id.ts';
import type { FacilityType } from '../../ledger/facility-type.ts';
import { dateExpected } from '../cells/date-refusal.ts';
import { readDate } from '../cells/dates.ts';
import { rateExpected, readRate } from '../cells/rates.ts';
import { cellText, kept } from '../cells/text.ts';
import { DOUBLE_DIGITS, significantDigits } from '../file/doubles.ts';
import type { Cell, TableRow } from '../file/table.ts';
import {
  AMOUNT_FIELDS,
  type AmountField,
  DATE_FIELDS,
  type DateField,
  type Field,
  IDENTIFYING,
} from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import { AmountReader } from './amount-reader.ts';
import type { Columns } from './columns.ts';
import { isTotalsWord, numberOf, whyNoKey } from './loan-key.ts';
import { REQUIRED, type Report, RowReport } from './report.ts';
import { datesTold } from './row-choice.ts';
import { shareOf } from './shares.ts';
import type { StatedParty } from './stated-deal.ts';
import { NUMBERED, namedParty, partyOf } from './stated-party.ts';
import type { StatementRow } from './statement-row.ts';

/** Of a cell; names of journal files are as long. */
const TEXT_MAX = 500;
/** 9999-12-31 is what some programs write for no end. */
const LATEST_LIKELY = '2199-12-31';
/** What Unicode calls an unknown region: the country of deals whose statement has none. */
export const UNKNOWN_COUNTRY = 'ZZ';

const NUMBERS = ['dealNumber', 'facilityNumber'] as const satisfies readonly Field[];
const TWO_CHARACTERS = /^[A-Z0-9]{2}$/;

export class RowReader {
  asOf: BusinessDate | undefined;
  readonly #columns: Columns;
  readonly #header: readonly string[];
  readonly #profile: ImportProfile;
  readonly #report: Report;
  readonly #amounts: AmountReader;
  readonly #emptyMarks: ReadonlySet<string>;
  readonly #tell: RowReport;
  readonly #otherDates = new Map<BusinessDate, number>();
  #otherDateRow = 0;
  #cells: readonly Cell[] = [];
  #percentColumns: TableRow['percentColumns'];

  /** @param asOf the date of a file that has no column for it. */
  constructor(
    columns: Columns,
    header: readonly string[],
    profile: ImportProfile,
    report: Report,
    asOf: BusinessDate | undefined,
  ) {
    this.asOf = asOf;
    this.#columns = columns;
    this.#header = header;
    this.#profile = profile;
    this.#report = report;
    this.#emptyMarks = new Set(profile.emptyMarks);
    this.#tell = new RowReport(columns, report);
    this.#amounts = new AmountReader(profile, columns, report, this.#tell);
  }

  /** @returns undefined when the row has a fault, which is then reported. */
  read(line: TableRow): StatementRow | undefined {
    const faultsBefore = this.#report.faultCount;
    if (!this.#take(line)) return undefined;
    this.#checkTexts();
    if (!this.#readAsOf()) return undefined;
    const currency = this.#currency();
    const numbers = this.#numbers();
    const country = this.#country();
    const borrower = this.#borrower(country);
    const facilityType = this.#facilityType();
    const result: StatementRow = {
      row: line.row,
      ...numbers,
      dealName: this.#text('dealName') || this.#text('name') || undefined,
      facilityName: this.#text('facilityName') || this.#text('name') || undefined,
      country: country || UNKNOWN_COUNTRY,
      borrower,
      unnamedBorrower: this.#unnamedBorrower(borrower, country, numbers.dealNumber),
      guarantor: this.#guarantor(),
      agent: this.#party('agent'),
      lender: this.#party('lender'),
      share: this.#share(),
      facilityType,
      statuses: this.#statuses(),
      allInRate: this.#rate(),
      currency,
      amounts: this.#amounts.read(currency, facilityType, (field) => this.#cell(field)),
      dates: this.#dates(),
    };
    return this.#report.faultCount > faultsBefore ? undefined : result;
  }

  /** Whether a row that begins as the totals do is a loan, such as one of TotalEnergies. */
  isLoan({ cells }: TableRow, label: string): boolean {
    this.#cells = cells;
    const goesOn = /^[\p{L}\p{N}]/u.test(label.slice(this.#profile.totalsRow?.length));
    return goesOn && IDENTIFYING.some((field) => !['', label].includes(this.#text(field)));
  }

  /** What the row of totals has in the column of the currency. */
  totalsCurrency({ cells }: TableRow): string {
    this.#cells = cells;
    return this.#currencyCode();
  }

  /** An amount of the row of totals; undefined where its cell is empty. */
  total(line: TableRow, field: AmountField, currency: string) {
    this.#cells = line.cells;
    this.#tell.row = line.row;
    if (this.#text(field) === '') return undefined;
    const amount = this.#amounts.readOne(field, this.#cell(field), currency);
    return amount === undefined ? undefined : { column: this.#tell.headerOf(field), amount };
  }

  /** Whether a row has a number, of a loan or what it belongs to, and an amount. */
  seemsLoan({ cells }: TableRow): boolean {
    this.#cells = cells;
    const hasNumber = IDENTIFYING.some((field) => /\d/.test(this.#text(field)));
    return hasNumber && AMOUNT_FIELDS.some((field) => this.#text(field) !== '');
  }

  #take({ cells, row, percentColumns }: TableRow): boolean {
    this.#tell.row = row;
    this.#cells = cells;
    this.#percentColumns = percentColumns;
    const width = this.#header.length;
    const told = () => cells.map(cellText).join(this.#profile.delimiter);
    if (cells.length !== width) {
      const why =
        cells.length > width
          ? 'a cell may have a delimiter in it, such as a decimal comma, without quotation marks around it'
          : 'the row may be cut off';
      const message = `expected ${width} cells, as in the first row; this row has ${cells.length}: ${why}`;
      this.#report.fault(row, '', 'row_width', message, told());
      return false;
    }
    if (!cells.every((cell, at) => cellText(cell) === this.#header[at])) return true;
    const [{ header = '' } = {}] = this.#columns.values();
    const rule = `[{ column: '${header}', values: ['${header}'] }]`;
    const message = `this row is the header again; if pages were joined, declare leaveOut: ${rule}`;
    this.#report.fault(row, '', 'repeated_header', message, told());
    return false;
  }

  /** Columns that the profile does not use may have anything. */
  #checkTexts(): void {
    for (const { index, header: column } of this.#columns.values()) {
      const cell = this.#cells[index];
      if (typeof cell !== 'string') continue;
      if (!isStorable(cell)) {
        this.#report.fault(this.#tell.row, column, 'nul_character', STORABLE_EXPECTED, cell);
      } else if (cell.length > TEXT_MAX) {
        const message = `expected at most ${TEXT_MAX} characters; this cell has ${cell.length}`;
        this.#report.fault(this.#tell.row, column, 'text_too_long', message, cell);
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

  #numbers() {
    const { columns } = this.#profile;
    const loan = this.#key('loanNumber');
    const facility = this.#key('facilityNumber');
    const deal = this.#key('dealNumber');
    const own = columns.dealNumber === undefined ? (facility ?? loan) : deal;
    const [required = 'loanNumber'] = NUMBERS.filter((field) => columns[field] !== undefined);
    if (own === undefined && this.#has(required)) {
      const message =
        `${REQUIRED}; if rows without one are no loans, declare leaveOut: ` +
        `[{ column: '${this.#tell.headerOf(required)}', values: [''] }]`;
      this.#tell.fault(required, 'missing_value', message, '');
    }
    // A deal of several loans without facility numbers: each loan is a facility.
    const within = facility ?? loan;
    if (columns.dealNumber !== undefined && within === undefined) {
      const field = columns.facilityNumber === undefined ? 'loanNumber' : 'facilityNumber';
      if (columns[field] !== undefined && this.#has(field)) {
        this.#tell.fault(field, 'missing_value', REQUIRED, '');
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
    const value = kept(numberOf(this.#text(field), this.#profile));
    if (value === '') return undefined;
    if (typeof this.#cell(field) === 'number' && significantDigits(value) > DOUBLE_DIGITS) {
      const message = `expected at most ${DOUBLE_DIGITS} digits, which a workbook keeps exactly: store the column as text`;
      this.#tell.fault(field, 'invalid_key', message, value);
    }
    const { lender, participants } = this.#profile;
    if ([lender.externalId, participants?.externalId].includes(value)) {
      const message =
        'the profile calls the lender, or the participants, by this number: give them another externalId';
      this.#tell.fault(field, 'reserved_value', message, value);
    } else if (value.startsWith(PARTY_REF)) {
      const message = `expected a number that does not begin with ${PARTY_REF}, by which parties are called`;
      this.#tell.fault(field, 'reserved_value', message, value);
    }
    if (isTotalsWord(value)) {
      const message =
        `this row seems to have totals, and no loan: declare totalsRow: ${value} if the loans end ` +
        `here, or leaveOut: [{ column: '${this.#columns.get(field)?.header}', values: ['${value}'] }]`;
      this.#tell.fault(field, 'undeclared_totals', message, value);
    }
    const wrong = whyNoKey(value);
    if (wrong !== undefined) this.#tell.fault(field, 'invalid_key', wrong, value);
    return value;
  }

  #borrower(countryCode: string): StatedParty | undefined {
    const number = this.#text('borrowerNumber');
    const name = this.#text('borrower') || number;
    if (name === '') return undefined;
    const party = namedParty(name, countryCode);
    return number === '' ? party : { ...party, ref: `${NUMBERED}${number}` };
  }

  /** The country, where the statement has one, and the deal itself where it has none. */
  #unnamedBorrower(
    borrower: StatedParty | undefined,
    countryCode: string,
    dealNumber: string,
  ): StatedParty {
    const stated = this.#text('country');
    if (stated === '' && borrower === undefined && this.#columns.has('country')) {
      this.#tell.fault('country', 'missing_value', REQUIRED, '');
    } else if (stated === '' && !borrower && dealNumber !== '' && this.#columns.has('borrower')) {
      const message = 'this cell is empty; the borrower is called by the number of the loan';
      this.#tell.warn('borrower', 'unnamed_borrower', message, '');
    }
    const name = stated || dealNumber;
    return namedParty(name, countryCode);
  }

  #country(): string {
    const { countries, country = '', columns } = this.#profile;
    const field = columns.countryCode === undefined ? 'country' : 'countryCode';
    const value = this.#text(field);
    const listed = countries && own(countries, value);
    if (listed !== undefined) return listed;
    if (columns.countryCode === undefined) {
      if (value === '' || countries === undefined) return country;
      this.#tell.fault('country', 'invalid_country', unlistedCountry(value), value);
      return '';
    }
    if (value === '' && country !== '') return country;
    if (this.#has('countryCode') && !TWO_CHARACTERS.test(value)) {
      const message =
        'expected two capital letters, such as DE; if the column has other codes or names, list them: ' +
        `declare countries: { '${value}': … }`;
      this.#tell.fault('countryCode', 'invalid_country', message, value);
    }
    return value;
  }

  #guarantor(): StatedParty | undefined {
    const name = this.#text('guarantor');
    if (name === '') return undefined;
    const stated = this.#text('guarantorCountryCode');
    const countryCode = own(this.#profile.countries ?? {}, stated) ?? stated;
    if (countryCode !== '' && !TWO_CHARACTERS.test(countryCode)) {
      const message = 'expected two capital letters, such as DE, or nothing';
      this.#tell.fault('guarantorCountryCode', 'invalid_country', message, countryCode);
    }
    return namedParty(name, countryCode);
  }

  #party(field: 'agent' | 'lender'): StatedParty | undefined {
    const name = this.#text(field);
    if (name !== '') return partyOf(name, this.#profile);
    if (field === 'lender' && this.#profile.rowIs === 'lender' && this.#has('lender')) {
      this.#tell.fault('lender', 'missing_value', REQUIRED, '');
    }
    return undefined;
  }

  #share(): bigint | undefined {
    const { shareUnit } = this.#profile;
    if (shareUnit === undefined || !this.#columns.has('lenderShare')) return undefined;
    const cell = this.#cell('lenderShare');
    const share = shareOf(cell, this.#profile, shareUnit);
    if (typeof share === 'bigint') return share;
    this.#tell.fault('lenderShare', 'invalid_share', share, cellText(cell));
    return undefined;
  }

  /** @returns false for a row of another date, of which nothing else is told. */
  #readAsOf(): boolean {
    if (!this.#columns.has('asOf')) return true;
    const date = this.#date('asOf');
    if (date === undefined) return true;
    if (this.asOf === undefined) {
      this.asOf = date;
    } else if (date !== this.asOf) {
      if (this.#otherDates.size === 0) this.#otherDateRow = this.#tell.row;
      this.#otherDates.set(date, (this.#otherDates.get(date) ?? 0) + 1);
      return false;
    }
    return true;
  }

  /** At the end of the file: a fault where rows have other dates than the first, or the one given. */
  reportDates(): void {
    if (this.asOf === undefined || this.#otherDates.size === 0) return;
    const message =
      `expected one date in all rows, ${this.asOf}; other rows have ${datesTold(this.#otherDates)}. ` +
      'To read the rows of one date, declare asOfRows: only, and give the date with --as-of';
    const [[first = ''] = []] = this.#otherDates;
    const column = this.#tell.headerOf('asOf');
    this.#report.fault(this.#otherDateRow, column, 'mixed_dates', message, first);
  }

  #currency(): string {
    const { currency, currencyColumn } = this.#profile;
    const value = this.#currencyCode();
    if (currency === undefined) {
      if (value === '' && this.#has('currency')) {
        this.#tell.fault('currency', 'missing_value', REQUIRED, '');
      } else if (minorUnitDigits(value) === undefined && this.#has('currency')) {
        const message =
          'expected an ISO 4217 code such as EUR; if this stands for one, declare ' +
          `currencyMarks: { '${value}': … }`;
        this.#tell.fault('currency', 'unknown_currency', message, value);
      }
      return value;
    }
    if (value === '' || value === currency) return currency;
    if (currencyColumn === 'loan' && /^[A-Z]{3}$/.test(value)) {
      const message = `the loan is in ${value}; its amounts are in ${currency}`;
      this.#tell.warn('currency', 'loan_currency', message, value);
      return currency;
    }
    const message =
      currencyColumn === 'loan'
        ? 'expected a currency code or nothing'
        : `expected ${currency}, which the profile declares for all amounts, or nothing; if amounts are in ` +
          'the currency of this column, declare no currency; if the column has the loan’s currency and ' +
          `amounts are in ${currency}, declare currencyColumn: loan`;
    this.#tell.fault('currency', 'unknown_currency', message, value);
    return currency;
  }

  /** `eur` is EUR; `GBp`, which is pence, is no code. Marks of currencies stand for their codes. */
  #currencyCode(): string {
    const value = this.#text('currency');
    const marked = own(this.#profile.currencyMarks ?? {}, value);
    return marked ?? (/^[a-z]{3}$/.test(value) ? value.toUpperCase() : value);
  }

  #facilityType(): FacilityType {
    const types = this.#profile.facilityTypes;
    const value = this.#text('loanType');
    // Every row needs a value here, unless the profile lists the empty cell.
    const isEmpty = value === '' && this.#columns.has('loanType');
    const type = own(types, value) ?? (isEmpty ? undefined : types['*']);
    if (type !== undefined) return type;
    if (this.#has('loanType')) {
      const message = isEmpty
        ? "this cell is empty: add '' to facilityTypes if such rows have a type"
        : unlisted('facilityTypes', value);
      this.#tell.fault('loanType', 'unknown_loan_type', message, value);
    }
    return 'term_loan';
  }

  #statuses(): readonly [string, string, string] {
    const { statuses } = this.#profile;
    const value = this.#text('status');
    const found = own(statuses, value) ?? statuses['*'];
    if (found !== undefined) return found;
    const message = unlisted('statuses', value);
    if (this.#has('status')) this.#tell.fault('status', 'unknown_status', message, value);
    return ['', '', ''];
  }

  #rate(): string | undefined {
    const { rateUnit } = this.#profile;
    const field = this.#columns.has('ratePercent') ? 'ratePercent' : 'rate';
    const cell = this.#cell(field);
    if (cellText(cell) === '') return undefined;
    // What a workbook shows as 4.75 % is 0.0475 in it, whatever other cells of the column have.
    const isShownAsPercent = this.#percentColumns?.includes(this.#columns.get(field)?.index ?? -1);
    const declared = field === 'ratePercent' ? 'percent' : rateUnit;
    const unit = isShownAsPercent ? 'fraction' : declared;
    const rate = readRate(cell, this.#profile, unit);
    if (rate === undefined) {
      const expected = rateExpected(cell, this.#profile, unit);
      this.#tell.fault(field, 'invalid_rate', expected, cellText(cell));
    }
    return rate;
  }

  #dates(): Partial<Record<DateField, BusinessDate>> {
    const dates: Partial<Record<DateField, BusinessDate>> = {};
    for (const field of DATE_FIELDS) {
      const date = this.#text(field) === '' ? undefined : this.#date(field);
      if (date === undefined) continue;
      dates[field] = date;
      if (date > LATEST_LIKELY) {
        const message =
          'this date is more than a century ahead; if it stands for no date, declare it in emptyMarks';
        this.#tell.warn(field, 'unlikely_date', message, this.#text(field));
      }
    }
    return dates;
  }

  #date(field: 'asOf' | DateField): BusinessDate | undefined {
    const cell = this.#cell(field);
    const { dateFormats, twoDigitYearsFrom } = this.#profile;
    const date = readDate(cell, dateFormats, twoDigitYearsFrom);
    if (date === undefined) {
      const expected = dateExpected(dateFormats, cell, twoDigitYearsFrom);
      this.#tell.fault(field, 'invalid_date', expected, cellText(cell));
    }
    return date;
  }
}

function unlisted(setting: string, value: string): string {
  return `the profile does not list this value: add '${value}' to ${setting}, or '*' for all that it does not list`;
}

function unlistedCountry(value: string): string {
  return `the profile lists other countries: add '${value}' to countries`;
}

/** Text of the file must not find properties that every object inherits. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
