import { isUniqueViolation } from '../sql/database.ts';
import { CommandRefused } from './command-line.ts';

/** @throws {CommandRefused} with `refusal` where there is such a record already. */
export async function refuseTaken<T>(refusal: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isUniqueViolation(error) ? new CommandRefused(refusal) : error;
  }
}
