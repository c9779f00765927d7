import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { linesOfFile } from '@cls/shared/cli/lines-of-file';
import { readOptions } from '@cls/shared/cli/options';
import { SqlError } from '@cls/shared/sql/database';
import type { Command } from 'commander';
import { z } from 'zod';
import type { LineFault } from '../journal-file/check-file.ts';
import { exportJournals } from '../journal-file/export-journals.ts';
import { importJournals, type JournalImportReport } from '../journal-file/import-journals.ts';
import type { AsOperator } from './operator.ts';
import { APPLY, SEQUENCE } from './option-values.ts';
import { orInterrupted } from './or-interrupted.ts';
import { writeOutput } from './output-file.ts';

const FAULTS_SHOWN = 20;

const IMPORT = z.object({
  apply: z.boolean().default(false),
  acceptWarnings: z.boolean().default(false),
});
const EXPORT = z.object({ out: z.string().optional(), fromSeq: SEQUENCE });

/** `cls-api journals …`: the book as a file, whole and lossless. */
export function addJournalCommands(program: Command, asOperator: AsOperator): void {
  const journals = program
    .command('journals')
    .description('the whole book as a file of journals (NDJSON), lossless');

  journals
    .command('export')
    .description('write parties, deals, and every journal, as of one moment')
    .option('--out <file>', 'the file to write, instead of standard output')
    .option('--from-seq <n>', 'only what became known with this journal sequence or later', '1')
    .action(async (options: object, command: Command) => {
      const { out, fromSeq } = readOptions(EXPORT, options);
      const summary = await writeOutput(out, (write) =>
        asOperator((operator) => exportJournals(operator.journals, write, fromSeq)),
      );
      if (out === undefined) return;
      const text = `${summary.records} records, ${summary.journals} journals, ${summary.postings} postings`;
      printer(command).result(summary, text);
    });

  journals
    .command('import <file>')
    .description('check a file of journals (also .gz) against the book, and with --apply write it')
    .option(...APPLY)
    .option('--accept-warnings', 'with --apply: also write what the report warns of')
    .action(async (file: string, given: object, command: Command) => {
      const options = readOptions(IMPORT, given);
      const { apply } = options;
      const importing = asOperator(
        ({ journals }) => importJournals(journals, { lines: () => linesOf(file), ...options }),
        { mayCreate: apply },
      );
      const report = await orInterrupted(importing, apply).catch((error) => {
        throw refusal(file, error);
      });
      if (report.outcome === 'refused') {
        throw new CommandRefused(`refused, nothing was written:\n${refusedText(report)}`, report);
      }
      printer(command).result(report, reportText(report));
    });
}

/** Faults of the file and of the database, as the operator may read them. */
function refusal(file: string, error: unknown): unknown {
  if (error instanceof SqlError) {
    return new CommandRefused(`refused, nothing was written: ${error.message}`);
  }
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || !/^(E[A-Z]+$|Z_)/.test(code)) return error;
  return new CommandRefused(`${file} cannot be read (${code})`);
}

/** The lines of a file, which may be compressed. */
function linesOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const gunzipped = () => pipeline(source, createGunzip(), () => undefined);
  return linesOfFile(file.endsWith('.gz') ? gunzipped() : source);
}

function faultTable(faults: readonly LineFault[], faultCount: number): string {
  const shown = faults.slice(0, FAULTS_SHOWN);
  const rows = shown.map(({ line, field, code, message }) => [`${line}`, field, code, message]);
  const rest = faultCount > shown.length ? `\n… and ${faultCount - shown.length} more` : '';
  return `${table(['line', 'field', 'code', 'expected'], rows)}${rest}`;
}

/** Without a fault, warnings are the reason. */
function refusedText(report: JournalImportReport): string {
  const { faults, faultCount, warnings, warningCount } = report;
  if (faultCount > 0) return faultTable(faults, faultCount);
  const advice = 'look at each warning; --accept-warnings writes the file as it is';
  return `${advice}\n${faultTable(warnings, warningCount)}`;
}

function reportText(report: JournalImportReport): string {
  const { outcome, summary, known, warnings, warningCount } = report;
  const outcomes = {
    applied: 'applied',
    valid: 'valid; nothing was written (give --apply)',
    applied_before: 'the book has all of it; nothing changed',
    refused: 'refused',
  };
  const facts = [
    ['outcome', outcomes[outcome]],
    ['records', `${summary.records}, ${known} of them known before`],
    ['journals', `${summary.journals} with ${summary.postings} postings`],
    ...Object.entries(summary.sums).flatMap(([currency, accounts]) =>
      Object.entries(accounts).map(([account, sum]) => [`${currency} ${account}`, sum]),
    ),
  ];
  const text = table(['', ''], facts).trimStart();
  return warnings.length === 0
    ? text
    : `${text}\n\nwarnings\n${faultTable(warnings, warningCount)}`;
}
