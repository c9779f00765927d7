import { printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions, wholeNumber } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import type { AsOperator } from './operator.ts';
import { CURRENCY, DATE, LIST_MAX } from './option-values.ts';

const ADD = z
  .object({
    date: DATE,
    from: CURRENCY,
    to: CURRENCY,
    rate: z
      .string()
      .regex(/^(?=.*[1-9])\d{1,15}(\.\d{1,15})?$/, 'expected a decimal above 0 such as 1.0843'),
    source: z.string().regex(/\S/, 'expected a name'),
  })
  .refine(({ from, to }) => from !== to, '--from and --to: expected two currencies');
const LIST = z.object({
  from: z.string().optional(),
  to: z.string().optional(),
  limit: wholeNumber(1, LIST_MAX),
});

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
    .action(async (options: object, command: Command) => {
      const rate = readOptions(ADD, options);
      const made = await asOperator(({ fxRates }) => fxRates.add(rate));
      const { from, to, date } = made;
      printer(command).result(made, `1 ${from} is ${made.rate} ${to} on ${date}`);
    });

  addListCommand(fx, {
    description: 'list rates, newest first',
    load: (options: object) => {
      const wanted = readOptions(LIST, options);
      return asOperator(({ fxRates }) => fxRates.list(wanted));
    },
    columns: ['date', 'from', 'to', 'rate', 'source'],
  })
    .option('--from <currency>', 'only rates from this currency')
    .option('--to <currency>', 'only rates to this currency')
    .option('--limit <n>', 'how many to list at most', '50');
}
