import { businessDateOf } from '../ledger/business-date.ts';
import type { Book, BookReader, StatementFile, WriteImport } from './book.ts';
import { type CheckedStatement, checkStatement, statedDeals } from './check-statement.ts';
import { digestOf } from './file/digest.ts';
import type { ImportReport, ImportRequest } from './import-report.ts';
import { type Planned, planStatement, REFUSED } from './plan-statement.ts';
import { SanityChecks } from './sanity.ts';
import { Report } from './statement/report.ts';

/** Imports a statement. Without `apply`, it checks and plans, and writes nothing. */
export async function importStatement(
  book: Pick<Book, 'check' | 'apply'>,
  request: ImportRequest,
): Promise<ImportReport> {
  const { source, profile, apply, accept = {} } = request;
  const report = new Report(request.onFault);
  if (request.noBook !== undefined) report.warn(0, '', 'no_book', request.noBook, '');
  const sanity = new SanityChecks(profile, request.today ?? businessDateOf(new Date()));
  const fileSha256 = await digestOf(source, request.shares);
  const statement = await checkStatement(request, report, sanity);
  const { asOf, rowCount: rows, numbers } = statement;
  const controlTotals = statement.totals.sums();
  checkTotals(request, statement, report);
  sanity.statement(asOf);
  const told = (planned: Planned): ImportReport => ({
    file: source.name,
    profile: profile.name,
    ...(asOf === undefined ? {} : { asOf }),
    fileSha256,
    rows,
    newLoans: 0,
    journals: 0,
    postings: 0,
    controlTotals,
    comparedTotals: statement.totals.compared,
    ...(request.withoutTotals === undefined ? {} : { withoutTotals: request.withoutTotals }),
    hasTotalsRow: statement.hasTotalsRow,
    faults: report.faults,
    faultCount: report.faultCount,
    faultKinds: report.faultKinds,
    warnings: report.warnings,
    warningCount: report.warningCount,
    warningKinds: report.warningKinds,
    sanity: sanity.findings(accept),
    outstanding: [],
    changes: [],
    largest: [],
    ...planned,
  });
  if (report.faultCount > 0 || asOf === undefined) return told(REFUSED);
  const { withoutTotals, actor } = request;
  const file: StatementFile = {
    ...{ profile, fileSha256, asOf, rows, controlTotals },
    ...{ accepted: accept, withoutTotals, actor },
  };
  const deals = () => statedDeals(source, profile, statement);
  const work = async (reader: BookReader, write?: WriteImport) => {
    const plan = { file, deals, numbers, report, sanity, request };
    const planned = await planStatement(plan, reader, write);
    const refused = sanity.findings(accept).some(({ severity }) => severity === 'refused');
    // What was applied before stays so, whatever a check says of it today.
    if (!refused || planned.outcome === 'applied_before') {
      return { keep: planned.outcome === 'applied', result: told(planned) };
    }
    const { importId: _, ...unkept } = planned;
    return { keep: false, result: told({ ...unkept, outcome: 'refused' }) };
  };
  return apply ? book.apply(file, work) : (await book.check(file, work)).result;
}

/** What a sender says the file holds is how a cut or changed file is noticed. */
function checkTotals(
  { expected, apply, withoutTotals }: ImportRequest,
  { totals, rowCount }: CheckedStatement,
  report: Report,
): void {
  if (report.faultCount > 0) return;
  // From the file's own row of totals.
  const hasTotals = totals.compared.length > 0;
  totals.check(rowCount, expected, report);
  const given = expected.rows !== undefined && Object.keys(expected.sums).length > 0;
  if (!apply || withoutTotals !== undefined || given || hasTotals) return;
  const message =
    'control totals are demanded: give --rows and at least one --control as the sender states ' +
    'them, or --without-totals with the reason why there are none';
  report.fault(0, '', 'no_control_totals', message, '');
}
