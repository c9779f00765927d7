import { type MeasuredClock, measureClock } from '../clock-offset.ts';
import type { Database } from './database.ts';

/** @throws {DatabaseUnavailable} */
export function databaseClock(database: Database): Promise<MeasuredClock | undefined> {
  return measureClock(async () => {
    const [row] = await database.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
    );
    return row?.ms ?? Number.NaN;
  });
}
