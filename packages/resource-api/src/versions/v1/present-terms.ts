import type { ItemTerms } from '../../questions/ask/balance-store.ts';
import type { Presented } from './money.ts';

/** What the book knows of an item beyond its amounts; null where it does not. */
export function presentTerms(terms: ItemTerms): Presented {
  const { agent, effectiveDate, dayCount, nextPaymentDate, rate, positions } = terms;
  return {
    agent,
    effectiveDate,
    nextPaymentDate,
    dayCount,
    rate: rate && {
      allIn: rate.allIn,
      base: rate.base,
      margin: rate.spread,
      adjustment: rate.adjustment,
      index: rate.index,
      since: rate.since,
    },
    positions,
  };
}
