import type { BookRecord } from '@cls/resource-api/journal-file/record';
import {
  businessDateOf,
  monthsAfter,
  parseBusinessDate,
} from '@cls/resource-api/ledger/business-date';
import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { readOptions, text, wholeNumber } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { generateBook } from '../generate-book.ts';
import type { GenerateResult, KnownAnswer } from '../generated-books.ts';
import { BookSplitter } from '../split-book.ts';
import type { InLedger, Ledger } from './in-ledger.ts';

/** Deals close, and the last payments come, within so many months of the first and last day. */
const MARGIN_MONTHS = 5;

const OPTIONS = z
  .object({
    contracts: wholeNumber(1, 1_000_000),
    years: wholeNumber(1, 50),
    seed: wholeNumber(1, 2 ** 31 - 1),
    from: text(parseBusinessDate, 'expected a date such as 2015-01-15'),
    splitImported: z.boolean().default(false),
    apply: z.boolean().default(false),
  })
  .refine(
    ({ from, years }) =>
      monthsAfter(from, years * 12 + MARGIN_MONTHS) <= businessDateOf(new Date()),
    { path: ['from'], error: 'the history would reach into the future; begin earlier' },
  );
type Plan = Pick<z.output<typeof OPTIONS>, 'contracts' | 'years' | 'seed' | 'from'>;

/** `cls-books generate`: books for trying and measuring, whose balances are known beforehand. */
export function addGenerateCommand(program: Command, inLedger: InLedger): void {
  program
    .command('generate')
    .description('generate a book of syndicated loans with known answers, the same for a seed')
    .option('--contracts <n>', 'contracts to draw', '100')
    .option('--years <n>', 'years of history', '3')
    .option('--seed <n>', 'a number that decides which book is generated', '1')
    .option('--from <date>', 'when the first deal closes', '2015-01-15')
    .option('--split-imported', 'instead: copy imported deals, split over generated lenders')
    .option('--apply', 'write; without it everything is done and then rolled back')
    .action(async (options: object, command: Command) => {
      const { apply, splitImported, ...plan } = readOptions(OPTIONS, options);
      const result = await inLedger(
        (ledger) =>
          splitImported ? split(ledger, plan.seed, apply) : generate(ledger, plan, apply),
        apply,
      );
      if (result.outcome === 'wrong') {
        const ids = result.differing.slice(0, 5).join(', ');
        throw new CommandRefused(`${result.differing.length} facilities differ: ${ids}`, result);
      }
      if (result.outcome === 'generated_before') {
        throw new CommandRefused('the book of this seed is there already', result);
      }
      printer(command).result(result, resultText(result));
    });
}

function generate({ generatedBooks }: Ledger, plan: Plan, apply: boolean) {
  const answers: KnownAnswer[] = [];
  const records = generateBook({ ...plan, sublimits: true }, (answer) => answers.push(answer));
  return generatedBooks.write(records, () => answers, apply);
}

/** The copies are held in memory: an imported book is read whole before it is written anew. */
async function split({ generatedBooks, journals }: Ledger, seed: number, apply: boolean) {
  const splitter = new BookSplitter(seed);
  const copies: BookRecord[] = [...splitter.lenders];
  await journals.readAll(async (records) => {
    for (const record of records) copies.push(...splitter.copy(record));
  }, 1n);
  if (copies.length === splitter.lenders.length) {
    throw new CommandRefused('there is no imported deal to split');
  }
  return generatedBooks.write(copies, () => splitter.answers, apply);
}

function resultText({ outcome, contracts, journals, postings, compared }: GenerateResult): string {
  return table(
    ['', ''],
    [
      ['outcome', outcome === 'valid' ? 'valid; nothing was written (give --apply)' : outcome],
      ['contracts', `${contracts}`],
      ['journals', `${journals} with ${postings} postings`],
      ['facilities', `${compared}, each with the balances that it must have`],
    ],
  ).trimStart();
}
