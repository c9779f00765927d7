import { printer } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import type { AsOperator } from './operator.ts';

/** `cls-api after-restore`: callers read again what they have of the time that a restore lost. */
export function addAfterRestoreCommand(program: Command, asOperator: AsOperator): void {
  program
    .command('after-restore')
    .description(
      'refuse cursors and copies of what a restored book has lost; stop the servers before',
    )
    .action(async (_: unknown, command: Command) => {
      const restored = await asOperator(({ restores }) => restores.record());
      const { ledgerSeq, knownThrough, restoredAt } = restored;
      const text = `the book ends with sequence ${ledgerSeq}, known at ${knownThrough}; cursors and copies from later than that and until ${restoredAt} are refused`;
      printer(command).result(restored, text);
    });
}
