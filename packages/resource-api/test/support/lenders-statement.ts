import type { Database } from '@cls/shared/sql/database';
import type { ImportReport, ImportRequest } from '../../src/import/import-report.ts';
import { importStatement } from '../../src/import/import-statement.ts';
import { type ImportProfileDocument, profileSchema } from '../../src/import/profile/profile.ts';
import { sqlBook } from '../../src/import/sql/sql-book.ts';
import { date, textSource } from './book.ts';

/** Each row is the part of a lender, in two currencies. */
export const SYNDICATE: ImportProfileDocument = {
  name: 'syndicate',
  title: 'A syndicate',
  source: 'syndicate',
  delimiter: ';',
  lender: { externalId: 'ALPHA', name: 'Alpha Bank' },
  rowIs: 'lender',
  columns: {
    loanNumber: ['Loan'],
    borrower: ['Borrower'],
    lender: ['Lender'],
    currency: ['Currency'],
    due: ['Balance'],
  },
};

const HEADER = 'Loan;Borrower;Lender;Currency;Balance';

export function syndicateText(...rows: readonly string[]): string {
  return [HEADER, ...rows, ''].join('\n');
}

export const MARCH = syndicateText(
  'L1;Müller GmbH;Alpha Bank;EUR;600000.00',
  'L1;Müller GmbH;Beta Bank;EUR;400000.00',
  'L2;Rossi S.p.A.;Alpha Bank;EUR;250000.50',
  'L3;Acme Ltd;Beta Bank;USD;1000000.00',
  'L4;Gone Inc;Alpha Bank;USD;77000.00',
);

/** L1 is sold in part, L2 drawn, L3 repaid; L4 is gone, L5 new. */
export const APRIL = syndicateText(
  'L1;Müller GmbH;Alpha Bank;EUR;500000.00',
  'L1;Müller GmbH;Beta Bank;EUR;500000.00',
  'L2;Rossi S.p.A.;Alpha Bank;EUR;300000.50',
  'L3;Acme Ltd;Beta Bank;USD;900000.00',
  'L5;Neu AG;Beta Bank;USD;10000.00',
);

/** Imports a statement without the sender's totals, unless the request says otherwise. */
export function importTape(
  database: Database,
  text: string,
  asOf: string,
  request: Partial<ImportRequest> & { readonly document?: ImportProfileDocument } = {},
): Promise<ImportReport> {
  const { document = SYNDICATE, ...rest } = request;
  return importStatement(sqlBook(database), {
    source: textSource(text),
    profile: profileSchema.parse(document),
    asOf: date(asOf),
    apply: true,
    expected: { sums: {} },
    withoutTotals: 'a test',
    today: date('2025-12-31'),
    ...rest,
  });
}
