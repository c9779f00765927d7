import { CUSTOMER_ID } from '@cls/shared/access-token';
import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import type { RevertResult } from '../import/book.ts';
import type { AsOperator } from './operator.ts';
import { APPLY } from './option-values.ts';
import { requireCustomer } from './require-customer.ts';

const CUSTOMER = z.string().regex(CUSTOMER_ID, 'expected a customer id');

/** `cls-api imports …`: what was imported, whose sources are, and how to take an import back. */
export function addImportsCommands(program: Command, asOperator: AsOperator): void {
  const imports = program
    .command('imports')
    .description('list imported statements, assign their sources, and revert one');

  addListCommand(imports, {
    description: 'list imported statements, oldest first',
    load: () => asOperator(({ book }) => book.imports()),
    columns: [
      'id',
      'profile',
      'source',
      'customer',
      ['as of', 'asOf'],
      'rows',
      'journals',
      ['applied', 'appliedAt'],
      ['taken back', 'revertedAt'],
      ['posted by', 'postedBy'],
    ],
  });

  imports
    .command('assign <source> [customer]')
    .description(
      'let a customer post statements of a source over HTTP, and no other; without a customer, nobody',
    )
    .option(
      '--new-customer',
      'assign even if auth-server does not know the customer yet, or cannot be asked',
    )
    .action(
      async (
        source: string,
        given: string | undefined,
        { newCustomer = false }: { newCustomer?: boolean },
        command: Command,
      ) => {
        const customer = given === undefined ? undefined : readOptions(CUSTOMER, given);
        await asOperator(
          async (operator) => {
            if (customer !== undefined && !newCustomer) {
              await requireCustomer(operator, customer, 'assign');
            }
            await operator.book.assignSource(source, customer);
          },
          { owner: true },
        );
        const told =
          customer === undefined
            ? `nobody may post statements of ${source} over HTTP`
            : `${customer} may post statements of ${source}`;
        printer(command).result({ source, customer: customer ?? null }, told);
      },
    );

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
