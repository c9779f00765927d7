import { isPrivilegeMissing, SqlError } from '../sql/database.ts';
import { StoreFileRefused } from '../transfer/store-file.ts';
import { CommandRefused } from './command-line.ts';

/** What an import was refused for, as the operator may read it; other errors as they are. */
export function refusedTransfer(file: string, error: unknown): unknown {
  if (error instanceof StoreFileRefused) {
    return new CommandRefused(`refused, nothing was written: ${error.message}`);
  }
  if (error instanceof SqlError) {
    const remedy = isPrivilegeMissing(error) ? '; run it as the role that owns the schema' : '';
    return new CommandRefused(`refused, nothing was written: ${error.message}${remedy}`);
  }
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return error;
  return new CommandRefused(`${file} cannot be read (${code})`);
}
