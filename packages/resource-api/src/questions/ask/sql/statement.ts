import type { SqlValue } from '@cls/shared/sql/database';
import type { Snapshot } from '../balance-store.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** Settings that it is planned with: `SET LOCAL …;`. */
  readonly planning?: string;
  /** Planned once by each session: it is look-ups alone, whatever its parameters are. */
  readonly prepared?: boolean;
}

/** A bitmap reads all that a condition finds: where two indexes are joined, all that was known at `$2`. */
const BY_ONE_INDEX = 'SET LOCAL enable_bitmapscan = off;';

/**
 * Each table is read by one index, for the rows that were found before. A plan that is cached may be made
 * while the tables are empty, when any other way looks as good.
 */
export const BY_INDEX = `SET LOCAL enable_seqscan = off;SET LOCAL enable_hashjoin = off;SET LOCAL enable_mergejoin = off;${BY_ONE_INDEX}`;

/** Look-ups alone, in the order of the index that comes first: sorting would read all that is to come. */
export const LOOK_UPS = `${BY_INDEX}SET LOCAL enable_sort = off;`;

/** Parameters in the order in which the text names them; `$1` is the date, `$2` the sequence. */
export class Parameters {
  readonly values: SqlValue[];

  constructor({ asOf, ledgerSeq }: Snapshot) {
    this.values = [asOf, ledgerSeq];
  }

  readonly add = (value: SqlValue): string => `$${this.values.push(value)}`;
}

/** RFC 3339 in UTC, with all the digits that the database keeps. */
export function instant(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
