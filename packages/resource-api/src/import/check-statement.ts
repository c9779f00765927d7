import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';

import { readTable } from './file/read-table.ts';
import { type StatementSource, UnreadableFile } from './file/table.ts';
import type { ImportRequest } from './import-report.ts';
import type { ImportProfile } from './profile/profile.ts';
import type { SanityChecks } from './sanity.ts';
import { delimiterName } from './statement/columns.ts';
import { ControlTotals } from './statement/control-totals.ts';
import { Grouping, groupsRows } from './statement/group-rows.ts';
import { LoanNumbers } from './statement/loan-numbers.ts';
import { type ReadStatement, readStatement } from './statement/read-statement.ts';
import { Report } from './statement/report.ts';
import { readShares, type Shares } from './statement/shares.ts';
import type { StatedDeal } from './statement/stated-deal.ts';
import type { StatementRow } from './statement/statement-row.ts';

export const BATCH_DEALS = 2_000;
/** Rows, of deals whose rows stand apart, that are held at once: each takes about 3 KB. */
export const ROWS_HELD = 60_000;

export interface CheckedStatement extends ReadStatement {
  readonly shares: Shares;
  readonly numbers: LoanNumbers;
  /** The rows of each deal follow each other. */
  readonly isInOrder: boolean;
}

export async function checkStatement(
  request: ImportRequest,
  report: Report,
  sanity: SanityChecks,
): Promise<CheckedStatement> {
  const { source, profile, asOf, onProgress } = request;
  const totals = new ControlTotals(profile);
  const read: ReadStatement = { asOf, rowCount: 0, totals, hasTotalsRow: false };
  const numbers = new LoanNumbers(profile, report);
  const grouped = groupsRows(profile);
  let isInOrder = true;
  let lastDeal: string | undefined;
  let shares: Shares = new Map();
  let bytes = 0;
  const file = withBytes(source, (length) => {
    bytes += length;
  });
  const tell = (done: number) =>
    onProgress?.({ step: 'reading', rows: read.rowCount, of: undefined, done });
  try {
    shares = await readSecondFile(request, report);
    for (const rows of shares.values()) sanity.shares(rows);
    const statement = readStatement(readTable(file, profile), profile, asOf, report, read);
    for await (const rows of statement) {
      for (const row of rows) {
        sanity.row(row);
        if (grouped && row.dealNumber === lastDeal) continue;
        lastDeal = row.dealNumber;
        if (grouped && numbers.has(lastDeal)) isInOrder = false;
        else numbers.add(row);
      }
      // A workbook's file is not read from its beginning to its end.
      tell(Math.min(1, bytes / (source.size || 1)) * (grouped ? 0.5 : 1));
      await setImmediate();
    }
    if (grouped) {
      let made = 0;
      const statement = { ...read, shares, isInOrder };
      for await (const deals of statedDeals(source, profile, statement, report)) {
        for (const { facilities } of deals) for (const one of facilities) sanity.facility(one);
        made += deals.length;
        tell(0.5 + Math.min(1, made / numbers.count) * 0.5);
        await setImmediate();
      }
    }
    if (read.rowCount > 0 && read.asOf === undefined && profile.columns.asOf === undefined) {
      const { titleDate: title } = read;
      const hint = title === undefined ? '' : `; row ${title.row} says “${title.text}”`;
      const message = `the file has no column for the date: give it with --as-of, over HTTP with asOf${hint}`;
      report.fault(0, '', 'no_date', message, '');
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const { fault } = error;
    const cells = `; this file is read with ${delimiterName(profile.delimiter)} between its cells: if it has others, declare the delimiter`;
    const isText = fault.code === 'malformed_csv';
    report.refuse(isText ? { ...fault, message: `${fault.message}${cells}` } : fault);
  }
  return { ...read, shares, numbers, isInOrder };
}

function withBytes(source: StatementSource, onBytes: (length: number) => void): StatementSource {
  return {
    ...source,
    async *bytes(start, end) {
      for await (const chunk of source.bytes(start, end)) {
        onBytes(chunk.length);
        yield chunk;
      }
    },
  };
}

async function readSecondFile({ profile, shares }: ImportRequest, report: Report): Promise<Shares> {
  if ((profile.shares === undefined) !== (shares === undefined)) {
    const message = shares
      ? 'the profile has no shares, so a second file says nothing: give the statement alone'
      : 'the profile expects a second file with the shares of lenders: give --shares';
    report.fault(0, '', 'second_file', message, '');
  }
  if (shares === undefined) return new Map();
  const dialect = { ...profile, sheet: profile.shares?.sheet ?? profile.sheet };
  return readShares(readTable(shares, dialect), profile, report);
}

/**
 * The deals of a statement that was read, once more, in batches. Where the rows of deals stand apart, the file
 * is read several times, each time for a part of the deals. What is wrong with rows was reported before.
 */
export async function* statedDeals(
  source: StatementSource,
  profile: ImportProfile,
  statement: Pick<CheckedStatement, 'shares' | 'isInOrder' | 'asOf' | 'rowCount'>,
  report = new Report(),
): AsyncGenerator<readonly StatedDeal[]> {
  const { shares, isInOrder, asOf, rowCount } = statement;
  const grouping = new Grouping(profile, shares, report);
  const isGiven = profile.columns.asOf === undefined || profile.asOfRows === 'only';
  const given = isGiven ? asOf : undefined;
  const parts = isInOrder ? 1 : Math.ceil(rowCount / ROWS_HELD);
  for (let part = 0; part < parts; part += 1) {
    const table = readTable(source, profile);
    let rows: StatementRow[] = [];
    /** Where the rows of the last deal begin, of which more may follow. */
    let last = 0;
    for await (const some of readStatement(table, profile, given, new Report())) {
      for (const row of some) {
        if (parts > 1 && crc32(row.dealNumber) % parts !== part) continue;
        if (row.dealNumber !== rows[last]?.dealNumber) last = rows.length;
        rows.push(row);
      }
      if (!isInOrder || last < BATCH_DEALS) continue;
      yield grouping.deals(rows.slice(0, last));
      rows = rows.slice(last);
      last = 0;
    }
    const deals = grouping.deals(rows);
    for (let at = 0; at < deals.length; at += BATCH_DEALS) yield deals.slice(at, at + BATCH_DEALS);
  }
  grouping.end();
}
