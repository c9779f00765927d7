import { describeFile, type FileDescription } from '../file/describe-file.ts';
import { readTable } from '../file/read-table.ts';
import { type FileDialect, type StatementSource, UnreadableFile } from '../file/table.ts';
import type { Field } from '../profile/fields.ts';
import { type CheckPlan, checkRows, type RowChecks } from './check-rows.ts';
import { type Column, columnsOf } from './columns.ts';
import { decideDates } from './decide-dates.ts';
import { decideFile } from './decide-file.ts';
import { decideNumbers } from './decide-numbers.ts';
import type { Dictionary } from './dictionary.ts';
import { ProfileDraft } from './draft.ts';
import type { ColumnInspection, Inspection } from './inspection.ts';
import type { Proposal } from './proposal.ts';
import { propose, sortSettings } from './propose.ts';
import { contestedFields } from './propose-columns.ts';
import { proposeTotals } from './propose-totals.ts';
import { scan } from './scan.ts';

interface InspectRequest {
  readonly source: StatementSource;
  readonly dictionary: Dictionary;
  /** Of a workbook; the one with most cells when not given. */
  readonly sheet?: string | undefined;
}

/** Reads the file twice: once for what its columns are, once for what their values come to. */
export async function inspectFile({ source, dictionary, sheet }: InspectRequest) {
  const description = await describeFile(source);
  const draft = new ProfileDraft();
  const dialect = decideFile(description, dictionary, sheet, draft);
  const found = await scan(readTable(source, dialect), dictionary);
  if (found.rows === 0) throw new UnreadableFile('no_rows', 'the file has no rows below a header');
  const columns = columnsOf(found.columns, dictionary);
  const find = (field: Field) => columns.find((column) => column.field === field);
  const used = columns.filter(({ field, resembles }) => field ?? (resembles && !find(resembles)));
  const plan: CheckPlan = {
    columns,
    contested: contestedFields(columns),
    dialect: decideNumbers(used, draft),
    dateFormats: decideDates(used, draft),
    from: (found.headerRow ?? 0) + 1,
    through: found.lastRow,
  };
  const checks = await checkRows(readTable(source, dialect), plan);
  const isText = description.kind === 'text';
  const common = { file: source.name, isText, found, columns, checks, dictionary, draft, find };
  const proposal: Proposal = { ...common, notes: [] };
  propose(proposal);
  const totals = proposeTotals(proposal, plan);
  sortSettings(draft);
  const inspection: Inspection = {
    ...fileFacts(source, description, dialect),
    preamble: found.preamble.map(({ text }) => text),
    headerRow: found.headerRow,
    rows: found.rows,
    ...(totals === undefined ? {} : { totals }),
    footer: found.footer.map(({ row, text }) => `row ${row}: ${text}`),
    columns: columns.map((column) => inspectionOf(column, checks)),
    notes: proposal.notes,
    questions: draft.questions,
    profile: draft.document,
  };
  return { inspection, draft };
}

function fileFacts({ name }: StatementSource, description: FileDescription, dialect: FileDialect) {
  const { kind, compression } = description;
  const common = { file: name, kind, compression };
  if (description.kind === 'text') {
    return { ...common, encoding: description.encoding, delimiter: dialect.delimiter };
  }
  const { sheet } = dialect;
  return { ...common, sheets: description.sheets, ...(sheet === undefined ? {} : { sheet }) };
}

function inspectionOf(column: Column, checks: RowChecks): ColumnInspection {
  const { evidence, kind, field, how } = column;
  const range = checks.ranges.get(column);
  const repeats = checks.repeats.get(field ?? '')?.told;
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
    ...(repeats === undefined ? {} : { repeats }),
    unreadable: checks.unreadable.get(column)?.rows ?? 0,
  };
}
