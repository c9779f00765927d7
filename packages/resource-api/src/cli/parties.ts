import { CommandRefused, printer, UsageError } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import { parseBusinessDate } from '../ledger/business-date.ts';
import type { RenameResult } from '../parties/party-names.ts';
import type { AsOperator } from './operator.ts';

const NAME_CHARS = 500;

interface RenameOptions {
  readonly name: string;
  readonly from: string;
  readonly reason: string;
  readonly apply?: true;
}

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
    .option('--apply', 'write; without it everything is done and then rolled back')
    .action(async (party: string, options: RenameOptions, command: Command) => {
      const { apply = false } = options;
      const wanted = { party, ...parseRename(options) };
      const result = await asOperator(({ partyNames }) => partyNames.rename(wanted, apply));
      if (result.outcome !== 'renamed' && result.outcome !== 'valid') {
        throw new CommandRefused(refusalOf(party, result), result);
      }
      const { before, deals } = result;
      const done = result.outcome === 'renamed' ? 'is' : 'would be (give --apply)';
      const text = `${before} ${done} ${wanted.name} from ${wanted.from} on, in ${deals} deals`;
      printer(command).result(result, text);
    });
}

function parseRename({ name, from, reason }: RenameOptions) {
  const date = parseBusinessDate(from);
  if (date === undefined) throw new UsageError('--from: expected a date such as 2025-03-31');
  for (const [option, text] of [
    ['--name', name],
    ['--reason', reason],
  ] as const) {
    if (text.trim() === '' || text.length > NAME_CHARS) {
      throw new UsageError(`${option}: expected 1 to ${NAME_CHARS} characters`);
    }
  }
  return { name: name.trim(), from: date, reason: reason.trim() };
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
