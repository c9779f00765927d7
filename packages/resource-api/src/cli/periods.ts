import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { type BusinessDate, businessDateOf, dayBefore } from '../ledger/business-date.ts';
import type { PeriodDecision } from '../periods/period-records.ts';
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
      const made = await decide(asOperator, reason, (closed) => {
        if (closed !== null && through <= closed) {
          throw new CommandRefused(`the books are closed through ${closed} already`);
        }
        return through;
      });
      printer(command).result(made, `closed through ${made.through}`);
    });

  periods
    .command('reopen')
    .description('open the books again from a day on')
    .option('--from <date>', 'the first day that is open; without it every day')
    .requiredOption('--reason <text>', 'why, for the record')
    .action(async (options: object, command: Command) => {
      const { from, reason } = readOptions(REOPEN, options);
      const made = await decide(asOperator, reason, (closed) => {
        if (closed === null) throw new CommandRefused('no period is closed');
        if (from !== undefined && from > closed) {
          throw new CommandRefused(`the books are open from ${from} on: closed through ${closed}`);
        }
        return from === undefined ? null : dayBefore(from);
      });
      printer(command).result(made, stateText(made));
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

function decide(
  asOperator: AsOperator,
  reason: string,
  choose: (closedThrough: BusinessDate | null) => BusinessDate | null,
): Promise<PeriodDecision> {
  return asOperator(({ periods }) => periods.decide(reason, choose));
}

function stateText({ through }: PeriodDecision): string {
  return through === null ? 'every period is open' : `closed through ${through}`;
}
