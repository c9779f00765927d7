import { outstandingPrincipal, type TotalBalance } from '../../ledger/balance.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { convert, parseFxRate } from '../../ledger/fx.ts';
import type { CurrencyTotal, ReportingRate } from '../../questions/ask/balance-store.ts';
import type { ReportingRates } from '../../questions/ask/reporting.ts';
import { moneyOf, type Presented } from './money.ts';

const AMOUNTS = {
  principalOutstanding: outstandingPrincipal,
  unfunded: (balance: TotalBalance) => balance.unfunded,
  interestAccrued: (balance: TotalBalance) => balance.interest_accrued,
} as const;
type AmountName = keyof typeof AMOUNTS;
const NAMES = Object.keys(AMOUNTS) as AmountName[];

/** A balance in the reporting currency, each amount rounded half up, with the rate used. */
export function presentReporting(
  balance: TotalBalance,
  currency: string,
  to: string,
  rates: ReportingRates,
): Presented {
  const { rate, date, source } = rates.get(currency) ?? NO_RATE;
  const money = moneyOf(to);
  const amounts = NAMES.map((name) => [
    name,
    money(inReporting(AMOUNTS[name](balance), currency, to, rate)),
  ]);
  return { currency: to, rate, rateDate: date, source, ...Object.fromEntries(amounts) };
}

/** Totals of every currency, converted and only then added up. */
export function presentReportingTotal(
  totals: readonly CurrencyTotal[],
  to: string,
  rates: ReportingRates,
): Presented {
  const money = moneyOf(to);
  const sums = NAMES.map((name) => {
    const parts = totals.map(({ currency, balance }) => {
      const { rate } = rates.get(currency) ?? NO_RATE;
      return inReporting(AMOUNTS[name](balance), currency, to, rate);
    });
    return [name, money(parts.reduce((sum, part) => sum + part, 0n))];
  });
  return { currency: to, ...Object.fromEntries(sums) };
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
