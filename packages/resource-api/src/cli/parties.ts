import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { readOptions, text } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import type { RenameResult } from '../parties/party-names.ts';
import type { AsOperator } from './operator.ts';
import { APPLY, DATE } from './option-values.ts';

const CHARS_MAX = 500;
const TEXT = text(
  (given) => (given.length <= CHARS_MAX ? given.trim() || undefined : undefined),
  `expected 1 to ${CHARS_MAX} characters`,
);
const RENAME = z.object({
  name: TEXT,
  from: DATE,
  reason: TEXT,
  apply: z.boolean().default(false),
});

/** `cls-api parties rename`: corrects a party's name from a date on, with the reason. */
export function addPartyCommands(program: Command, asOperator: AsOperator): void {
  const parties = program.commands.find((command) => command.name() === 'parties');
  if (parties === undefined) throw new Error('there is no command parties');
  parties
    .command('rename <id>')
    .description('correct the name of a party from a date on; the former name stays before it')
    .requiredOption('--name <text>', 'the new name')
    .requiredOption('--from <date>', 'the first day of the new name')
    .requiredOption('--reason <text>', 'the reason; the journals keep it')
    .option(...APPLY)
    .action(async (party: string, options: object, command: Command) => {
      const { apply, ...renaming } = readOptions(RENAME, options);
      const wanted = { party, ...renaming };
      const result = await asOperator(({ partyNames }) => partyNames.rename(wanted, apply));
      if (result.outcome !== 'renamed' && result.outcome !== 'valid') {
        throw new CommandRefused(refusalOf(party, result), result);
      }
      const { before, deals } = result;
      const done = result.outcome === 'renamed' ? 'is' : 'would be (give --apply)';
      const said = `${before} ${done} ${wanted.name} from ${wanted.from} on, in ${deals} deals`;
      printer(command).result(result, said);
    });
}

function refusalOf(party: string, result: RenameResult): string {
  switch (result.outcome) {
    case 'unchanged':
      return `${party} has that name already on that date`;
    case 'in_no_deal':
      return `${party} takes part in no deal: no answer shows its name`;
    case 'period_closed':
      return `the books are closed through ${result.through}`;
    default:
      return `there is no party ${party}; see parties list`;
  }
}
