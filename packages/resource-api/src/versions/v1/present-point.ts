import { obligation, outstandingPrincipal } from '../../ledger/balance.ts';
import type { SeriesPoint } from '../../questions/lists/read-series.ts';
import { moneyOf, type Presented } from './money.ts';
import { presentMovements } from './present.ts';

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
