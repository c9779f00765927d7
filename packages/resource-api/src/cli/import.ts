import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { CommandRefused, printer, table, UsageError } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import { type ImportReport, importTape } from '../tape/import-tape.ts';
import { ProfileError, readProfile } from '../tape/profile.ts';
import type { TapeFault } from '../tape/tape-row.ts';
import type { AsOperator } from './operator.ts';

interface Options {
  readonly profile: string;
  readonly apply?: true;
  readonly rows?: string;
  readonly control: readonly string[];
}

/** The book that comes with the project, by the name that stands for its file. */
const SAMPLE = 'world-bank';
const SAMPLE_FILE = new URL('../../../data/world-bank-ibrd-2025-03-31.csv.gz', import.meta.url);
const FAULTS_SHOWN = 20;

/** `cls-api import`: a statement of balances into the ledger, dry unless `--apply` is given. */
export function addImportCommand(program: Command, asOperator: AsOperator): void {
  program
    .command('import <file>')
    .description(
      `import a CSV statement (also .gz); "${SAMPLE}" is the World Bank’s, which comes with CLS`,
    )
    .option('--profile <name>', 'a shipped profile, or the path of one', 'world-bank-ibrd')
    .option('--apply', 'write; without it everything is checked and nothing written')
    .option('--rows <n>', 'refuse the file unless it has as many rows')
    .option('--control <column=sum>', 'refuse the file unless a column adds up', collect, [])
    .action(async (file: string, options: Options, command: Command) => {
      const request = {
        text: readFile(file),
        profile: profileOf(options.profile),
        apply: options.apply === true,
        expected: expectations(options),
      };
      const report = await asOperator(({ book }) => importTape(book, request));
      if (report.outcome === 'refused') {
        throw new CommandRefused(
          `refused, nothing was written:\n${faultTable(report.faults)}`,
          report,
        );
      }
      printer(command).result(report, reportText(report));
    });
}

function readFile(file: string): string {
  try {
    const bytes = readFileSync(file === SAMPLE ? SAMPLE_FILE : file);
    const compressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const plain = compressed ? gunzipSync(bytes) : bytes;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandRefused(`${file} cannot be read (${code ?? 'not text in UTF-8'})`);
  }
}

function profileOf(name: string) {
  try {
    return readProfile(name);
  } catch (error) {
    throw error instanceof ProfileError ? new CommandRefused(error.message) : error;
  }
}

function expectations({ rows, control }: Options) {
  if (rows !== undefined && !/^\d{1,9}$/.test(rows)) {
    throw new UsageError('--rows: expected a whole number');
  }
  const sums = control.map((text) => {
    const [, column, sum] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (column === undefined || sum === undefined) {
      throw new UsageError('--control: expected column=sum, such as due=283040726064.12');
    }
    return [column, sum] as const;
  });
  return {
    ...(rows === undefined ? {} : { rows: Number(rows) }),
    sums: Object.fromEntries(sums),
  };
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function faultTable(faults: readonly TapeFault[]): string {
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
    ...Object.entries(report.controlTotals).map(([column, sum]) => [`sum of ${column}`, sum]),
  ];
  return table(['', ''], facts).trimStart();
}
