import { readFileSync } from 'node:fs';
import { CommandRefused, printer, table, UsageError } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import type { ChainHead } from '../chain/ledger-chain.ts';
import type { AsOperator } from './operator.ts';
import { writeOutput } from './output-file.ts';

const HEAD = /([0-9a-f]{64}):([1-9]\d{0,17})/;

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
    .action(async ({ head: given }: { head: string }, command: Command) => {
      const kept = parseHead(given);
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
      const text = `the ledger has every journal through ${kept.seq} unchanged`;
      printer(command).result({ outcome: 'contained', ...kept }, text);
    });

  ledger
    .command('export')
    .description('write each journal in the form that is hashed, with its hash (NDJSON)')
    .option('--out <file>', 'the file to write, instead of standard output')
    .option('--from-seq <n>', 'only this journal sequence and later ones', '1')
    .action(async ({ out, fromSeq }: { out?: string; fromSeq: string }, command: Command) => {
      if (!/^[1-9]\d{0,17}$/.test(fromSeq)) {
        throw new UsageError('--from-seq: expected a whole number from 1');
      }
      let journals = 0;
      await writeOutput(out, (write) =>
        asOperator(({ chain }) =>
          chain.read(BigInt(fromSeq), async (links) => {
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

/** @throws {UsageError | CommandRefused} */
function parseHead(given: string): { readonly seq: bigint; readonly hash: string } {
  const text = new RegExp(`^${HEAD.source}$`).test(given) ? given : headFile(given);
  const [, hash = '', seq = ''] = HEAD.exec(text) ?? [];
  if (hash === '') {
    throw new UsageError(
      '--head: expected hash:sequence, or a file with what `ledger head` printed',
    );
  }
  return { seq: BigInt(seq), hash };
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
