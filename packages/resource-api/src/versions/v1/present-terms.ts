import type { InterestRate, ItemTerms } from '../../questions/ask/balance-store.ts';
import type { Presented } from './presented.ts';

/** What the book knows of an item beyond its amounts; null where it does not. */
export function presentTerms(terms: ItemTerms): Presented {
  const { agent, effectiveDate, dayCount, nextPaymentDate, rate, positions } = terms;
  return {
    agent,
    effectiveDate,
    nextPaymentDate,
    dayCount,
    rate: rate && presentRate(rate),
    positions,
  };
}

export function presentRate({ spread, allIn, base, ...rate }: InterestRate): Presented {
  const { adjustment, index, since } = rate;
  return { allIn, base, margin: spread, adjustment, index, since };
}
