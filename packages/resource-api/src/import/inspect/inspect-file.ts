/** Reads a file that nobody described, and says what it is. */
import { describeFile, type FileDescription } from '../file/describe-file.ts';
import { readTable } from '../file/read-table.ts';
import { type FileDialect, type StatementSource, UnreadableFile } from '../file/table.ts';
import { type Field, profileSchema } from '../profile/profile.ts';
import { type CheckPlan, checkRows, type RowChecks } from './check-rows.ts';
import { type Column, columnsOf } from './columns.ts';
import { decideDates } from './decide-dates.ts';
import { decideNumbers } from './decide-numbers.ts';
import { findDelimiter } from './delimiter.ts';
import type { Dictionary } from './dictionary.ts';
import { ProfileDraft } from './draft.ts';
import type { ColumnInspection, Inspection } from './inspection.ts';
import { withoutHeader } from './layouts.ts';
import { askForMissing, contestedFields, proposeColumns } from './propose-columns.ts';
import { proposeAmounts, proposeRows } from './propose-structure.ts';
import {
  proposeCountry,
  proposeCurrency,
  proposeDecimals,
  proposeEmpty,
  proposeRates,
  proposeStatuses,
  proposeTypes,
  proposeUnit,
} from './propose-terms.ts';
import { proposeTotals } from './propose-totals.ts';
import { type Scan, scan } from './scan.ts';

export interface InspectRequest {
  readonly source: StatementSource;
  readonly dictionary: Dictionary;
  /** Of a workbook; the one with most cells when not given. */
  readonly sheet?: string | undefined;
}

export interface InspectResult {
  readonly inspection: Inspection;
  /** The proposed profile with its comments, for `writeProfile`. */
  readonly draft: ProfileDraft;
}

/**
 * Reads the file twice: once for what its columns are, once for what their values come to.
 *
 * @throws {UnreadableFile} when the file is neither text nor a workbook, or its end is missing.
 */
export async function inspectFile(request: InspectRequest): Promise<InspectResult> {
  const { source, dictionary } = request;
  const description = await describeFile(source);
  const draft = new ProfileDraft();
  const dialect = decideFile(description, request, draft);
  const found = await scan(readTable(source, dialect), dictionary);
  if (found.rows === 0) throw new UnreadableFile('no_rows', 'the file has no rows below a header');
  const columns = columnsOf(found.columns, dictionary);
  const used = columns.filter(({ field, resembles }) => (field ?? resembles) !== undefined);
  const number = decideNumbers(used, draft);
  const dateFormats = decideDates(used, draft);
  const plan: CheckPlan = {
    columns,
    contested: contestedFields(columns),
    dialect: number,
    dateFormats,
    from: (found.headerRow ?? 0) + 1,
    through: (found.totals?.row.row ?? Number.POSITIVE_INFINITY) - 1,
  };
  const checks = await checkRows(readTable(source, dialect), plan);
  const notes = propose({
    ...{ found, columns, checks, dictionary, draft, request },
    isText: description.kind === 'text',
  });
  const totals = proposeTotals(found, columns, checks, plan, draft);
  sortSettings(draft);
  return {
    draft,
    inspection: {
      ...fileFacts(source, description, dialect),
      preamble: found.preamble.map(({ text }) => text),
      headerRow: found.headerRow,
      rows: found.rows,
      ...(totals === undefined ? {} : { totals }),
      footer: found.footer.map(({ row, text }) => `row ${row}: ${text}`),
      columns: columns.map((column) => inspectionOf(column, checks)),
      notes,
      questions: draft.questions,
      profile: draft.document,
    },
  };
}

function decideFile(
  description: FileDescription,
  { dictionary, sheet }: InspectRequest,
  draft: ProfileDraft,
): FileDialect {
  if (description.kind === 'workbook') {
    const { sheets } = description;
    const filled = sheets.filter(({ rows }) => rows > 1);
    const largest = filled.toSorted(
      (one, other) => other.rows * other.columns - one.rows * one.columns,
    )[0];
    const name = sheet ?? largest?.name;
    if (name !== undefined && sheets.length > 1) {
      const told = filled.map((each) => `“${each.name}” (${each.rows} rows)`).join(' or ');
      if (sheet === undefined && filled.length > 1)
        draft.ask(['sheet'], `${told}? ${name} was inspected; --sheet names another`);
      else draft.set(['sheet'], name);
    }
    return { encoding: 'utf-8', delimiter: ',', ...(name === undefined ? {} : { sheet: name }) };
  }
  const { encoding, sample } = description;
  if (!encoding.sure)
    draft.ask(['encoding'], `${encoding.name} or iso-8859-1 or another? ${encoding.why}`);
  else if (encoding.name !== 'utf-8') draft.set(['encoding'], encoding.name, encoding.why);
  const hint = /^\ufeff?sep=(.)\r?\n/i.exec(sample)?.[1];
  const { delimiter = ',', rivals } = findDelimiter(sample, dictionary);
  const separator = hint ?? delimiter;
  if (hint === undefined && rivals.length > 0) {
    const marks = [delimiter, ...rivals].map((mark) => JSON.stringify(mark)).join(' or ');
    draft.ask(['delimiter'], `${marks}? each of them separates as many cells in nearly all lines`);
  } else if (separator !== ',') draft.set(['delimiter'], separator);
  return { encoding: encoding.name, delimiter: separator };
}

