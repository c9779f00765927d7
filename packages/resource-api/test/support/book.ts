import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { newId } from '@cls/shared/new-id';
import type { Database } from '@cls/shared/sql/database';
import { readProfile } from '../../src/cli/read-profile.ts';
import { bytesSource } from '../../src/import/file/bytes-source.ts';
import { readTable } from '../../src/import/file/read-table.ts';
import { UnreadableFile } from '../../src/import/file/table.ts';
import type { ImportReport } from '../../src/import/import-report.ts';
import { importStatement } from '../../src/import/import-statement.ts';
import type { ImportProfile } from '../../src/import/profile/profile.ts';
import { sqlBook } from '../../src/import/sql/sql-book.ts';
import { LoanNumbers } from '../../src/import/statement/loan-numbers.ts';
import { type ReadStatement, readStatement } from '../../src/import/statement/read-statement.ts';
import { Report } from '../../src/import/statement/report.ts';
import type { StatementRow } from '../../src/import/statement/statement-row.ts';
import { type BusinessDate, parseBusinessDate } from '../../src/ledger/business-date.ts';
import type { Journal } from '../../src/ledger/journal.ts';
import { lockJournal, postJournals } from '../../src/posting/post-journals.ts';

/** A statement of the World Bank as of one of two dates. */
export function worldBankText(asOf: '2023-05-31' | '2025-03-31' = '2025-03-31'): string {
  const file = new URL(`../../../data/world-bank-ibrd-${asOf}.csv.gz`, import.meta.url);
  return gunzipSync(readFileSync(file)).toString('utf8');
}

export function importWorldBank(
  database: Database,
  text = worldBankText(),
  apply = true,
): Promise<ImportReport> {
  const profile = readProfile('world-bank-ibrd');
  const source = textSource(text);
  const totals = { expected: { sums: {} }, withoutTotals: 'a test' };
  return importStatement(sqlBook(database), { source, profile, apply, ...totals });
}

/** A statement that is in memory. */
export function textSource(text: string) {
  return bytesSource('statement.csv', Buffer.from(text));
}

/** All rows of a statement, with what is wrong with them. */
export async function readText(text: string, profile: ImportProfile, day?: BusinessDate) {
  const report = new Report();
  const read: Partial<ReadStatement> = {};
  const table = readTable(textSource(text), profile);
  const rows: StatementRow[] = [];
  try {
    for await (const some of readStatement(table, profile, day, report, read)) rows.push(...some);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    report.refuse(error.fault);
  }
  const numbers = new LoanNumbers(profile, report);
  for (const row of rows) numbers.add(row);
  const { faults, warnings } = report;
  return { rows, faults, warnings, asOf: read.asOf };
}

let header: string | undefined;

/** A statement of a few loans, in the World Bank's columns. */
export function statement(asOf: string, loans: readonly Record<string, string>[]): string {
  header ??= worldBankText().split('\n', 1)[0]?.trim() ?? '';
  const columns = header.split(',');
  const lines = loans.map((loan) =>
    columns
      .map((column) => {
        if (column === 'End of Period') return asOf;
        const plain = column.replace(/ \(US\$\)$/, '');
        return loan[plain] ?? DEFAULTS[plain] ?? (column.endsWith('(US$)') ? '0' : '');
      })
      .join(','),
  );
  return [header, ...lines, ''].join('\n');
}

const DEFAULTS: Record<string, string> = {
  'Country / Economy Code': 'IN',
  'Country / Economy': 'India',
  Borrower: 'Borrower',
  'Loan Type': 'FSL',
  'Loan Status': 'Repaying',
};

export function date(text: string): BusinessDate {
  const parsed = parseBusinessDate(text);
  if (parsed === undefined) throw new Error(`not a date: ${text}`);
  return parsed;
}

/** Posts one journal of principal on a contract's global line and its lender's. */
export async function postPrincipal(
  database: Database,
  loan: string,
  movement: 'advance' | 'scheduled_repayment',
  effectiveDate: string,
  amountMinor: bigint,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const firstSeq = await lockJournal(transaction);
    const lines = await transaction.query<{ key: bigint; deal_key: bigint }>(
      `SELECT l.key, l.deal_key FROM balance_line l
       JOIN loan_contract c ON c.key = l.contract_key
       JOIN lender_position p ON p.facility_key = l.facility_key AND p.kind = 'assignment'
       WHERE c.contract_number = $1 AND l.lender_key IN (0, p.lender_key)`,
      [loan],
    );
    const postings = lines.flatMap(({ key }) => [
      { line: key, account: 'PRINCIPAL_CASH' as const, movement, amountMinor },
      { line: key, account: 'CASH_CLEARING' as const, amountMinor: -amountMinor },
    ]);
    const journal: Journal<bigint> = {
      type: movement,
      effectiveDate: date(effectiveDate),
      idempotencyKey: newId('test'),
      postings,
    };
    const deal = lines[0]?.deal_key ?? 0n;
    await postJournals(transaction, [{ ...journal, deal }], firstSeq);
  });
}
