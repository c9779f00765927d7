import { magnitudeOf } from '../../ledger/money.ts';
import { readNumber } from '../cells/numbers.ts';
import { cellText } from '../cells/text.ts';
import type { Cell } from '../file/table.ts';
import { wordIn } from '../statement/control-totals.ts';
import type { CheckPlan, RowChecks } from './check-rows.ts';
import type { Column } from './columns.ts';
import type { ProfileDraft } from './draft.ts';
import type { ColumnEvidence } from './evidence.ts';
import { isBlank } from './header.ts';
import { CENT, decimal, scaled } from './identities.ts';
import type { Inspection } from './inspection.ts';
import type { Proposal } from './proposal.ts';
import type { Scan } from './scan.ts';

export function proposeTotals(
  { found, columns, checks, find, draft }: Proposal,
  plan: CheckPlan,
): Inspection['totals'] {
  const { totals, footer, totalsWithin } = found;
  const path = ['totalsRow'];
  if (totals === undefined) {
    const [note] = footer;
    if (note !== undefined) {
      const begins = `how row ${note.row} begins: “${note.text}”`;
      draft.ask(path, `${begins}. It is no loan, and the loans end before it`);
    }
    if (totalsWithin.length > 0) askForWithin(found, draft);
    return undefined;
  }
  const { row } = totals.row;
  const currency = find('currency')?.evidence;
  const named = currency && currencyNamed(totals.row.cells, currency);
  const sums = compareSums(totals.row.cells, columns, checks, plan);
  const verdict =
    named === undefined
      ? verdictOf(sums)
      : `it has the totals of ${named}, which the import compares with the rows in ${named}`;
  // Totals that name no currency, over rows of several: nothing compares them.
  const addsCurrencies = named === undefined && (currency?.distinct ?? 0) > 1;
  if (totals.label === undefined) {
    const advice = 'write a word such as Total before its sums, or take the row out';
    draft.ask(path, `row ${row} has no words, and ${verdict}: ${advice}`);
  } else if (totalsWithin.length > 0) askForWithin(found, draft);
  else if (addsCurrencies) {
    const question = `${totals.label}? row ${row} adds amounts of several currencies`;
    const ways = `${totals.label}, to compare these sums too; or leave this out and take the row out`;
    draft.ask(path, `${question}: ${ways} of the file`);
  } else if (named === undefined && sums.equal.length === 0 && sums.other.length > 0) {
    const begins = `${totals.label}? row ${row} begins so, but ${verdict}`;
    draft.ask(path, `${begins}; leave this out if it is a loan`);
  } else draft.set(path, totals.label, `row ${row}: ${verdict}`);
  const cells = totals.row.cells.map(cellText).filter((cell) => cell !== '');
  return { row, text: cells.join(' '), verdict };
}

/** Of rows in several currencies, the one that the totals name beside their word or in its column. */
function currencyNamed(cells: readonly Cell[], { index, values }: ColumnEvidence) {
  if (values.size <= 1) return undefined;
  const texts = [cells[index], cells.find((cell) => !isBlank(cell))];
  return wordIn(texts.map((cell) => cellText(cell ?? '')).join(' '), values);
}

function askForWithin({ totalsWithin, totals }: Scan, draft: ProfileDraft): void {
  const [first] = totalsWithin;
  const also = totals === undefined ? '' : `, as row ${totals.row.row} does`;
  const question = `row ${first?.row} begins like totals${also}: “${first?.text}”. Take subtotals out, or write how only the last row begins`;
  draft.ask(['totalsRow'], question);
}

function compareSums(
  cells: readonly Cell[],
  columns: readonly Column[],
  { sums }: RowChecks,
  { dialect }: CheckPlan,
): { readonly equal: string[]; readonly other: string[] } {
  const [equal, other]: [string[], string[]] = [[], []];
  for (const column of columns) {
    const cell = cells[column.evidence.index];
    const sum = sums.get(column);
    if (column.kind !== 'amount' || sum === undefined || cell === undefined) continue;
    const read = readNumber(cell, dialect);
    if (!('text' in read)) continue;
    const stated = scaled(read.text);
    const gap = magnitudeOf(stated - sum);
    const { header } = column.evidence;
    if (gap < CENT) equal.push(header);
    else other.push(`${header} has ${read.text}, the rows come to ${decimal(sum)}`);
  }
  return { equal, other };
}

function verdictOf({ equal, other }: ReturnType<typeof compareSums>): string {
  if (equal.length + other.length === 0) return 'it has no sums';
  const right = equal.length > 0 ? `the rows come to its ${equal.join(', ')}` : '';
  return [right, ...other.slice(0, 3)].filter((text) => text !== '').join('; ');
}
