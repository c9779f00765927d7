import type { DealAnswer } from '../../questions/page/read-item.ts';
import type { Presented } from './money.ts';
import { presentItem } from './present.ts';

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
