import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount } from '../../ledger/money.ts';

export type Presented = Readonly<Record<string, unknown>>;

/** Minor units as a decimal string with exactly the digits of the currency. */
export type Money = (amountMinor: bigint) => string;

export function moneyOf(currency: string): Money {
  const digits = minorUnitDigits(currency);
  if (digits === undefined) throw new Error(`the ledger holds an unknown currency: ${currency}`);
  return (amountMinor) => formatAmount(amountMinor, digits);
}
