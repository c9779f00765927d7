import type { BookRecord } from '@cls/resource-api/journal-file/record';
import {
  businessDateOf,
  monthsAfter,
  parseBusinessDate,
} from '@cls/resource-api/ledger/business-date';
import { CommandRefused, printer, table, UsageError } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import { generateBook } from '../generate-book.ts';
import type { GenerateResult, KnownAnswer } from '../generated-books.ts';
import { BookSplitter } from '../split-book.ts';
import type { InLedger, Ledger } from './in-ledger.ts';

interface Options {
  readonly contracts: string;
  readonly years: string;
  readonly seed: string;
  readonly from: string;
  readonly splitImported?: true;
  readonly apply?: true;
}

/** Deals close, and the last payments come, within so many months of the first and last day. */
const MARGIN_MONTHS = 5;

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
    .action(async (options: Options, command: Command) => {
      const apply = options.apply === true;
      const plan = planOf(options);
      const result = await inLedger(
        (ledger) =>
          options.splitImported ? split(ledger, plan.seed, apply) : generate(ledger, plan, apply),
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

function generate({ generatedBooks }: Ledger, plan: ReturnType<typeof planOf>, apply: boolean) {
  const answers: KnownAnswer[] = [];
  const records = generateBook(plan, (answer) => answers.push(answer));
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

function planOf(options: Options) {
  const whole = (name: 'contracts' | 'years' | 'seed', max: number) => {
    const value = /^\d{1,10}$/.test(options[name]) ? Number(options[name]) : 0;
    if (value >= 1 && value <= max) return value;
    throw new UsageError(`--${name}: expected a whole number from 1 to ${max}`);
  };
  const [contracts, years] = [whole('contracts', 1_000_000), whole('years', 50)];
  const from = parseBusinessDate(options.from);
  if (from === undefined) throw new UsageError('--from: expected a date such as 2015-01-15');
  if (monthsAfter(from, years * 12 + MARGIN_MONTHS) > businessDateOf(new Date())) {
    throw new UsageError('--from: the history would reach into the future; begin earlier');
  }
  return { contracts, years, seed: whole('seed', 2 ** 31 - 1), from, sublimits: true };
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
