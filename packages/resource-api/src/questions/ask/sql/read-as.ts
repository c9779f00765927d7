import { CUSTOMER_ID } from '@cls/shared/access-token';
import type { Database, Transaction } from '@cls/shared/sql/database';
import type { ReaderAccess } from '../balance-store.ts';
import { LOOK_UPS, type Statement } from './statement.ts';

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

/**
 * Look-ups that follow from each other, in one state of the book.
 *
 * @param before look-ups of the service's own role in that state, ahead of the others
 */
export async function lookUp<T>(
  database: Database,
  access: ReaderAccess,
  work: (transaction: Transaction) => Promise<T>,
  before?: (transaction: Transaction) => Promise<void>,
): Promise<T> {
  const setup = setupFor(access);
  const lookUps = async (transaction: Transaction): Promise<T> => {
    if (before === undefined) return work(transaction);
    // Nothing waits: where the role cannot be taken, no statement after that is run.
    const asked = [before(transaction), transaction.execute(setup)];
    const [result] = await Promise.all([work(transaction), ...asked]);
    return result;
  };
  return database.transaction(lookUps, {
    isolation: 'repeatable read',
    readOnly: true,
    prepared: true,
    setup: before === undefined ? `${setup}${LOOK_UPS}` : `${WITHOUT_JIT}${LOOK_UPS}`,
  });
}

/** One statement as the service's own role, which sees all lenders' lines. */
export function readAll<Row>(database: Database, statement: Statement): Promise<Row[]> {
  const { planning = '', prepared = false } = statement;
  return database.transaction((transaction) => lastQuery<Row>(transaction, statement), {
    readOnly: true,
    prepared,
    setup: `${WITHOUT_JIT}${planning}`,
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

/** A page is a few look-ups: compiling its statement takes longer than running it. */
const WITHOUT_JIT = 'SET LOCAL jit = off;';

function setupFor(access: ReaderAccess): string {
  const role = `SET LOCAL ROLE cls_reader;${WITHOUT_JIT}`;
  if ('fullControl' in access) return `${role}SET LOCAL cls.full_control = 'on';`;
  // Quoted into SQL text: nothing but what a customer id may hold gets here.
  if (!CUSTOMER_ID.test(access.customer)) throw new Error('not a customer id');
  return `${role}SET LOCAL cls.full_control = 'off';SET LOCAL cls.customer = '${access.customer}';`;
}
