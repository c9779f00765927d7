/** Short ways to write down a book, record by record, for tests of one thing. */
import { newId } from '@cls/shared/new-id';
import type {
  BookRecord,
  ContractRecord,
  DealRecord,
  FacilityRecord,
  JournalRecord,
  PartyRecord,
  PositionRecord,
  PostingRecord,
} from '../../src/journal-file/record.ts';
import type { JournalType, LedgerAccount } from '../../src/ledger/journal.ts';
import { date } from './book.ts';

const BOOKED = date('2024-01-01');

export function aParty(name: string): PartyRecord {
  return { object: 'party', id: newId('pty'), name, externalIds: [] };
}

/** A deal with one facility, one contract and its lenders. */
export function aLoan(
  borrower: PartyRecord,
  lenders: readonly PartyRecord[],
  change: Partial<FacilityRecord> = {},
) {
  const number = newId('n');
  const deal: DealRecord = {
    object: 'deal',
    id: newId('deal'),
    name: number,
    dealNumber: number,
    borrower: borrower.id,
    agent: borrower.id,
    country: 'US',
    status: 'active',
    bookedOn: BOOKED,
    externalIds: [],
  };
  const facility = aFacility(deal, change);
  const contract: ContractRecord = {
    object: 'contract',
    id: newId('ctr'),
    facility: facility.id,
    contractNumber: '1',
    status: 'active',
    bookedOn: BOOKED,
    externalIds: [],
  };
  const positions = lenders.map((lender) => aPosition(facility, lender));
  return { deal, facility, contract, positions, all: [deal, facility, contract, ...positions] };
}

export function aFacility(deal: DealRecord, change: Partial<FacilityRecord> = {}): FacilityRecord {
  return {
    object: 'facility',
    id: newId('fac'),
    deal: deal.id,
    name: 'Term Loan B',
    type: 'term_loan',
    currency: 'USD',
    dayCount: 'ACT/360',
    status: 'active',
    pikUsesCommitment: false,
    bookedOn: BOOKED,
    externalIds: [],
    ...change,
  };
}

export function aPosition(facility: FacilityRecord, lender: PartyRecord): PositionRecord {
  return {
    object: 'position',
    id: newId('pos'),
    facility: facility.id,
    lender: lender.id,
    kind: 'assignment',
    bookedOn: BOOKED,
  };
}

export function aJournal(
  deal: DealRecord,
  type: JournalType,
  day: string,
  postings: readonly PostingRecord[],
  more: Partial<JournalRecord> = {},
): JournalRecord {
  return {
    object: 'journal',
    id: newId('jrn'),
    deal: deal.id,
    type,
    effectiveDate: date(day),
    idempotencyKey: newId('key'),
    postings: [...postings],
    terms: [],
    rates: [],
    settlements: [],
    ...more,
  };
}

/** What is committed under a facility, none of it funded. */
export function aCommitment(
  { deal, facility }: { readonly deal: DealRecord; readonly facility: FacilityRecord },
  day: string,
  amounts: Amounts,
): JournalRecord {
  return aJournal(deal, 'original_commitment', day, [
    ...entry({ facility }, ['ORIGINAL_COMMITMENT', 'MEMO'], amounts),
    ...entry({ facility }, ['UNFUNDED', 'MEMO'], amounts),
  ]);
}

/** Of each holder: a lender, or globally when undefined. */
type Amounts = readonly (readonly [PartyRecord | undefined, string])[];

/** An amount and its other side, for each holder. */
export function entry(
  line: { readonly facility: FacilityRecord; readonly contract?: ContractRecord },
  accounts: readonly [LedgerAccount, LedgerAccount],
  amounts: Amounts,
  more: Partial<PostingRecord> = {},
): readonly PostingRecord[] {
  return amounts.flatMap(([lender, amount]): PostingRecord[] => {
    const side = {
      facility: line.facility.id,
      ...(line.contract === undefined ? {} : { contract: line.contract.id }),
      ...(lender === undefined ? {} : { lender: lender.id }),
      currency: line.facility.currency,
    };
    const negated = amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
    return [
      { ...side, account: accounts[0], amount, ...more },
      { ...side, account: accounts[1], amount: negated },
    ];
  });
}

export type { BookRecord };
