import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { CommandRefused, type Printer, printer } from '@cls/shared/cli/command-line';
import { readOptions, text, wholeNumber } from '@cls/shared/cli/options';
import { toolActor } from '@cls/shared/cli/tool-actor';
import { StoreMissing } from '@cls/shared/embedded/embedded-database';
import type { Command } from 'commander';
import { z } from 'zod';
import { EMPTY_BOOK } from '../import/empty-book.ts';
import { UnreadableFile } from '../import/file/table.ts';
import type { ImportProgress } from '../import/import-report.ts';
import { importStatement } from '../import/import-statement.ts';
import { SANITY_CHECKS, type SanityCheck } from '../import/profile/profile.ts';
import { progressText } from '../import/report/progress-text.ts';
import { reportText } from '../import/report/report-text.ts';
import { ImportReportFiles } from './import-report-files.ts';
import { leanHeap } from './lean-heap.ts';
import { openStatementFile } from './open-statement-file.ts';
import type { AsOperator } from './operator.ts';
import { collect, DATE } from './option-values.ts';
import { orInterrupted } from './or-interrupted.ts';
import { readProfile, shippedProfiles } from './read-profile.ts';

const ACCEPT_EXPECTED = `expected check=reason, with one of ${SANITY_CHECKS.join(', ')}`;

const OPTIONS = z.object({
  profile: z.string(),
  apply: z.boolean().default(false),
  rows: wholeNumber(0, 999_999_999, 'expected a whole number').exactOptional(),
  control: z
    .array(text(sumOf, 'expected column=sum, such as due=283040726064.12'))
    .refine(hasEachOnce, 'expected one sum for each column'),
  withoutTotals: z.string().regex(/\S/, 'expected a reason').optional(),
  asOf: DATE.exactOptional(),
  shares: z.string().optional(),
  accept: z
    .array(text(acceptedOf, ACCEPT_EXPECTED))
    .refine(hasEachOnce, 'expected one reason for each check'),
  rejects: z.string().optional(),
  changes: z.string().optional(),
  html: z.string().optional(),
  progress: z.boolean().default(false),
});

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
const PROGRESS_EVERY_MS = 500;

/** `cls-api import`: a statement of balances into the ledger, dry unless `--apply` is given. */
export function addImportCommand(program: Command, asOperator: AsOperator): Command {
  return program
    .command('import')
    .argument(
      '<file>',
      `a statement: text or .xlsx, also .gz or .zip; or a sample that comes with CLS: ${Object.keys(SAMPLES).join(', ')}`,
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
    .option('--rejects <file>', 'write all faults of a refused file as CSV')
    .option('--changes <file>', 'write all differences from the book as CSV')
    .option('--html <file>', 'write the report as a page that can be sent by mail')
    .option('--progress', 'show progress also where stderr is no terminal')
    .action(async (file: string, given: object, command: Command) => {
      const sample = Object.hasOwn(SAMPLES, file) ? SAMPLES[file] : undefined;
      const { rows = sample?.rows, ...options } = readOptions(OPTIONS, given);
      const sums = { ...sample?.control, ...Object.fromEntries(options.control) };
      const path = sample === undefined ? file : fileURLToPath(new URL(sample.file, DATA));
      const out = printer(command);
      const request = {
        source: await openFile(path),
        shares: options.shares === undefined ? undefined : await openFile(options.shares),
        profile: readProfile(options.profile),
        asOf: options.asOf,
        apply: options.apply,
        actor: { name: toolActor(process.env) },
        expected: { ...(rows === undefined ? {} : { rows }), sums },
        withoutTotals: options.withoutTotals,
        accept: Object.fromEntries(options.accept),
        onProgress: options.progress || process.stderr.isTTY ? progressOn(out) : undefined,
      };
      const files = new ImportReportFiles(options);
      const asked = { ...request, ...files.sinks };
      leanHeap();
      const { apply } = request;
      const importing = asOperator(({ book }) => importStatement(book, asked), {
        mayCreate: apply,
      });
      const report = await orInterrupted(importing, apply, () => files.discard())
        .catch((error) => {
          if (!(error instanceof StoreMissing)) throw error;
          const noBook = `no book was compared, because ${error.message}`;
          return importStatement(EMPTY_BOOK, { ...asked, noBook });
        })
        .catch((error) => {
          files.discard();
          throw error;
        })
        .finally(() => out.progress(''));
      files.finish(report);
      const text = reportText(report);
      if (report.outcome === 'refused') throw new CommandRefused(text, report);
      out.result(report, text);
    });
}

/** Shows the progress twice a second. */
function progressOn({ progress }: Printer): (now: ImportProgress) => void {
  let step = '';
  let begun = 0;
  let last: number | undefined;
  let shown = 0;
  return (now) => {
    if (step !== now.step) begun = last ?? performance.now();
    step = now.step;
    last = performance.now();
    if (last - shown < PROGRESS_EVERY_MS) return;
    shown = last;
    progress(progressText(now, (last - begun) / 1_000));
  };
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

/** One of two would be lost. */
function hasEachOnce(pairs: readonly (readonly [name: string, value: string])[]): boolean {
  return new Set(pairs.map(([name]) => name)).size === pairs.length;
}

function sumOf(given: string): readonly [column: string, sum: string] | undefined {
  const [, column, sum] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  return column === undefined || sum === undefined ? undefined : [column, sum];
}
