import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '@cls/shared/cli/command-line';

/** From standard input, or asked for on a terminal without echo. @throws {UsageError} */
export async function readPassword(fromStdin: boolean): Promise<string> {
  if (fromStdin) {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks)
      .toString('utf8')
      .replace(/\r?\n$/, '');
  }
  if (!process.stdin.isTTY) {
    throw new UsageError('give --password-stdin or --generate-password');
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    process.stderr.write('New password: ');
    const first = await terminal.question('');
    process.stderr.write('\nAgain: ');
    const second = await terminal.question('');
    process.stderr.write('\n');
    if (first !== second) throw new UsageError('the two entries differ');
    return first;
  } finally {
    terminal.close();
  }
}
