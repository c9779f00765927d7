import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { type BusinessDate, businessDateOf, dayBefore } from '../ledger/business-date.ts';
import type { AsOperator } from './operator.ts';
import { DATE } from './option-values.ts';

const REASON = z.string().regex(/\S/, 'expected a sentence for the record');
const CLOSE = z.object({
  through: DATE.refine((day) => day <= businessDateOf(new Date()), 'expected a day that has begun'),
  reason: REASON,
});
const REOPEN = z.object({ from: DATE.exactOptional(), reason: REASON });

/** `cls-api periods …`: closed books take no journal, and are opened again only with a reason. */
export function addPeriodCommands(program: Command, asOperator: AsOperator): void {
  const periods = program.command('periods').description('through which date the books are closed');

  periods
    .command('close')
    .description('close the books: no journal may be dated at or before')
    .requiredOption('--through <date>', 'the last day that is closed')
    .requiredOption('--reason <text>', 'why, for the record')
    .action(async (options: object, command: Command) => {
      const { through, reason } = readOptions(CLOSE, options);
      const close = (closed: BusinessDate | null) => {
        if (closed === null || through > closed) return through;
        throw new CommandRefused(`the books are closed through ${closed} already`);
      };
      const made = await asOperator((operator) => operator.periods.decide(reason, close));
      printer(command).result(made, `closed through ${made.through}`);
    });

  periods
    .command('reopen')
    .description('open the books again from a day on')
    .option('--from <date>', 'the first day that is open; without it every day')
    .requiredOption('--reason <text>', 'why, for the record')
    .action(async (options: object, command: Command) => {
      const { from, reason } = readOptions(REOPEN, options);
      const reopen = (closed: BusinessDate | null) => {
        if (closed === null) throw new CommandRefused('no period is closed');
        if (from === undefined) return null;
        if (from <= closed) return dayBefore(from);
        throw new CommandRefused(`the books are open from ${from} on: closed through ${closed}`);
      };
      const made = await asOperator((operator) => operator.periods.decide(reason, reopen));
      const { through } = made;
      const state = through === null ? 'every period is open' : `closed through ${through}`;
      printer(command).result(made, state);
    });

  addListCommand(periods, {
    description: 'list every decision, newest first',
    load: () => asOperator((operator) => operator.periods.list()),
    columns: [
      ['closed through', ({ through }) => through ?? 'none'],
      ['decided at', 'decidedAt'],
      'reason',
    ],
  });
}
