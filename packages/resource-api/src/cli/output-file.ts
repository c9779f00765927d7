import { CommandRefused } from '@cls/shared/cli/command-line';
import { writeNewFile } from '@cls/shared/cli/new-file';
import { SqlError } from '@cls/shared/sql/database';

/**
 * Runs `work` with a function that writes to a new file (`writeNewFile`), or to standard output when none is
 * named.
 *
 * @throws {CommandRefused} when the file is there already or cannot be written.
 */
export async function writeOutput<T>(
  out: string | undefined,
  work: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const written =
    out === undefined
      ? work(toStandardOutput)
      : writeNewFile(out, (write) => work((text) => write(Buffer.from(text))));
  return written.catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined || error instanceof SqlError) throw error;
    throw new CommandRefused(`${out ?? 'standard output'} cannot be written (${error.code})`);
  });
}

function toStandardOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
