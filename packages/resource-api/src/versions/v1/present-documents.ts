/** The shapes of answers that are no lists of items: the caller, a deal, groups, points of a series. */

import type { Caller } from '@cls/shared/access/caller';
import { obligation, outstandingPrincipal } from '../../ledger/balance.ts';
import { moneyOf } from '../../ledger/money.ts';
import type { GroupRequest, NamedParty } from '../../questions/ask/balance-store.ts';
import type { CallerAnswer } from '../../questions/lists/read-caller.ts';
import type { SeriesPoint } from '../../questions/lists/read-series.ts';
import type { DealAnswer } from '../../questions/page/read-item.ts';
import type { GroupTotal, ToldGroup } from '../../questions/totals/group-sums.ts';
import type { GroupComparison } from '../../questions/totals/read-groups.ts';
import { presentItem, presentMovements, presentTotal } from './present.ts';
import type { Presented } from './presented.ts';

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

/** A deal with its items as the list of balances has them. */
export function presentDeal({ deal, balances, facilities }: DealAnswer): Presented {
  const { id, name, dealNumber, status, country, closingDate, dataFrom, roles } = deal;
  const lenders = new Map(
    balances.readings.flatMap(({ item }) => item.lenders).map(({ lender }) => [lender.id, lender]),
  );
  return {
    object: 'deal',
    id,
    name,
    dealNumber,
    status,
    closingDate,
    dataFrom,
    roles,
    borrower: { ...deal.borrower, country },
    agent: deal.agent,
    guarantor: deal.guarantor,
    lenders: [...lenders.values()],
    balances: balances.readings.map((reading) => presentItem('balances', reading, balances)),
    facilities: facilities.readings.map((reading) => presentItem('balances', reading, facilities)),
    hasMoreFacilities: facilities.next !== undefined,
  };
}

type Asked = Pick<GroupRequest, 'level' | 'groupBy'>;

/** Null: too many to work out, or kept totals of a large book without them. */
export function presentSums(total: GroupTotal, { level }: Asked): Presented {
  const money = moneyOf(total.currency);
  const { details } = total;
  const shown = (amount: bigint | undefined) => (amount === undefined ? null : money(amount));
  return {
    ...presentTotal(total, level),
    // Commitments stand on facilities, as in totals of the list.
    ...(level === 'contract'
      ? {}
      : { commitment: shown(details?.commitment), available: shown(details?.available) }),
    pastDue: shown(details?.pastDue),
    warnings: details?.warnings ?? null,
  };
}

/** What a group was, where the answer compares; null before the book. */
export function comparedSums(
  { compared }: ToldGroup,
  comparison: GroupComparison | undefined,
  asked: Asked,
): Presented {
  if (comparison === undefined) return {};
  return { compared: compared === undefined ? null : presentSums(compared, asked) };
}

/** Borrowers have one, or null: their deals are of several. */
export function countryOf(party: NamedParty | null): Presented {
  return party?.country === undefined ? {} : { country: party.country };
}

export function presentGroup(total: GroupTotal, asked: Asked): Presented {
  const { group, party } = total;
  return {
    object: 'groupTotal',
    groupBy: asked.groupBy,
    value: party?.id ?? group,
    name: party?.name ?? null,
    ...countryOf(party),
    ...presentSums(total, asked),
  };
}

/** A roll-forward as `global` of `/cls/balances/principal`, over all items of the question. */
export function presentPoint({ currency, from, to, opening, closing }: SeriesPoint): Presented {
  const money = moneyOf(currency);
  return {
    object: 'principalPoint',
    currency,
    from,
    date: to,
    opening: money(outstandingPrincipal(opening)),
    movements: presentMovements(opening, closing, money),
    closing: money(outstandingPrincipal(closing)),
    exchangeAdjustment: money(closing.fx_revaluation),
    obligation: money(obligation(closing)),
    movementCount: Number(closing.movement_count - opening.movement_count),
    reversedCount: Number(closing.reversal_count - opening.reversal_count),
  };
}
