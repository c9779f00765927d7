import { outstandingPrincipal, type TotalBalance } from '../../ledger/balance.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { convert, parseFxRate } from '../../ledger/fx.ts';
import { moneyOf } from '../../ledger/money.ts';
import type { CurrencyTotal, ReportingRate } from '../../questions/ask/balance-store.ts';
import type { ReportingRates } from '../../questions/ask/reporting.ts';
import type { Presented } from './presented.ts';

const AMOUNTS = {
  principalOutstanding: outstandingPrincipal,
  unfunded: (balance: TotalBalance) => balance.unfunded,
  interestAccrued: (balance: TotalBalance) => balance.interest_accrued,
} as const;

/** A balance in the reporting currency, each amount rounded half away from zero, with the rate used. */
export function presentReporting(
  balance: TotalBalance,
  currency: string,
  to: string,
  rates: ReportingRates,
): Presented {
  const { rate, date, source } = rates.get(currency) ?? NO_RATE;
  const amounts = amountsIn(to, rates, [{ currency, balance }]);
  return { currency: to, rate, rateDate: date, source, ...amounts };
}

/** Totals of every currency, converted and only then added up. */
export function presentReportingTotal(
  totals: readonly CurrencyTotal[],
  to: string,
  rates: ReportingRates,
): Presented {
  return { currency: to, ...amountsIn(to, rates, totals) };
}

function amountsIn(
  to: string,
  rates: ReportingRates,
  parts: readonly { readonly currency: string; readonly balance: TotalBalance }[],
): Presented {
  const money = moneyOf(to);
  const amounts = Object.entries(AMOUNTS).map(([name, amountOf]) => {
    const converted = parts.map(({ currency, balance }) => {
      const { rate } = rates.get(currency) ?? NO_RATE;
      return inReporting(amountOf(balance), currency, to, rate);
    });
    return [name, money(converted.reduce((sum, part) => sum + part, 0n))];
  });
  return Object.fromEntries(amounts);
}

const NO_RATE: ReportingRate = { rate: '', date: '', source: '' };

function inReporting(amountMinor: bigint, from: string, to: string, text: string): bigint {
  const rate = parseFxRate(text);
  const digits = { from: minorUnitDigits(from), to: minorUnitDigits(to) };
  if (rate === undefined || digits.from === undefined || digits.to === undefined) {
    throw new Error(`no rate from ${from} to ${to}`);
  }
  return convert(amountMinor, rate, { from: digits.from, to: digits.to });
}
