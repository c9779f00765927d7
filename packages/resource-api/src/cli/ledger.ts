import { readFileSync } from 'node:fs';
import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { readOptions, text } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import type { ChainHead } from '../chain/ledger-chain.ts';
import type { AsOperator } from './operator.ts';
import { SEQUENCE } from './option-values.ts';
import { writeOutput } from './output-file.ts';

const HEAD = /([0-9a-f]{64}):([1-9]\d{0,17})/;
const VERIFY = z.object({
  head: text(parseHead, 'expected hash:sequence, or a file with what `ledger head` printed'),
});
const EXPORT = z.object({ out: z.string().optional(), fromSeq: SEQUENCE });

/** `cls-api ledger …`: the chain of hashes that shows whether a journal was changed. */
export function addLedgerCommands(program: Command, asOperator: AsOperator): void {
  const ledger = program
    .command('ledger')
    .description('the chain of hashes over all journals, for auditors');

  ledger
    .command('head')
    .description(
      'print the hash of the last journal, which depends on all journals before it: keep it elsewhere',
    )
    .action(async (_: unknown, command: Command) => {
      const head = await asOperator(({ chain }) => chain.head());
      if (head === undefined) throw new CommandRefused('the ledger has no journal');
      printer(command).result(head, headText(head));
    });

  ledger
    .command('verify')
    .description('check that no journal up to a head has changed; exit code 1 when one has')
    .requiredOption('--head <file|hash:sequence>', 'what `ledger head` printed before')
    .action(async (options: object, command: Command) => {
      const { head: kept } = readOptions(VERIFY, options);
      const breaks = await asOperator(({ chain }) => chain.verify(kept));
      if (breaks.length > 0) {
        const rows = breaks.map((one) =>
          ['sequence', 'found', 'expected'].map((name) => one[name] ?? ''),
        );
        throw new CommandRefused(
          `the ledger differs from ${kept.hash}:${kept.seq}\n${table(['sequence', 'found', 'expected'], rows)}`,
          { outcome: 'differs', ...kept, breaks },
        );
      }
      const said = `the ledger has every journal through ${kept.seq} unchanged`;
      printer(command).result({ outcome: 'contained', ...kept }, said);
    });

  ledger
    .command('export')
    .description('write each journal in the form that is hashed, with its hash (NDJSON)')
    .option('--out <file>', 'the file to write, instead of standard output')
    .option('--from-seq <n>', 'only this journal sequence and later ones', '1')
    .action(async (options: object, command: Command) => {
      const { out, fromSeq } = readOptions(EXPORT, options);
      let journals = 0;
      await writeOutput(out, (write) =>
        asOperator(({ chain }) =>
          chain.read(fromSeq, async (links) => {
            journals += links.length;
            const lines = links.map(
              ({ seq, hash, content }) => `${JSON.stringify({ seq: `${seq}`, hash, content })}\n`,
            );
            await write(lines.join(''));
          }),
        ),
      );
      if (out !== undefined) printer(command).result({ journals }, `${journals} journals`);
    });
}

function headText({ seq, hash, postedAt, journals, postings }: ChainHead): string {
  const facts = [
    ['head', `${hash}:${seq}`],
    ['posted at', postedAt],
    ['journals', `${journals}`],
    ['postings', `${postings}`],
  ];
  return table(['', ''], facts).trimStart();
}

interface Head {
  readonly seq: bigint;
  readonly hash: string;
}

/** @throws {CommandRefused} where it is neither a head nor a file. */
function parseHead(given: string): Head | undefined {
  const written = new RegExp(`^${HEAD.source}$`).test(given) ? given : headFile(given);
  const [, hash = '', seq = ''] = HEAD.exec(written) ?? [];
  return hash === '' ? undefined : { seq: BigInt(seq), hash };
}

/** The text of the command, or its JSON document as `hash:sequence`. */
function headFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandRefused(`${path} cannot be read (${code}), and is no hash:sequence`);
  }
  try {
    const { hash, seq } = JSON.parse(text) as Partial<Record<'hash' | 'seq', unknown>>;
    return `${hash}:${seq}`;
  } catch {
    return text;
  }
}
