import { createReadStream } from 'node:fs';
import { printer } from '@cls/shared/cli/command-line';
import { linesOfFile } from '@cls/shared/cli/lines-of-file';
import { writeNewFile } from '@cls/shared/cli/new-file';
import { refusedTransfer } from '@cls/shared/cli/refused-transfer';
import type { Command } from 'commander';
import type { CopiedBook } from '../chain/whole-book.ts';
import type { AsOperator } from './operator.ts';

/** `cls-api book …`: the store as a file, for its move to another database. */
export function addBookCommands(program: Command, asOperator: AsOperator): void {
  const book = program
    .command('book')
    .description('the whole store as a file, with its sequences, times, grants and hashes');

  book
    .command('export <file>')
    .description('write everything to a new file, as of one moment')
    .action(async (file: string, _: unknown, command: Command) => {
      const copied = await asOperator(
        ({ wholeBook }) =>
          writeNewFile(file, (send) => wholeBook.export((text) => send(Buffer.from(text)))),
        { owner: true },
      );
      printer(command).result(copied, `wrote ${said(copied)}`);
    });

  book
    .command('import <file>')
    .description('fill an empty store with what `book export` wrote; all or nothing')
    .action(async (file: string, _: unknown, command: Command) => {
      const copied = await asOperator(
        ({ wholeBook }) =>
          wholeBook.import(linesOfFile(createReadStream(file))).catch((error) => {
            throw refusedTransfer(file, error);
          }),
        { mayCreate: true, owner: true },
      );
      printer(command).result(copied, `read ${said(copied)}`);
    });
}

function said({ rows, tables, head }: CopiedBook): string {
  const count = (name: string) => tables[name] ?? 0;
  const parts = `${count('deal')} deals, ${count('journal')} journals with ${count('posting')} postings (${rows} rows)`;
  return head === undefined ? parts : `${parts}\nhead ${head}`;
}
