import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { CommandRefused } from '@cls/shared/cli/command-line';
import { SqlError } from '@cls/shared/sql/database';

/**
 * Runs `work` with a function that writes to a new file, or to standard output when none is named.
 *
 * @throws {CommandRefused} when the file is there already or cannot be written.
 */
export async function writeOutput<T>(
  out: string | undefined,
  work: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const target = out === undefined ? process.stdout : await openNew(out);
  const result = await work((text) => writeTo(target, text)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === undefined || error instanceof SqlError) throw error;
      throw new CommandRefused(`${out ?? 'standard output'} cannot be written (${error.code})`);
    },
  );
  if (out !== undefined) await new Promise<void>((done) => target.end(done));
  return result;
}

function writeTo(target: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    target.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

async function openNew(file: string): Promise<Writable> {
  const stream = createWriteStream(file, { flags: 'wx' });
  await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject)).catch(
    ({ code }: NodeJS.ErrnoException) => {
      const why = code === 'EEXIST' ? 'it is there already' : code;
      throw new CommandRefused(`${file} cannot be written: ${why}`);
    },
  );
  return stream;
}
