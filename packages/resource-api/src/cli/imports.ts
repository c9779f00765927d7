import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import type { RevertResult } from '../import/book.ts';
import type { AsOperator } from './operator.ts';

/** `cls-api imports …`: what was imported, and how to take it back. */
export function addImportsCommands(program: Command, asOperator: AsOperator): void {
  const imports = program
    .command('imports')
    .description('list imported statements, and revert one');

  imports
    .command('list')
    .description('list imported statements, oldest first')
    .action(async (_: unknown, command: Command) => {
      const found = await asOperator(({ book }) => book.imports());
      const rows = found.map((one) => [
        one.id,
        one.profile,
        one.asOf,
        `${one.rows}`,
        `${one.journals}`,
        one.appliedAt,
        one.revertedAt ?? '',
      ]);
      const header = ['id', 'profile', 'as of', 'rows', 'journals', 'applied', 'taken back'];
      printer(command).result(found, table(header, rows));
    });

  imports
    .command('revert <id>')
    .description('take an import back by reversing its journals, each on its own date')
    .option('--apply', 'write; without it everything is done and then rolled back')
    .action(async (id: string, { apply = false }: { apply?: boolean }, command: Command) => {
      const result = await asOperator(({ book }) => book.revert(id, apply));
      if (result.outcome !== 'reverted' && result.outcome !== 'valid') {
        throw new CommandRefused(refusalOf(id, result), result);
      }
      const done = result.outcome === 'reverted' ? 'reversed' : 'would be reversed (give --apply)';
      printer(command).result(result, `${result.journals} journals ${done}`);
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
