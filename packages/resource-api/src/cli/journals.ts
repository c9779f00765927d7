import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable, type Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { SqlError } from '@cls/shared/sql/database';
import type { Command } from 'commander';
import { exportJournals } from '../journal-file/export-journals.ts';
import { importJournals, type JournalImportReport } from '../journal-file/import-journals.ts';
import type { AsOperator } from './operator.ts';

const FAULTS_SHOWN = 20;

/** `cls-api journals …`: the book as a file, whole and lossless. */
export function addJournalCommands(program: Command, asOperator: AsOperator): void {
  const journals = program
    .command('journals')
    .description('the whole book as a file of journals (NDJSON), lossless');

  journals
    .command('export')
    .description('write parties, deals, and every journal, as of one moment')
    .option('--out <file>', 'instead of standard output')
    .action(async ({ out }: { out?: string }, command: Command) => {
      const target = out === undefined ? process.stdout : createWriteStream(out, { flags: 'wx' });
      const summary = await asOperator((operator) =>
        exportJournals(operator.journals, (text) => writeTo(target, text)),
      ).catch((error: NodeJS.ErrnoException) => {
        if (error.code === undefined || error instanceof SqlError) throw error;
        throw new CommandRefused(`${out} cannot be written (${error.code})`);
      });
      if (out === undefined) return;
      await new Promise<void>((done) => target.end(done));
      const text = `${summary.records} records, ${summary.journals} journals, ${summary.postings} postings`;
      printer(command).result(summary, text);
    });

  journals
    .command('import <file>')
    .description('check a file of journals (also .gz) against the book, and with --apply write it')
    .option('--apply', 'write; without it everything is done and then rolled back')
    .action(async (file: string, { apply = false }: { apply?: boolean }, command: Command) => {
      await readable(file);
      const report = await asOperator((operator) =>
        importJournals(operator.journals, { lines: () => linesOf(file), apply }),
      ).catch((error) => {
        if (!(error instanceof SqlError)) throw error;
        throw new CommandRefused(`refused, nothing was written: ${error.message}`);
      });
      if (report.outcome === 'refused') {
        throw new CommandRefused(`refused, nothing was written:\n${faultTable(report)}`, report);
      }
      printer(command).result(report, reportText(report));
    });
}

async function readable(file: string): Promise<void> {
  try {
    const handle = await open(file);
    await handle.close();
  } catch (error) {
    throw new CommandRefused(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function linesOf(file: string): AsyncIterable<string> {
  const bytes = createReadStream(file);
  const plain = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  return withoutBom(createInterface({ input: Readable.from(plain), crlfDelay: Infinity }));
}

async function* withoutBom(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let first = true;
  for await (const line of lines) {
    yield first ? line.replace(/^\uFEFF/, '') : line;
    first = false;
  }
}

function writeTo(target: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    target.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function faultTable({ faults, faultCount }: JournalImportReport): string {
  const shown = faults.slice(0, FAULTS_SHOWN);
  const rows = shown.map(({ line, field, code, message }) => [`${line}`, field, code, message]);
  const rest = faultCount > shown.length ? `\n… and ${faultCount - shown.length} more` : '';
  return `${table(['line', 'field', 'code', 'expected'], rows)}${rest}`;
}

function reportText({ outcome, summary, known }: JournalImportReport): string {
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
    ...Object.entries(summary.debits).map(([currency, sum]) => [`debits in ${currency}`, sum]),
  ];
  return table(['', ''], facts).trimStart();
}
