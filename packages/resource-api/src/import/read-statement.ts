/**
 * Reads a statement into rows, or reports every fault by row and column. Nothing is guessed: a cell
 * that the profile does not allow is a fault.
 */
import { isKey, isStorable, KEY_EXPECTED, STORABLE_EXPECTED } from '@cls/shared/text';
import { parse } from 'csv-parse/sync';
import { type BusinessDate, parseBusinessDate } from '../ledger/business-date.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import { EXTERNAL_VALUE_EXPECTED, isExternalValue, PARTY_REF } from '../ledger/external-id.ts';
import {
  AMOUNT_MAX_MINOR,
  BOOK_MAX_MINOR,
  formatAmount,
  magnitudeOf,
  parseAmount,
} from '../ledger/money.ts';
import {
  AMOUNT_FIELDS,
  type AmountField,
  DATE_FIELDS,
  type DateField,
  FIELDS,
  type Field,
  type ImportProfile,
} from './profile.ts';
import type { StatementFault, StatementRow } from './statement-row.ts';

export interface ParsedStatement {
  readonly asOf: BusinessDate | undefined;
  readonly rows: readonly StatementRow[];
  /** The file is refused when there is any. */
  readonly faults: readonly StatementFault[];
  readonly warnings: readonly StatementFault[];
}

const VALUE_SHOWN_CHARS = 60;
const UNLISTED = 'the profile does not list this value';
/** Of a cell; names of journal files are as long. */
const TEXT_MAX = 500;

export function readStatement(text: string, profile: ImportProfile): ParsedStatement {
  const report = new Report();
  const [first, ...lines] = readRecords(text, report);
  const header = first?.cells ?? [];
  const delimiter = otherDelimiter(header);
  if (delimiter !== undefined) {
    const message = `expected columns separated by commas; this file separates them by ${delimiter}`;
    report.fault(1, '', 'wrong_delimiter', message, header[0] ?? '');
    return { asOf: undefined, rows: [], ...report };
  }
  const columns = findColumns(header, profile, report);
  const reader = new RowReader(columns, header, profile, report);
  const rows = lines.flatMap(({ cells, row }) => reader.read(cells, row) ?? []);
  checkUnique(rows, report);
  if (lines.length === 0) report.fault(1, '', 'no_rows', 'the file has no rows', '');
  return { asOf: reader.asOf, rows, ...report };
}

const DELIMITERS = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' };

/** What a header of one cell seems to be separated by. */
function otherDelimiter([cell = '', ...others]: readonly string[]): string | undefined {
  if (others.length > 0) return undefined;
  return Object.entries(DELIMITERS).find(([mark]) => cell.includes(mark))?.[1];
}

class Report {
  readonly faults: StatementFault[] = [];
  readonly warnings: StatementFault[] = [];

  fault(row: number, column: string, code: string, message: string, value: string): void {
    this.faults.push({ row, column, code, message, value: value.slice(0, VALUE_SHOWN_CHARS) });
  }

  warn(row: number, column: string, code: string, message: string, value: string): void {
    this.warnings.push({ row, column, code, message, value: value.slice(0, VALUE_SHOWN_CHARS) });
  }
}

interface StatementLine {
  readonly cells: readonly string[];
  /** Line of the file where the row ends. */
  readonly row: number;
}

