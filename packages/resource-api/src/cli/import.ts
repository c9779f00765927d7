import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { readOptions, text, wholeNumber } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { csvLine } from '../csv/csv-line.ts';
import { UnreadableFile } from '../import/file/table.ts';
import { type ImportReport, importStatement } from '../import/import-statement.ts';
import { SANITY_CHECKS, type SanityCheck } from '../import/profile/profile.ts';
import type { StatementFault } from '../import/statement/statement-row.ts';
import { openStatementFile } from './open-statement-file.ts';
import type { AsOperator } from './operator.ts';
import { collect, DATE } from './option-values.ts';
import { readProfile, shippedProfiles } from './read-profile.ts';

const ACCEPT_EXPECTED = `expected check=reason, with one of ${SANITY_CHECKS.join(', ')}`;

const OPTIONS = z.object({
  profile: z.string(),
  apply: z.boolean().default(false),
  rows: wholeNumber(0, 999_999_999, 'expected a whole number').exactOptional(),
  control: z.array(text(sumOf, 'expected column=sum, such as due=283040726064.12')),
  withoutTotals: z.string().optional(),
  asOf: DATE.exactOptional(),
  shares: z.string().optional(),
  accept: z.array(text(acceptedOf, ACCEPT_EXPECTED)),
  rejects: z.string().optional(),
});

interface Totals {
  readonly apply: boolean;
  readonly rows: number | undefined;
  readonly sums: Readonly<Record<string, string>>;
  readonly withoutTotals?: string | undefined;
}

/** Sample statements in the folder `data`, by the name that stands for the file. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  'world-bank': {
    file: 'world-bank-ibrd-2025-03-31.csv.gz',
    rows: 9_289,
    control: {
      due: '283040726064.12',
      undisbursed: '91171123001.99',
      obligation: '275567475703.93',
    },
  },
  'world-bank-2023': {
    file: 'world-bank-ibrd-2023-05-31.csv.gz',
    rows: 9_012,
    control: { obligation: '241443444980.16' },
  },
};
interface Sample {
  readonly file: string;
  /** Its control totals, as data/README.md states them. */
  readonly rows: number;
  readonly control: Readonly<Record<string, string>>;
}
const DATA = new URL('../../../data/', import.meta.url);
const FAULTS_SHOWN = 20;

/** `cls-api import`: a statement of balances into the ledger, dry unless `--apply` is given. */
export function addImportCommand(program: Command, asOperator: AsOperator): Command {
  return program
    .command('import')
    .argument(
      '<file>',
      `a CSV statement (also .gz), or a sample that comes with CLS: ${Object.keys(SAMPLES).join(', ')}`,
    )
    .description('import a statement')
    .option(
      '--profile <name>',
      `how the file is read: ${shippedProfiles().join(', ')}, or the path of a profile (.yaml, .json)`,
      'world-bank-ibrd',
    )
    .option('--apply', 'write; without it everything is checked and nothing written')
    .option('--rows <n>', 'refuse the file unless it has this number of rows')
    .option('--control <column=sum>', 'refuse the file unless the column has this sum', collect, [])
    .option('--without-totals <reason>', 'apply without control totals; the reason is required')
    .option('--as-of <date>', 'the date of a statement that has no column for it')
    .option('--shares <file>', 'the shares of lenders, where the profile expects a second file')
    .option('--accept <check=reason>', 'apply although a check refuses; the reason', collect, [])
    .option('--rejects <file>', 'write the faults of a refused file as CSV')
    .action(async (file: string, given: object, command: Command) => {
      const sample = Object.hasOwn(SAMPLES, file) ? SAMPLES[file] : undefined;
      const { rows = sample?.rows, ...options } = readOptions(OPTIONS, given);
      const sums = { ...sample?.control, ...Object.fromEntries(options.control) };
      demandTotals({ ...options, rows, sums });
      const path = sample === undefined ? file : fileURLToPath(new URL(sample.file, DATA));
      const request = {
        source: await openFile(path),
        shares: options.shares === undefined ? undefined : await openFile(options.shares),
        profile: readProfile(options.profile),
        asOf: options.asOf,
        apply: options.apply,
        expected: { ...(rows === undefined ? {} : { rows }), sums },
        accept: Object.fromEntries(options.accept),
      };
      const report = await asOperator(({ book }) => importStatement(book, request), {
        mayCreate: request.apply,
      });
      if (report.outcome === 'refused') {
        if (options.rejects !== undefined) writeRejects(options.rejects, report.faults);
        throw new CommandRefused(
          `refused, nothing was written:\n${faultTable(report.faults)}`,
          report,
        );
      }
      printer(command).result(report, reportText(report));
    });
}

/** What a sender says the file holds is how a cut or changed file is noticed. */
function demandTotals({ apply, rows, sums, withoutTotals }: Totals): void {
  const given = rows !== undefined && Object.keys(sums).length > 0;
  if (!apply || withoutTotals !== undefined || given) return;
  throw new CommandRefused(
    'control totals are demanded: give --rows and at least one --control as the sender states ' +
      'them, or --without-totals with the reason why there are none',
  );
}

function writeRejects(file: string, faults: readonly StatementFault[]): void {
  const lines = faults.map(({ row, column, code, message, value }) =>
    csvLine([row, column, code, message, value]),
  );
  const header = csvLine(['row', 'column', 'code', 'expected', 'value']);
  try {
    writeFileSync(file, [header, ...lines].join(''), { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandRefused(`${file} cannot be written (${code})`);
  }
}

async function openFile(path: string) {
  try {
    return await openStatementFile(path);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new CommandRefused(`${path} cannot be read: ${error.message}`);
  }
}

function acceptedOf(given: string): readonly [check: SanityCheck, reason: string] | undefined {
  const [, check, reason] = /^([a-z_0-9]+)=(.*\S.*)$/.exec(given) ?? [];
  const known = SANITY_CHECKS.find((name) => name === check);
  return known === undefined || reason === undefined ? undefined : [known, reason];
}

function sumOf(given: string): readonly [column: string, sum: string] | undefined {
  const [, column, sum] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  return column === undefined || sum === undefined ? undefined : [column, sum];
}

function faultTable(faults: readonly StatementFault[]): string {
  const rows = faults
    .slice(0, FAULTS_SHOWN)
    .map(({ row, column, code, message, value }) => [`${row}`, column, code, message, value]);
  const more = faults.length - rows.length;
  const rest = more > 0 ? `\n… and ${more} more; --json lists all` : '';
  return `${table(['row', 'column', 'code', 'expected', 'value'], rows)}${rest}`;
}

function reportText(report: ImportReport): string {
  const { outcome, asOf, rows, newLoans, journals, postings, warnings } = report;
  const outcomes = {
    applied: 'applied',
    valid: 'valid; nothing was written (give --apply)',
    applied_before: 'this file was applied before; nothing changed',
    refused: 'refused',
  };
  const facts = [
    ['outcome', outcomes[outcome]],
    ['as of', asOf ?? ''],
    ['rows', `${rows}, ${newLoans} of them new loans`],
    ['journals', `${journals} with ${postings} postings`],
    ['warnings', `${warnings.length}`],
    ...report.changes.map(({ kind, loans, rule }) => [
      kind.replaceAll('_', ' '),
      `${loans} loans: ${rule}`,
    ]),
    ...Object.entries(report.controlTotals).map(([column, sum]) => [`sum of ${column}`, sum]),
  ];
  return table(['', ''], facts).trimStart();
}
