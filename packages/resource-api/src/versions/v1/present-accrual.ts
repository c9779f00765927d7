import { EXACT_UNIT } from '../../ledger/accrual.ts';
import { roundHalfAwayFromZero } from '../../ledger/allocate.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount, moneyOf } from '../../ledger/money.ts';
import { formatRate, type Rate } from '../../ledger/rate.ts';
import type { AccrualExplanation } from '../../questions/accruals/accruals.ts';
import type { Presented } from './presented.ts';

const EXACT_DECIMALS = 12;

/**
 * How an accrued amount comes about: FpML's AccrualPeriods. Their amounts have twelve decimals;
 * they are added up before the sum is rounded, once. Of a bill that is corrected, the amount is
 * that sum less what was billed.
 */
export function presentAccrual(accrual: AccrualExplanation, currency: string): Presented {
  const { component, facilityId, contractId, from, to, dayCount, amountMinor, periods } = accrual;
  const { corrects } = accrual;
  const money = moneyOf(currency);
  return {
    component,
    facilityId,
    contractId,
    start: from,
    end: to,
    dayCount,
    amount: money(amountMinor),
    corrects:
      corrects === undefined
        ? null
        : { journal: corrects.journalId, billed: money(corrects.billedMinor) },
    periods: periods().map(({ start, end, days, balanceMinor, allInRate, exact, ...rate }) => ({
      start,
      end,
      days,
      balance: money(balanceMinor),
      rate: formatRate(allInRate),
      baseRateIndex: rate.baseRateIndex ?? null,
      baseRate: rateOrNull(rate.baseRate),
      spread: rateOrNull(rate.spread),
      csa: rateOrNull(rate.csa),
      amount: exactAmount(exact, currency),
    })),
  };
}

function rateOrNull(rate: Rate | null | undefined): string | null {
  return rate == null ? null : formatRate(rate);
}

function exactAmount(exact: bigint, currency: string): string {
  const scale = 10n ** BigInt(EXACT_DECIMALS - (minorUnitDigits(currency) ?? 0));
  return formatAmount(roundHalfAwayFromZero(exact * scale, EXACT_UNIT), EXACT_DECIMALS);
}