function readRecords(text: string, report: Report): readonly StatementLine[] {
  try {
    // Rows with another number of cells are reported below, row by row. They must not stop the
    // parser. The library's types leave out what `info` adds.
    const records = parse(text, {
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as readonly { record: string[]; info: { lines: number } }[];
    return records.map(({ record, info }) => ({ cells: record, row: info.lines }));
  } catch (error) {
    const { lines = 0, code = 'csv' } = error as { lines?: number; code?: string };
    const message = `the file is not valid CSV from this line on (${code})`;
    report.fault(lines, '', 'malformed_csv', message, '');
    return [];
  }
}

/** Columns that the file has once: rows are checked in these, whatever other columns are missing. */
type Columns = ReadonlyMap<Field, { readonly index: number; readonly header: string }>;

/** Headers drift between snapshots: case, marks, spaces and a unit in brackets do not count. */
function headerName(text: string): string {
  return text
    .toLowerCase()
    .replace(/\(us\$\)/, '')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

function findColumns(header: readonly string[], profile: ImportProfile, report: Report): Columns {
  const names = header.map(headerName);
  const columns = new Map<Field, { index: number; header: string }>();
  for (const field of FIELDS) {
    const accepted = profile.columns[field];
    if (accepted === undefined) continue;
    const wanted = accepted.map(headerName);
    const [index, second] = names.flatMap((name, at) => (wanted.includes(name) ? [at] : []));
    const told = accepted[0] ?? field;
    if (index === undefined) {
      report.fault(1, told, 'missing_column', 'this column is missing', '');
    } else if (second !== undefined) {
      const message = 'this column appears twice';
      report.fault(1, told, 'duplicate_column', message, header[second] ?? '');
    } else columns.set(field, { index, header: header[index] ?? '' });
  }
  return columns;
}

class RowReader {
  asOf: BusinessDate | undefined;
  readonly #columns: Columns;
  readonly #profile: ImportProfile;
  readonly #report: Report;
  readonly #digits: number;
  readonly #headers: readonly string[];
  /** All amounts of the rows before, signs aside. */
  #gross = 0n;

  constructor(
    columns: Columns,
    headers: readonly string[],
    profile: ImportProfile,
    report: Report,
  ) {
    this.#columns = columns;
    this.#profile = profile;
    this.#report = report;
    this.#digits = minorUnitDigits(profile.currency) ?? 2;
    this.#headers = headers;
  }

  read(cells: readonly string[], row: number): StatementRow | undefined {
    const width = this.#headers.length;
    if (cells.length !== width) {
      const message = `expected ${width} columns, got ${cells.length}`;
      this.#report.fault(row, '', 'row_width', message, '');
      return undefined;
    }
    const faultsBefore = this.#report.faults.length;
    this.#checkTexts(cells, row);
    const text = (field: Field) => cells[this.#columns.get(field)?.index ?? -1]?.trim() ?? '';
    if (this.#has('asOf')) this.#readAsOf(row, text('asOf'));
    this.#checkCurrency(row, text('currency'));
    const read = new Set<AmountField>();
    const result: StatementRow = {
      row,
      loanNumber: this.#loanNumber(row, text('loanNumber')),
      name: text('name') || undefined,
      countryCode: this.#country(row, text('countryCode')),
      country: text('borrower') ? text('country') : this.#required(row, 'country', text('country')),
      borrower: text('borrower') || undefined,
      guarantor: this.#guarantor(row, text('guarantor'), text('guarantorCountryCode')),
      facilityType: this.#facilityType(row, text('loanType')),
      statuses: this.#statuses(row, text('status')),
      allInRate: this.#rate(row, text('ratePercent')),
      amounts: this.#amounts(row, text, read),
      dates: this.#dates(row, text),
    };
    this.#checkIdentities(result, read);
    return this.#report.faults.length > faultsBefore ? undefined : result;
  }

  #checkTexts(cells: readonly string[], row: number): void {
    for (const [index, cell] of cells.entries()) {
      const column = this.#headers[index] ?? '';
      if (!isStorable(cell)) {
        this.#report.fault(row, column, 'nul_character', STORABLE_EXPECTED, '');
      } else if (cell.length > TEXT_MAX) {
        const message = `expected at most ${TEXT_MAX} characters`;
        this.#report.fault(row, column, 'text_too_long', message, cell);
      }
    }
  }

  /** A missing column is reported once, for the header, and not for each row. */
  #has(field: Field): boolean {
    return this.#columns.has(field) || this.#profile.columns[field] === undefined;
  }

  #fault(row: number, field: Field, code: string, message: string, value: string): void {
    this.#report.fault(row, this.#header(field), code, message, value);
  }

  #warn(row: number, field: Field, code: string, message: string, value: string): void {
    this.#report.warn(row, this.#header(field), code, message, value);
  }

  #header(field: Field): string {
    return this.#columns.get(field)?.header ?? field;
  }

  #required(row: number, field: Field, value: string): string {
    if (value === '' && this.#has(field)) {
      this.#fault(row, field, 'missing_value', 'a value is required', value);
    }
    return value;
  }

  #loanNumber(row: number, value: string): string {
    const { lender, participants } = this.#profile;
    const reserved = [lender.externalId, participants.externalId].includes(value);
    if (reserved || value.startsWith(PARTY_REF)) {
      const message = 'this value is reserved for another record';
      this.#fault(row, 'loanNumber', 'reserved_value', message, value);
    }
    if (value !== '' && !(isKey(value) && isExternalValue(value))) {
      const expected = isKey(value) ? EXTERNAL_VALUE_EXPECTED : KEY_EXPECTED;
      this.#fault(row, 'loanNumber', 'invalid_key', expected, value);
    }
    return this.#required(row, 'loanNumber', value);
  }

  #guarantor(row: number, name: string, countryCode: string): StatementRow['guarantor'] {
    if (name === '') return undefined;
    if (countryCode !== '' && !/^[A-Z0-9]{2}$/.test(countryCode)) {
      const message = 'expected two characters or nothing';
      this.#fault(row, 'guarantorCountryCode', 'invalid_country', message, countryCode);
    }
    return { name, countryCode };
  }

  #readAsOf(row: number, value: string): void {
    const date = readDate(value, this.#profile.dateFormats);
    if (date === undefined) {
      this.#fault(row, 'asOf', 'invalid_date', this.#expectedDate(), value);
    } else if (this.asOf === undefined) {
      this.asOf = date;
    } else if (date !== this.asOf) {
      const message = `all rows must have the same date; the first row has ${this.asOf}`;
      this.#fault(row, 'asOf', 'mixed_dates', message, value);
    }
  }

  #checkCurrency(row: number, value: string): void {
    const { currency, currencyColumn } = this.#profile;
    if (value === '' || value === currency) return;
    if (currencyColumn === 'loan' && /^[A-Z]{3}$/.test(value)) {
      const message = `the loan is in ${value}; its amounts are in ${currency}`;
      this.#warn(row, 'currency', 'loan_currency', message, value);
      return;
    }
    const expected = currencyColumn === 'loan' ? 'a currency code' : currency;
    this.#fault(row, 'currency', 'unknown_currency', `expected ${expected} or nothing`, value);
  }

  #country(row: number, value: string): string {
    if (this.#has('countryCode') && !/^[A-Z0-9]{2}$/.test(value)) {
      this.#fault(row, 'countryCode', 'invalid_country', 'expected two characters', value);
    }
    return value;
  }

  #facilityType(row: number, value: string): string {
    const types = this.#profile.facilityTypes;
    const type = own(types, value) ?? types['*'];
    const told = value !== '' || !this.#columns.has('loanType');
    if (type !== undefined && told) return type;
    if (!this.#has('loanType')) return '';
    this.#fault(row, 'loanType', 'unknown_loan_type', UNLISTED, value);
    return '';
  }

  #statuses(row: number, value: string): readonly [string, string, string] {
    const statuses = own(this.#profile.statuses, value);
    if (statuses !== undefined) return statuses;
    if (!this.#has('status')) return ['', '', ''];
    this.#fault(row, 'status', 'unknown_status', UNLISTED, value);
    return ['', '', ''];
  }

  /** A percentage in the statement, a fraction here: the decimal point moves two places. */
  #rate(row: number, value: string): string | undefined {
    if (value === '') return undefined;
    const parsed = parseAmount(value, 10);
    const { amountMinor = -1n, rounded } = parsed ?? {};
    if (rounded || amountMinor < 0n || amountMinor > RATE_MAX) {
      this.#fault(row, 'ratePercent', 'invalid_rate', 'expected a percentage such as 4.75', value);
      return undefined;
    }
    const text = amountMinor.toString().padStart(13, '0');
    return `${text.slice(0, -12)}.${text.slice(-12)}`;
  }

  /** @param read takes the fields whose amounts are known: the others are 0n. */
  #amounts(
    row: number,
    text: (field: Field) => string,
    read: Set<AmountField>,
  ): Record<AmountField, bigint> {
    const amounts: Partial<Record<AmountField, bigint>> = {};
    for (const field of AMOUNT_FIELDS) {
      amounts[field] = 0n;
      if (!this.#columns.has(field)) continue;
      const value = text(field);
      const parsed = parseAmount(this.#plainAmount(value), this.#digits);
      if (parsed === undefined) {
        this.#fault(row, field, 'invalid_amount', this.#expectedAmount(value), value);
        continue;
      }
      this.#gross += magnitudeOf(parsed.amountMinor);
      if (this.#gross > GROSS_MAX_MINOR) {
        const most = this.#decimal(GROSS_MAX_MINOR);
        const message = `expected that all amounts through this row come to at most ${most}`;
        this.#fault(row, field, 'amount_too_large', message, value);
        // Told once, and not for each row that follows.
        this.#gross = 0n;
        continue;
      }
      if (parsed.rounded) this.#excessDecimals(row, field, value);
      amounts[field] = parsed.amountMinor;
      read.add(field);
    }
    return amounts as Record<AmountField, bigint>;
  }

  /** Without the marks that the profile declares; another text stays as it is, and is refused. */
  #plainAmount(value: string): string {
    const { thousandsSeparator, parenthesesNegative, zeroMarks } = this.#profile;
    if (zeroMarks?.includes(value)) return '0';
    const within = parenthesesNegative ? /^\(([^()-]+)\)$/.exec(value)?.[1] : undefined;
    const text = within === undefined ? value : `-${within}`;
    if (thousandsSeparator === undefined) return text;
    const groups = new RegExp(`^-?\\d{1,3}(${thousandsSeparator}\\d{3})+(\\.\\d+)?$`);
    return groups.test(text) ? text.replaceAll(thousandsSeparator, '') : text;
  }

  #expectedAmount(value: string): string {
    const { thousandsSeparator } = this.#profile;
    if (/^-?\d{16,}(\.\d+)?$/.test(value)) {
      return `expected at most ${this.#decimal(AMOUNT_MAX_MINOR)}`;
    }
    const grouped = thousandsSeparator === undefined ? '' : ` or 1${thousandsSeparator}234.56`;
    return `expected a decimal such as 1234.56${grouped}`;
  }

  #excessDecimals(row: number, field: AmountField, value: string): void {
    const unit = `${this.#profile.currency} has ${this.#digits} digits`;
    if (this.#profile.excessDecimals === 'reject') {
      this.#fault(row, field, 'excess_decimals', unit, value);
    } else {
      this.#warn(row, field, 'rounded', `${unit}; rounded half up`, value);
    }
  }

  #dates(row: number, text: (field: Field) => string): Partial<Record<DateField, BusinessDate>> {
    const dates: Partial<Record<DateField, BusinessDate>> = {};
    for (const field of DATE_FIELDS) {
      const value = text(field);
      if (value === '') continue;
      const date = readDate(value, this.#profile.dateFormats);
      if (date === undefined) this.#fault(row, field, 'invalid_date', this.#expectedDate(), value);
      else dates[field] = date;
    }
    return dates;
  }

  /** Columns that repeat others must agree with them; a cent of difference is rounding. */
  #checkIdentities({ row, amounts }: StatementRow, read: ReadonlySet<AmountField>): void {
    for (const { field, first, sign, second } of IDENTITIES) {
      if (![field, first, second].every((part) => read.has(part))) continue;
      const expected = amounts[first] + sign * amounts[second];
      const gap = expected - amounts[field];
      if (gap === 0n) continue;
      const [one, other] = [first, second].map((part) => this.#told(part, amounts[part]));
      const message = `expected ${this.#decimal(expected)}: ${one} ${sign < 0n ? '−' : '+'} ${other}`;
      const value = this.#decimal(amounts[field]);
      if (magnitudeOf(gap) > 1n) this.#fault(row, field, 'identity_broken', message, value);
      else {
        const told = `${message}; the difference is rounding, and the parts are used`;
        this.#warn(row, field, 'rounding_gap', told, value);
      }
    }
    for (const field of ['due', 'undisbursed'] as const) {
      if (amounts[field] >= 0n) continue;
      const message = 'a negative balance; imported unchanged';
      this.#warn(row, field, 'negative_balance', message, this.#decimal(amounts[field]));
    }
  }

  #told(field: AmountField, amountMinor: bigint): string {
    return `${this.#header(field).trim()} ${this.#decimal(amountMinor)}`;
  }

  #decimal(amountMinor: bigint): string {
    return formatAmount(amountMinor, this.#digits);
  }

  #expectedDate(): string {
    return `expected a date as ${this.#profile.dateFormats.join(' or ')}`;
  }
}

