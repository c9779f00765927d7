import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount } from '../../ledger/money.ts';

export type Presented = Readonly<Record<string, unknown>>;

/** Minor units as a decimal string with exactly the digits of the currency. */
export type Money = (amountMinor: bigint) => string;

export function moneyOf(currency: string): Money {
  const known = MONEY.get(currency);
  if (known !== undefined) return known;
  const digits = minorUnitDigits(currency);
  if (digits === undefined) throw new Error(`the ledger holds an unknown currency: ${currency}`);
  // Most amounts of a document are zero.
  const zero = formatAmount(0n, digits);
  const money: Money = (amount) => (amount === 0n ? zero : formatAmount(amount, digits));
  MONEY.set(currency, money);
  return money;
}

/** As many as there are currencies. */
const MONEY = new Map<string, Money>();
