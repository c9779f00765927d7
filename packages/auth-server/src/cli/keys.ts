import { printer, table } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import type { AsOperator } from './operator.ts';

/** `cls-auth keys …`: the keys that sign tokens. */
export function addKeyCommands(program: Command, asOperator: AsOperator): void {
  const keys = program.command('keys').description('the keys that sign tokens');

  keys
    .command('create')
    .description('make the first signing key, where there is none')
    .action(async (_: unknown, command: Command) => {
      const { before, after } = await asOperator(async (operator) => {
        const known = await operator.keys.list();
        await operator.keys.load();
        const now = await operator.keys.list();
        for (const { kid } of now.slice(known.length)) {
          operator.audit.record({ type: 'key.created', subject: kid });
        }
        return { before: known, after: now };
      });
      const created = after.length > before.length;
      const kid = after.find(({ state }) => state === 'active')?.kid;
      const text = created ? `made signing key ${kid}` : `there is a signing key already: ${kid}`;
      printer(command).result({ kid, created }, text);
    });

  keys
    .command('list')
    .description('list signing keys, without private parts')
    .action(async (_: unknown, command: Command) => {
      const found = await asOperator((operator) => operator.keys.list());
      const rows = found.map(({ kid, state, createdAt }) => [kid, state, createdAt]);
      printer(command).result(found, table(['kid', 'state', 'created'], rows));
    });
}
