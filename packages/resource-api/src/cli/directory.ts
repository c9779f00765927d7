import { printer, table, UsageError } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import type { AsOperator } from './operator.ts';

const LIMIT_MAX = 10_000;

/** `cls-api deals list` and `parties list`: finds the ids that grants and filters need. */
export function addDirectoryCommands(program: Command, asOperator: AsOperator): void {
  const kinds = [
    { noun: 'deals', detail: 'deal number' },
    { noun: 'parties', detail: 'country' },
  ] as const;
  for (const { noun, detail } of kinds) {
    program
      .command(noun)
      .description(`find ${noun}`)
      .command('list')
      .description(`list ${noun}, oldest first`)
      .option('--search <text>', `part of the name or the ${detail}`, '')
      .option('--limit <n>', 'how many to list at most', '50')
      .action(async ({ search, limit }: { search: string; limit: string }, command: Command) => {
        const most = /^\d{1,5}$/.test(limit) ? Number(limit) : 0;
        if (most < 1 || most > LIMIT_MAX) {
          throw new UsageError(`--limit: expected a whole number from 1 to ${LIMIT_MAX}`);
        }
        const found = await asOperator(({ directory }) => directory[noun](search, most));
        const rows = found.map((one) => [one.id, one.detail ?? '', one.name]);
        printer(command).result(found, table(['id', detail, 'name'], rows));
      });
  }
}
