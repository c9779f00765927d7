import type { Examples } from '@cls/shared/cli/command-line';
import { Command } from 'commander';
import { addGenerateCommand } from './generate.ts';
import { inLedger } from './in-ledger.ts';

/** All that `cls-books` can do. */
export function program(): Command {
  const program = new Command('cls-books')
    .description('Fills a ledger with a generated book, for trials and measurements.')
    .option('--json', 'print one JSON document on stdout');
  addGenerateCommand(program, inLedger);
  return program;
}

/** What the help of each command shows. */
export const EXAMPLES: Examples = {
  generate: [
    'cls-books generate --contracts 1000 --years 5 --seed 7 --apply',
    'cls-books generate --split-imported --seed 7 --apply',
  ],
};
