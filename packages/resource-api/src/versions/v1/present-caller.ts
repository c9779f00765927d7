import type { Caller } from '@cls/shared/access/caller';
import type { CallerAnswer } from '../../questions/lists/read-caller.ts';
import type { Presented } from './money.ts';

/** The book knows customers by their ids; where one acts for one party, that is its name. */
export function presentCaller(
  { customer, accountType, permissions }: Caller,
  { roles, parties, deals, moreDeals }: CallerAnswer,
): Presented {
  const [party, another] = parties;
  return {
    object: 'caller',
    customer: { id: customer, name: another === undefined ? (party?.name ?? null) : null },
    accountType,
    permissions: [...permissions].sort(),
    roles,
    parties,
    dealCount: deals,
    hasMoreDeals: moreDeals,
  };
}
