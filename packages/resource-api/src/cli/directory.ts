import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions, wholeNumber } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import type { AsOperator } from './operator.ts';
import { LIST_MAX } from './option-values.ts';

const LIST = z.object({ search: z.string(), limit: wholeNumber(1, LIST_MAX) });

/** `cls-api deals list` and `parties list`: finds the ids that grants and filters need. */
export function addDirectoryCommands(program: Command, asOperator: AsOperator): void {
  const kinds = [
    { noun: 'deals', detail: 'deal number' },
    { noun: 'parties', detail: 'country' },
  ] as const;
  for (const { noun, detail } of kinds) {
    addListCommand(program.command(noun).description(`find ${noun}`), {
      description: `list ${noun}, oldest first`,
      load: (options: object) => {
        const { search, limit } = readOptions(LIST, options);
        return asOperator(({ directory }) => directory[noun](search, limit));
      },
      columns: ['id', [detail, 'detail'], 'name'],
    })
      .option('--search <text>', `part of the name or the ${detail}`, '')
      .option('--limit <n>', 'how many to list at most', '50');
  }
}
