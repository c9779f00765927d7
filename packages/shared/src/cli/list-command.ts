import type { Command } from 'commander';
import { printer, table } from './command-line.ts';

/** A member that is its own header, or the header and the member or text below it. */
type Column<T> =
  | (keyof T & string)
  | readonly [header: string, cell: (keyof T & string) | ((one: T) => string)];

interface List<T, O> {
  readonly description: string;
  /** The documents for `--json`. @param options those that the caller adds to the command. */
  readonly load: (options: O) => Promise<readonly T[]>;
  /** The table for people. A member that is absent leaves its cell empty. */
  readonly columns: readonly Column<T>[];
}

/** `<commands> list`. */
export function addListCommand<T extends object, O = object>(
  commands: Command,
  { description, load, columns }: List<T, O>,
): Command {
  const pairs = columns.map((column) => (typeof column === 'string' ? [column, column] : column));
  return commands
    .command('list')
    .description(description)
    .action(async (options: O, command: Command) => {
      const found = await load(options);
      const rows = found.map((one) =>
        pairs.map(([, cell]) => (typeof cell === 'function' ? cell(one) : `${one[cell] ?? ''}`)),
      );
      printer(command).result(
        found,
        table(
          pairs.map(([header]) => header),
          rows,
        ),
      );
    });
}
