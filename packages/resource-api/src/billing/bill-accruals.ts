import { newId } from '@cls/shared/new-id';
import type { AccrualStream } from '../balances/balance-store.ts';
import type { JournalRecord, PostingRecord } from '../journal-file/record.ts';
import { type AccrualComponent, accrue } from '../ledger/accrual.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import type { JournalType, LedgerAccount } from '../ledger/journal.ts';
import { formatAmount } from '../ledger/money.ts';

/** What accrues in one facility and its contracts. */
export interface FacilityAccruals {
  readonly dealId: string;
  readonly currency: string;
  readonly streams: readonly BillableStream[];
}

/** With the sequence of its last settlement, 0 for none: a bill that was reversed is made anew. */
export interface BillableStream extends AccrualStream {
  readonly settlement: bigint;
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
  /** Global sums by component and currency, as decimal strings. */
  readonly sums: readonly { component: AccrualComponent; currency: string; amount: string }[];
}

interface Bill {
  readonly type: JournalType;
  readonly account: LedgerAccount;
  readonly contra: LedgerAccount;
}
const BILLS: Readonly<Record<AccrualComponent, Bill>> = {
  interest: { type: 'interest_billing', account: 'INTEREST_DUE', contra: 'INTEREST_INCOME' },
  pik: { type: 'pik_capitalization', account: 'PRINCIPAL_PIK', contra: 'INTEREST_INCOME' },
  commitment_fee: { type: 'fee_billing', account: 'FEES_DUE', contra: 'FEE_INCOME' },
  letter_of_credit_fee: { type: 'fee_billing', account: 'FEES_DUE', contra: 'FEE_INCOME' },
};

/** Bills, or capitalises, everything that has accrued until a day. */
export async function billAccruals(
  book: BillingBook,
  { through, dueDate, apply }: BillingRequest,
): Promise<BillingReport> {
  const sums = new Map<string, { component: AccrualComponent; currency: string; sum: bigint }>();
  let journals = 0;
  await book.bill(
    through,
    ({ dealId, currency, streams }) =>
      streams.flatMap((stream) => {
        const { lines, settlement: _, ...terms } = stream;
        const { amounts } = accrue({ ...terms, to: through }, lines);
        const global = amounts.get('') ?? 0n;
        if ([...amounts.values()].every((amount) => amount === 0n)) return [];
        const key = `${stream.component} ${currency}`;
        const sum = (sums.get(key)?.sum ?? 0n) + global;
        sums.set(key, { component: stream.component, currency, sum });
        journals += 1;
        return [journalOf(stream, { dealId, currency, through, dueDate }, amounts)];
      }),
    apply,
  );
  return {
    outcome: apply ? 'billed' : 'valid',
    journals,
    sums: [...sums.values()].map(({ component, currency, sum }) => ({
      component,
      currency,
      amount: formatAmount(sum, minorUnitDigits(currency) ?? 0),
    })),
  };
}

interface BillContext {
  readonly dealId: string;
  readonly currency: string;
  readonly through: BusinessDate;
  readonly dueDate: BusinessDate;
}

function journalOf(
  { component, facilityId, contractId, settlement }: BillableStream,
  { dealId, currency, through, dueDate }: BillContext,
  amounts: ReadonlyMap<string, bigint>,
): JournalRecord {
  const { type, account, contra } = BILLS[component];
  const digits = minorUnitDigits(currency) ?? 0;
  const capitalised = type === 'pik_capitalization';
  const contract = contractId === null ? {} : { contract: contractId };
  const postings = [...amounts].flatMap(([lender, amount]): PostingRecord[] => {
    if (amount === 0n) return [];
    const line = {
      facility: facilityId,
      ...contract,
      ...(lender === '' ? {} : { lender }),
      currency,
    };
    return [
      {
        ...line,
        account,
        ...(capitalised ? { movement: 'pik_capitalization' as const } : { dueDate }),
        amount: formatAmount(amount, digits),
      },
      { ...line, account: contra, amount: formatAmount(-amount, digits) },
    ];
  });
  return {
    object: 'journal',
    id: newId('jrn'),
    deal: dealId,
    type,
    effectiveDate: through,
    // The same accrual is billed through a day once, whoever asks twice.
    idempotencyKey: `billing:${contractId ?? facilityId}:${component}:${through}:${settlement}`,
    postings,
    terms: [],
    rates: [],
    settlements: [{ facility: facilityId, ...contract, component, settledThrough: through }],
  };
}