interface Proposing {
  readonly found: Scan;
  readonly columns: readonly Column[];
  readonly checks: RowChecks;
  readonly dictionary: Dictionary;
  readonly draft: ProfileDraft;
  readonly request: InspectRequest;
  readonly isText: boolean;
}

/** Writes all settings but those of cells. @returns notes. */
function propose({
  found,
  columns,
  checks,
  dictionary,
  draft,
  request,
  isText,
}: Proposing): string[] {
  const find = (field: Field) => columns.find((column) => column.field === field);
  nameProfile(request.source.name, draft);
  const notes = withoutHeader(found, dictionary, draft);
  if (found.headerRow !== undefined && found.headerRow !== 1)
    draft.set(['headerRow'], found.headerRow);
  proposeColumns(columns, checks, draft);
  askForMissing(columns, draft);
  proposeUnit(columns, found.preamble, dictionary, draft);
  proposeCurrency(columns, found.preamble, find, draft);
  proposeCountry(columns, find, draft);
  const lender = '{externalId: …, name: …}: who holds the loans, such as your bank';
  draft.ask(['lender'], lender);
  proposeTypes(find, dictionary, draft);
  proposeStatuses(checks, find, dictionary, draft);
  proposeRates(columns, checks, draft);
  proposeEmpty(columns, draft);
  proposeDecimals(checks, draft);
  notes.push(...proposeAmounts(checks, find, draft), ...proposeAsOf(find('asOf'), draft));
  proposeRows(checks, find, draft);
  for (const [{ evidence, kind }, { cells, first }] of checks.unreadable) {
    notes.push(
      `“${evidence.header}”: ${cells} cells are no ${kind === 'date' ? 'dates' : 'numbers'} (first: ${first})`,
    );
  }
  const { oddWidths, headers } = found;
  // A row of a sheet ends with its last value.
  if (oddWidths.rows > 0 && isText) {
    notes.push(
      `${oddWidths.rows} rows do not have ${headers.length} columns (first: row ${oddWidths.first})`,
    );
  }
  return notes;
}

function nameProfile(file: string, draft: ProfileDraft): void {
  const stem = file.replace(/(?:\.[a-z]{2,4})+$/i, '').replace(/[-_ ]?\d[\d._-]*$/, '');
  const name = stem
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64);
  draft.set(['name'], name || 'statement');
  draft.set(['title'], file);
  draft.set(
    ['source'],
    name || 'statement',
    'Whose numbers these are. Keep it: later statements of this source speak of the same loans.',
  );
}

function proposeAsOf(column: Column | undefined, draft: ProfileDraft): string[] {
  if (column === undefined)
    return ['no column has the date of the statement: give --as-of when you import'];
  const { evidence } = column;
  if (evidence.distinct > 1) {
    const question = `[${evidence.header}]? it has ${evidence.distinct} dates, and a statement has one; leave this out and give --as-of, or keep the rows of one date`;
    draft.ask(['columns', 'asOf'], question);
  }
  return [];
}

/** As the schema orders them. */
function sortSettings(draft: ProfileDraft): void {
  const settings = { ...draft.document };
  for (const key of Object.keys(settings)) delete draft.document[key];
  for (const key of Object.keys(profileSchema.shape)) {
    if (Object.hasOwn(settings, key)) draft.document[key] = settings[key];
  }
}

function fileFacts(source: StatementSource, description: FileDescription, dialect: FileDialect) {
  const { kind, compression } = description;
  const common = { file: source.name, kind, compression };
  if (description.kind === 'text') {
    return { ...common, encoding: description.encoding, delimiter: dialect.delimiter };
  }
  const { sheet } = dialect;
  return { ...common, sheets: description.sheets, ...(sheet === undefined ? {} : { sheet }) };
}

function inspectionOf(column: Column, checks: RowChecks): ColumnInspection {
  const { evidence, kind, field, how } = column;
  const range = checks.ranges.get(column);
  return {
    header: evidence.header,
    kind,
    ...(field === undefined ? {} : { field }),
    how: how || 'by values',
    ...(range === undefined ? {} : { smallest: range.least, largest: range.most }),
    first: evidence.first,
    blanks: evidence.blanks,
    different: evidence.distinct,
    differentIsBounded: evidence.distinctIsBounded,
    unreadable: checks.unreadable.get(column)?.cells ?? 0,
  };
}
