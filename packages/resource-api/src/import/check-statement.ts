import { setImmediate } from 'node:timers/promises';

import type { BusinessDate } from '../ledger/business-date.ts';
import { readTable } from './file/read-table.ts';
import { type StatementSource, UnreadableFile } from './file/table.ts';
import type { ImportRequest } from './import-report.ts';
import type { ImportProfile } from './profile/profile.ts';
import type { SanityChecks } from './sanity.ts';
import { ControlTotals } from './statement/control-totals.ts';
import { groupRows, groupsRows } from './statement/group-rows.ts';
import { LoanNumbers } from './statement/loan-numbers.ts';
import { type ReadStatement, readStatement } from './statement/read-statement.ts';
import { Report } from './statement/report.ts';
import { readShares, type Shares } from './statement/shares.ts';
import type { StatedDeal } from './statement/stated-deal.ts';
import type { StatementRow } from './statement/statement-row.ts';

/** Deals that are planned at once. */
export const BATCH_DEALS = 2_000;

/** A statement that was read to its end. */
export interface CheckedStatement extends ReadStatement {
  readonly shares: Shares;
  readonly numbers: LoanNumbers;
}

/** Reads all of the file, and reports what is wrong with it. */
export async function checkStatement(
  request: ImportRequest,
  report: Report,
  sanity: SanityChecks,
): Promise<CheckedStatement> {
  const { source, profile, asOf, onProgress } = request;
  const totals = new ControlTotals(profile);
  const read: ReadStatement = { asOf, rowCount: 0, totals, hasTotalsRow: false };
  const all: StatementRow[] = [];
  const numbers = new LoanNumbers(profile, report);
  const grouped = groupsRows(profile);
  let shares: Shares = new Map();
  let bytes = 0;
  const file = withBytes(source, (length) => {
    bytes += length;
  });
  try {
    shares = await readSecondFile(request, report);
    for (const rows of shares.values()) sanity.shares(rows);
    const statement = readStatement(readTable(file, profile), profile, asOf, report, read);
    for await (const rows of statement) {
      for (const row of rows) {
        sanity.row(row);
        if (!grouped) numbers.add(row);
      }
      if (grouped) all.push(...rows);
      // A workbook's file is not read from its beginning to its end.
      const done = Math.min(1, bytes / (source.size || 1));
      onProgress?.({ step: 'reading', rows: read.rowCount, of: undefined, done });
      await setImmediate();
    }
    for (const { row, number } of grouped ? groupRows(all, profile, shares, report) : []) {
      numbers.add({ row, dealNumber: number });
    }
    if (read.rowCount > 0 && read.asOf === undefined && profile.columns.asOf === undefined) {
      report.fault(
        0,
        '',
        'no_date',
        'the file has no column for the date: give it with --as-of, over HTTP with asOf',
        '',
      );
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    report.refuse(error.fault);
  }
  return { ...read, shares, numbers };
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

/** The deals of a statement that was checked, read once more, in batches. */
export async function* statedDeals(
  source: StatementSource,
  profile: ImportProfile,
  shares: Shares,
  asOf: BusinessDate,
): AsyncGenerator<readonly StatedDeal[]> {
  // Faults of the file were reported when it was checked.
  const unused = new Report();
  const grouped = groupsRows(profile);
  const isGiven = profile.columns.asOf === undefined || profile.asOfRows === 'only';
  const given = isGiven ? asOf : undefined;
  let rows: StatementRow[] = [];
  for await (const some of readStatement(readTable(source, profile), profile, given, unused)) {
    rows.push(...some);
    if (grouped) continue;
    while (rows.length >= BATCH_DEALS) {
      yield groupRows(rows.slice(0, BATCH_DEALS), profile, shares, unused);
      rows = rows.slice(BATCH_DEALS);
    }
  }
  const deals = groupRows(rows, profile, shares, unused);
  for (let at = 0; at < deals.length; at += BATCH_DEALS) yield deals.slice(at, at + BATCH_DEALS);
}
