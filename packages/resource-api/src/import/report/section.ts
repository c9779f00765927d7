import { formatAmount } from '../../ledger/money.ts';

/** A part of a report: sentences, and a table. The same is shown as text and as HTML. */
export interface Section {
  readonly title: string;
  readonly sentences: readonly string[];
  /** What somebody at the terminal may type next; a page that is sent has none of it. */
  readonly commands?: readonly string[];
  readonly table?: Table;
}

export interface Table {
  readonly columns: readonly string[];
  /** The columns that are right-aligned: counts and money. */
  readonly numbers?: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** `-1234567.89` is `-1,234,567.89`. */
export function grouped(decimal: string): string {
  const [whole = '', ...fraction] = decimal.split('.');
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}

/** After less before, of two decimals of one currency. */
export function difference(before: string, after: string): string {
  const digits = after.split('.')[1]?.length ?? 0;
  const minor = (decimal: string) => BigInt(decimal.replace('.', ''));
  return formatAmount(minor(after) - minor(before), digits);
}

/** `1 loan`, `2,000 loans`. */
export function counted(count: number, noun: string): string {
  return `${grouped(`${count}`)} ${noun}${count === 1 ? '' : 's'}`;
}
