import type { JournalRecord } from '../journal-file/record.ts';
import type { AccrualComponent } from '../ledger/accrual.ts';
import { type AccrualStream, workOut } from '../ledger/billed-accruals.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { formatMoney } from '../ledger/money.ts';
import { billJournal } from './bill-journals.ts';

/** What accrues in one facility and its contracts. */
export interface FacilityAccruals {
  readonly dealId: string;
  readonly currency: string;
  /** Capitalised interest uses the commitment, as a drawing does. */
  readonly pikUsesCommitment: boolean;
  readonly streams: readonly BillableStream[];
  /** The last journal that they know. */
  readonly ledgerSeq: bigint;
}

export interface BillableStream extends AccrualStream {
  /** Sequence of its last settlement, 0 for none: a bill that was reversed is made anew. */
  readonly settlement: bigint;
  /** A bill that stands goes beyond the day: nothing is billed through an earlier one. */
  readonly billedBeyond: boolean;
}

export interface BillingBook {
  /**
   * Hands every facility in which something accrues to `bill`, and posts what it gives: one
   * transaction while nobody else posts. Without `apply` it is rolled back at its end.
   */
  bill(
    through: BusinessDate,
    bill: (facility: FacilityAccruals) => readonly JournalRecord[],
    apply: boolean,
  ): Promise<void>;
}

export interface BillingRequest {
  /** Nights before this day are billed; it is the effective date too. */
  readonly through: BusinessDate;
  readonly dueDate: BusinessDate;
  readonly apply: boolean;
}

export interface BillingReport {
  readonly outcome: 'billed' | 'valid';
  readonly journals: number;
  /** How many of the journals correct earlier bills. */
  readonly corrections: number;
  /** Global sums by component and currency, as decimal strings. */
  readonly sums: readonly { component: AccrualComponent; currency: string; amount: string }[];
}

/** Bills, or capitalises, what has accrued until a day, and trues up bills that were corrected. */
export async function billAccruals(
  book: BillingBook,
  { through, dueDate, apply }: BillingRequest,
): Promise<BillingReport> {
  const sums = new Map<string, { component: AccrualComponent; currency: string; sum: bigint }>();
  let journals = 0;
  let corrections = 0;
  await book.bill(
    through,
    ({ streams, ...facility }) =>
      workOut(streams).flatMap((worked) => {
        const { stream, amounts, corrects } = worked;
        const nothing = [...amounts.values()].every((amount) => amount === 0n);
        if (nothing || stream.billedBeyond) return [];
        const { currency } = facility;
        const key = `${stream.component} ${currency}`;
        const sum = (sums.get(key)?.sum ?? 0n) + (amounts.get('') ?? 0n);
        sums.set(key, { component: stream.component, currency, sum });
        journals += 1;
        corrections += corrects === undefined ? 0 : 1;
        return [billJournal(worked, { ...facility, through, dueDate })];
      }),
    apply,
  );
  return {
    outcome: apply ? 'billed' : 'valid',
    journals,
    corrections,
    sums: [...sums.values()].map(({ component, currency, sum }) => ({
      component,
      currency,
      amount: formatMoney(sum, currency),
    })),
  };
}
