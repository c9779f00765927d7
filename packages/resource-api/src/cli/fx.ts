import { printer, table, UsageError } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import { parseBusinessDate } from '../ledger/business-date.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import type { AsOperator } from './operator.ts';

const RATE = /^\d{1,15}(\.\d{1,15})?$/;
const LIMIT_MAX = 10_000;

interface AddOptions {
  readonly date: string;
  readonly from: string;
  readonly to: string;
  readonly rate: string;
  readonly source: string;
}

/** `cls-api fx …`: rates between currencies, for reports in another currency. */
export function addFxCommands(program: Command, asOperator: AsOperator): void {
  const fx = program.command('fx').description('rates between currencies');

  fx.command('add')
    .description('add a rate; the newest one for a date counts')
    .requiredOption('--date <date>', 'the day of the rate')
    .requiredOption('--from <currency>', 'ISO 4217')
    .requiredOption('--to <currency>', 'ISO 4217')
    .requiredOption('--rate <decimal>', 'units of --to for one unit of --from')
    .requiredOption('--source <text>', 'who published it')
    .action(async (options: AddOptions, command: Command) => {
      const rate = parseRate(options);
      const made = await asOperator(({ fxRates }) => fxRates.add(rate));
      const { from, to, date } = made;
      printer(command).result(made, `1 ${from} is ${made.rate} ${to} on ${date}`);
    });

  fx.command('list')
    .description('list rates, newest first')
    .option('--from <currency>', 'only rates from this currency')
    .option('--to <currency>', 'only rates to this currency')
    .option('--limit <n>', 'how many to list at most', '50')
    .action(async (options: { from?: string; to?: string; limit: string }, command: Command) => {
      const { from, to } = options;
      const limit = /^\d{1,5}$/.test(options.limit) ? Number(options.limit) : 0;
      if (limit < 1 || limit > LIMIT_MAX) {
        throw new UsageError(`--limit: expected a whole number from 1 to ${LIMIT_MAX}`);
      }
      const rates = await asOperator(({ fxRates }) => fxRates.list({ from, to, limit }));
      const rows = rates.map((one) => [one.date, one.from, one.to, one.rate, one.source]);
      printer(command).result(rates, table(['date', 'from', 'to', 'rate', 'source'], rows));
    });
}

function parseRate({ date: dateText, from, to, rate, source }: AddOptions) {
  const date = parseBusinessDate(dateText);
  if (date === undefined) throw new UsageError('--date: expected a date such as 2025-03-31');
  for (const [option, currency] of [
    ['--from', from],
    ['--to', to],
  ] as const) {
    if (minorUnitDigits(currency) === undefined) {
      throw new UsageError(`${option}: expected a currency of ISO 4217 such as USD`);
    }
  }
  if (from === to) throw new UsageError('--from and --to: expected two currencies');
  if (!RATE.test(rate) || !/[1-9]/.test(rate)) {
    throw new UsageError('--rate: expected a decimal above 0 such as 1.0843');
  }
  if (source.trim() === '') throw new UsageError('--source: expected a name');
  return { date, from, to, rate, source };
}
