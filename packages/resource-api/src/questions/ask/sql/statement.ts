import { CUSTOMER_ID } from '@cls/shared/access-token';
import type { Database, SqlValue, Transaction } from '@cls/shared/sql/database';
import type { ReaderAccess, Snapshot } from '../balance-store.ts';

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

/** Parameters of a statement, in the order in which the text names them; `$1` is the date, `$2` the sequence. */
export class SqlParameters {
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

/**
 * One statement as the reader role: it sees what the policies of the migrations let through for
 * this access. Settings are part of BEGIN, so they cost no round trip.
 */
export function readAs<Row>(
  database: Database,
  access: ReaderAccess,
  statement: Statement,
): Promise<Row[]> {
  const { planning = '', prepared = false } = statement;
  return database.transaction((transaction) => lastQuery<Row>(transaction, statement), {
    isolation: 'repeatable read',
    readOnly: true,
    prepared,
    setup: `${setupFor(access)}${planning}`,
  });
}

/** Look-ups that follow from each other, in one state of the book. */
export function lookUp<T>(
  database: Database,
  access: ReaderAccess,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(work, {
    isolation: 'repeatable read',
    readOnly: true,
    prepared: true,
    setup: `${setupFor(access)}${LOOK_UPS}`,
  });
}

/** One statement as the service's own role, which sees all lenders' lines. */
export function readAll<Row>(database: Database, statement: Statement): Promise<Row[]> {
  const { planning = '', prepared = false } = statement;
  return database.transaction((transaction) => lastQuery<Row>(transaction, statement), {
    readOnly: true,
    prepared,
    setup: planning,
  });
}

/** The last statement of a transaction: the end is sent with it. */
export function lastQuery<Row>(
  transaction: Transaction,
  { sql, parameters }: Statement,
): Promise<Row[]> {
  const rows = transaction.query<Row>(sql, parameters);
  transaction.endAhead?.();
  return rows;
}

function setupFor(access: ReaderAccess): string {
  const role = 'SET LOCAL ROLE cls_reader;';
  if ('fullControl' in access) return `${role}SET LOCAL cls.full_control = 'on';`;
  // Quoted into SQL text: nothing but what a customer id may hold gets here.
  if (!CUSTOMER_ID.test(access.customer)) throw new Error('not a customer id');
  return `${role}SET LOCAL cls.full_control = 'off';SET LOCAL cls.customer = '${access.customer}';`;
}