/** Columns that are the sum of others (the World Bank's data dictionary). */
const IDENTITIES: readonly {
  readonly field: AmountField;
  readonly first: AmountField;
  readonly sign: 1n | -1n;
  readonly second: AmountField;
}[] = [
  { field: 'obligation', first: 'due', sign: 1n, second: 'exchangeAdjustment' },
  { field: 'held', first: 'due', sign: 1n, second: 'undisbursed' },
  { field: 'dueThirdParty', first: 'sold', sign: -1n, second: 'repaidThirdParty' },
];

/** An amount is posted globally and for its holder, each time on two accounts. */
const GROSS_MAX_MINOR = BOOK_MAX_MINOR / 4n;
/** 1000 %, with ten decimals. */
const RATE_MAX = 1_000n * 10n ** 10n;

/** Text of the file must not find properties that every object inherits. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

type DateFormat = ImportProfile['dateFormats'][number];

/** A date may come with the time of day, which must be midnight. */
const DATE_SHAPES: Readonly<Record<DateFormat, RegExp>> = {
  'YYYY-MM-DD': /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
  'YYYY-MM-DDThh:mm:ss': /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[T ]00:00:00(\.0{1,6})?Z?$/,
  'MM/DD/YYYY': /^(?<month>\d{2})\/(?<day>\d{2})\/(?<year>\d{4})$/,
  'M/D/YYYY': /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})$/,
  'M/D/YYYY h:mm': /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4}) 0?0:00(:00)?$/,
  'MM/DD/YYYY hh:mm:ss AM': /^(?<month>\d{2})\/(?<day>\d{2})\/(?<year>\d{4}) 12:00:00 AM$/,
};

function readDate(value: string, formats: readonly DateFormat[]): BusinessDate | undefined {
  for (const format of formats) {
    const { year, month = '', day = '' } = DATE_SHAPES[format].exec(value)?.groups ?? {};
    const date =
      year && parseBusinessDate(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
    if (date) return date;
  }
  return undefined;
}

function checkUnique(rows: readonly StatementRow[], report: Report): void {
  const seen = new Map<string, number>();
  for (const { row, loanNumber } of rows) {
    if (loanNumber === '') continue;
    const first = seen.get(loanNumber);
    if (first === undefined) seen.set(loanNumber, row);
    else report.fault(row, 'loan number', 'duplicate_loan', `also in row ${first}`, loanNumber);
  }
}
