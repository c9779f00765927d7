import type { InterestRate, ItemTerms } from '../../questions/ask/balance-store.ts';
import type { Presented } from './presented.ts';

/**
 * What the book knows of an item beyond its amounts; null where it does not.
 *
 * @param allInRate the rate that a statement or the terms state for a contract
 */
export function presentTerms(terms: ItemTerms, allInRate: string | null): Presented {
  const { agent, effectiveDate, dayCount, nextPaymentDate, rate, positions } = terms;
  return {
    agent,
    effectiveDate,
    nextPaymentDate,
    dayCount,
    rate: rate && presentRate(rate),
    allInRate,
    positions,
  };
}

export function presentRate({ spread, allIn, base, ...rate }: InterestRate): Presented {
  const { adjustment, index, since } = rate;
  return { allIn, base, margin: spread, adjustment, index, since };
}
