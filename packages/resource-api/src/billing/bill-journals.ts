import { newId } from '@cls/shared/new-id';
import type { JournalRecord, PostingRecord } from '../journal-file/record.ts';
import type { AccrualComponent } from '../ledger/accrual.ts';
import type { WorkedAccrual } from '../ledger/billed-accruals.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import type { JournalType, LedgerAccount } from '../ledger/journal.ts';
import { formatAmount } from '../ledger/money.ts';
import type { BillableStream, FacilityAccruals } from './bill-accruals.ts';

interface BillKind {
  readonly type: JournalType;
  readonly account: LedgerAccount;
  readonly contra: LedgerAccount;
}
const INTEREST: BillKind = {
  type: 'interest_billing',
  account: 'INTEREST_DUE',
  contra: 'INTEREST_INCOME',
};
const CAPITALISED: BillKind = {
  type: 'pik_capitalization',
  account: 'PRINCIPAL_PIK',
  contra: 'INTEREST_INCOME',
};
const FEE: BillKind = { type: 'fee_billing', account: 'FEES_DUE', contra: 'FEE_INCOME' };
const BILLS: Readonly<Record<AccrualComponent, BillKind>> = {
  interest: INTEREST,
  pik: CAPITALISED,
  commitment_fee: FEE,
  letter_of_credit_fee: FEE,
};

export interface BillContext extends Omit<FacilityAccruals, 'streams'> {
  readonly through: BusinessDate;
  readonly dueDate: BusinessDate;
}

/** A bill of days that were open, or the adjusting item of a bill. */
export function billJournal(
  worked: WorkedAccrual<BillableStream>,
  context: BillContext,
): JournalRecord {
  const { stream, amounts, corrects } = worked;
  const { dealId, currency, through, pikUsesCommitment } = context;
  const kind = kindOf(worked);
  const dueDate = kind === CAPITALISED ? undefined : dueDateOf(worked, context);
  const digits = minorUnitDigits(currency) ?? 0;
  const subject = subjectOf(stream);
  const postings = [...amounts].flatMap(([lender, amount]): PostingRecord[] => {
    if (amount === 0n) return [];
    const holder = { ...(lender === '' ? {} : { lender }), currency };
    const line = { ...subject, ...holder };
    const [charged, credited] = [formatAmount(amount, digits), formatAmount(-amount, digits)];
    const billed = { ...line, account: kind.account, amount: charged };
    const contra = { ...line, account: kind.contra, amount: credited };
    if (dueDate !== undefined) return [{ ...billed, dueDate }, contra];
    const facility = { facility: stream.facilityId, ...holder };
    return [
      { ...billed, movement: 'pik_capitalization' },
      contra,
      ...(pikUsesCommitment
        ? [
            { ...facility, account: 'UNFUNDED' as const, amount: credited },
            { ...facility, account: 'MEMO' as const, amount: charged },
          ]
        : []),
    ];
  });
  const { component } = stream;
  const name = `${stream.contractId ?? stream.facilityId}:${component}`;
  return {
    object: 'journal',
    id: newId('jrn'),
    deal: dealId,
    type: kind.type,
    effectiveDate: through,
    postings,
    terms: [],
    rates: [],
    ...(corrects === undefined
      ? {
          // The same days are billed once, however often; and again when the bill was reversed.
          idempotencyKey: `billing:${name}:${worked.to}:${stream.settlement}`,
          settlements: [{ ...subject, component, settledThrough: worked.to }],
        }
      : {
          idempotencyKey: `billing:${name}:${corrects.bill.journalId}:${context.ledgerSeq}`,
          corrects: corrects.bill.journalId,
          reason: `${component} from ${worked.from} to ${worked.to} was billed otherwise`,
          settlements: [],
        }),
  };
}

function kindOf({ stream, corrects }: WorkedAccrual<BillableStream>): BillKind {
  if (corrects === undefined) return BILLS[stream.component];
  if (corrects.bill.capitalised) return CAPITALISED;
  return stream.contractId === null ? FEE : INTEREST;
}

/** A credit lessens what was due already; a charge is due with the new bill. */
function dueDateOf(
  { amounts, corrects }: WorkedAccrual<BillableStream>,
  { dueDate }: BillContext,
): BusinessDate {
  const charge = (amounts.get('') ?? 0n) > 0n;
  return charge ? dueDate : (corrects?.bill.dueDate ?? dueDate);
}

function subjectOf({ facilityId, contractId }: BillableStream) {
  return { facility: facilityId, ...(contractId === null ? {} : { contract: contractId }) };
}
