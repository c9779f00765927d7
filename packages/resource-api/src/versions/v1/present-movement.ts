import { moneyOf } from '../../ledger/money.ts';
import type { Movement } from '../../questions/ask/balance-store.ts';
import type { Presented } from './presented.ts';

/** One posting of principal: globally (`lender` null) or a lender's leg of it. */
export function presentMovement(movement: Movement): Presented {
  const { journalId, contractId, lender, currency } = movement;
  return {
    object: 'principalMovement',
    id: `mov_${journalId}_${movement.number}`,
    journal: {
      id: journalId,
      type: movement.type,
      ledgerSeq: Number(movement.seq),
      reason: movement.reason,
      reverses: movement.reverses,
      corrects: movement.corrects,
    },
    effectiveDate: movement.effectiveDate,
    postedAt: movement.postedAt,
    dealId: movement.dealId,
    facilityId: movement.facilityId,
    contract:
      contractId === null ? null : { id: contractId, contractNumber: movement.contractNumber },
    lender,
    movement: movement.movement,
    component: movement.account === 'PRINCIPAL_PIK' ? 'pik' : 'cash',
    amount: moneyOf(currency)(movement.amountMinor),
    currency,
    // Later than the others, so it is the last column too.
    postedBy: movement.postedBy,
  };
}
