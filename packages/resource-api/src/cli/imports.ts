import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import type { Command } from 'commander';
import type { RevertResult } from '../import/book.ts';
import type { AsOperator } from './operator.ts';
import { APPLY } from './option-values.ts';

/** `cls-api imports …`: what was imported, and how to take it back. */
export function addImportsCommands(program: Command, asOperator: AsOperator): void {
  const imports = program
    .command('imports')
    .description('list imported statements, and revert one');

  addListCommand(imports, {
    description: 'list imported statements, oldest first',
    load: () => asOperator(({ book }) => book.imports()),
    columns: [
      'id',
      'profile',
      ['as of', 'asOf'],
      'rows',
      'journals',
      ['applied', 'appliedAt'],
      ['taken back', 'revertedAt'],
    ],
  });

  imports
    .command('revert <id>')
    .description('take an import back by reversing its journals, each on its own date')
    .option(...APPLY)
    .action(async (id: string, { apply = false }: { apply?: boolean }, command: Command) => {
      const result = await asOperator(({ book }) => book.revert(id, apply));
      if (result.outcome !== 'reverted' && result.outcome !== 'valid') {
        throw new CommandRefused(refusalOf(id, result), result);
      }
      const done = result.outcome === 'reverted' ? 'reversed' : 'would be reversed (give --apply)';
      const journals = result.journals === 1 ? 'journal' : 'journals';
      printer(command).result(result, `${result.journals} ${journals} ${done}`);
    });
}

function refusalOf(id: string, result: RevertResult): string {
  switch (result.outcome) {
    case 'reverted_before':
      return `the import ${id} was taken back before`;
    case 'stands_beneath':
      return `${result.importId} was imported upon it: take that back first`;
    case 'period_closed':
      return `the books are closed through ${result.through}`;
    default:
      return `there is no import ${id}; see imports list`;
  }
}
