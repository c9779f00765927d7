import { Random } from '@cls/book-generator/random';
import type { Database } from '@cls/shared/sql/database';
import { sqlEntitlements } from '../../src/access/sql-entitlements.ts';
import type { BookRecord } from '../../src/journal-file/record.ts';
import { lenderOf, postInAnyOrder } from './any-order.ts';
import { datedFacts } from './dated-facts.ts';
import { generated } from './generated.ts';

/** The records of `bookInAnyOrder`, without the journals that the history adds. */
export function recordsInAnyOrder(): readonly BookRecord[] {
  return generated({
    ...{ contracts: 30, years: 2, seed: 15 },
    ...{ sublimits: true, uneven: true },
  }).records;
}

/**
 * A book whose journals came in any order, in transactions of any size; then corrections
 * and more reversals, and names and dates that change, in their order. With an agent and a lender of every
 * deal, and an agent of German ones. Suites that ask questions share it: to post it takes seconds.
 */
export async function bookInAnyOrder(database: Database): Promise<void> {
  const records = recordsInAnyOrder();
  const random = new Random(53);
  await postInAnyOrder(database, records, datedFacts(records, random), random);
  const { grant } = sqlEntitlements(database);
  const agent = { role: 'agent', lenderId: undefined } as const;
  const lender = { role: 'lender', lenderId: lenderOf(records) } as const;
  await grant({ ...agent, customer: 'agency', deals: { allDeals: true } });
  await grant({ ...lender, customer: 'lender', deals: { allDeals: true } });
  await grant({ ...agent, customer: 'germany', deals: { country: 'DE' } });
}
