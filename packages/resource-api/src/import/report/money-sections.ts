import type { ImportReport } from '../import-report.ts';
import type { OutstandingTotal } from '../plan/currency-totals.ts';
import type { AmountField } from '../profile/fields.ts';
import { difference, grouped, type Section } from './section.ts';
import { AMOUNT_WORDS } from './words.ts';

const STEPS = [
  ['before', 'In the book before', true],
  ['newLoans', 'New loans', false],
  ['drawn', 'Drawn', false],
  ['repaid', 'Repaid', false],
  ['corrected', 'Corrected', false],
  ['after', 'In the book after', true],
  ['vanished', 'Of it not in the statement', false],
  ['stated', 'Of it in the statement', false],
  ['transferred', 'Of it sold between lenders', false],
] as const;

export function outstandingSection({ outstanding }: ImportReport): Section | undefined {
  if (outstanding.length === 0) return undefined;
  const rows = outstanding.flatMap((total) =>
    STEPS.filter(([step, , always]) => always || isTold(step, total)).map(([step, words]) => [
      total.currency,
      words,
      grouped(`${total.loans[step]}`),
      grouped(total[step]),
    ]),
  );
  return {
    title: 'Outstanding principal',
    sentences: [],
    table: {
      columns: ['Currency', 'Step', 'Loans', 'Amount'],
      numbers: ['Loans', 'Amount'],
      rows,
    },
  };
}

/** Where the statement has all that the book has, its total is the book's. */
function isTold(step: (typeof STEPS)[number][0], { loans }: OutstandingTotal): boolean {
  return loans[step] > 0 && (step !== 'stated' || loans.vanished > 0);
}

export function largestSection({ largest }: ImportReport): Section | undefined {
  if (largest.length === 0) return undefined;
  const rows = largest.map(({ currency, loan, before, after }) => [
    currency,
    loan,
    grouped(before),
    grouped(after),
    grouped(difference(before, after)),
  ]);
  const numbers = ['Before', 'After', 'Difference'];
  const columns = ['Currency', 'Loan', ...numbers];
  const sentences = ['Outstanding principal of the loans that change most.'];
  return { title: 'Largest differences', sentences, table: { columns, numbers, rows } };
}

export function controlSection(report: ImportReport): Section | undefined {
  const { controlTotals, comparedTotals, withoutTotals, hasTotalsRow, faultCount } = report;
  const compared = new Set(comparedTotals.map(({ name }) => name));
  const alone = Object.entries(controlTotals).filter(([name]) => !compared.has(name));
  const rows = [
    ...comparedTotals.map(({ name, sender, file }) => [
      nameOf(name),
      grouped(sender),
      grouped(file),
      sender === file ? 'agree' : 'DIFFER',
    ]),
    ...alone.map(([name, sum]) => [nameOf(name), '', grouped(sum), 'not compared']),
  ];
  // Rows with a fault are in no sum.
  if (rows.length === 0 || (faultCount > 0 && compared.size === 0)) return undefined;
  const numbers = ['Sender', 'File'];
  const columns = ['Total', ...numbers, 'Result'];
  const sentences = [
    ...(hasTotalsRow ? ['The file has a row of totals.'] : []),
    ...(withoutTotals === undefined
      ? []
      : [`The sender’s totals were not demanded: ${withoutTotals}.`]),
  ];
  return { title: 'Control totals', sentences, table: { columns, numbers, rows } };
}

/** `due:EUR` is `outstanding principal EUR`. */
function nameOf(total: string): string {
  const [field = '', ...currency] = total.split(':');
  return [AMOUNT_WORDS[field as AmountField] ?? field, ...currency].join(' ');
}
