/** Items with everything that an item may hold: the source of columns and field names. */

import { ZERO_BALANCE } from '../../ledger/balance.ts';
import type { BusinessDate } from '../../ledger/business-date.ts';
import {
  type BalanceItem,
  type Level,
  type Movement,
  NO_FILTER,
} from '../../questions/ask/balance-store.ts';
import { type BalanceResource, presentItem } from './present.ts';
import type { Presented } from './presented.ts';

const DAY = '2000-01-01' as BusinessDate;
const PARTY = { id: 'pty', name: 'party' };

export const SAMPLE_MOVEMENT: Movement = {
  seq: 0n,
  number: 1,
  journalId: 'jrn',
  type: 'advance',
  effectiveDate: DAY,
  postedAt: DAY,
  reason: null,
  reverses: null,
  corrects: null,
  dealId: 'deal',
  facilityId: 'fac',
  contractId: 'ctr',
  contractNumber: '1',
  lender: PARTY,
  movement: 'advance',
  account: 'PRINCIPAL_CASH',
  amountMinor: 0n,
  currency: 'USD',
  postedBy: null,
};

export function sampleItem(resource: BalanceResource, level: Level, reporting: boolean): Presented {
  const status = 'active';
  const item: BalanceItem = {
    end: { sortValue: null, key: 0n },
    deal: { id: 'deal', name: 'deal', dealNumber: '1', status },
    facility: {
      id: 'fac',
      name: 'facility',
      type: 'term_loan',
      maturityDate: DAY,
      availabilityEndDate: DAY,
      sublimitOf: null,
      status,
    },
    contract:
      level === 'contract'
        ? { id: 'ctr', contractNumber: '1', maturityDate: DAY, status, allInRate: '0' }
        : null,
    position: level === 'position' ? { id: 'pos', kind: 'assignment', lenderId: PARTY.id } : null,
    borrower: { ...PARTY, country: 'XX' },
    currency: 'USD',
    roles: ['lender'],
    global: ZERO_BALANCE,
    lenders: [{ lender: PARTY, balance: ZERO_BALANCE }],
    lastEffectiveDate: DAY,
    lastSeq: 0n,
    termsSeq: 0n,
    bookedSeq: 0n,
    accrues: false,
    owes: false,
    overdrawn: false,
    lenderOverdrawn: false,
    overpaid: false,
  };
  const former = { item, pastDue: [], knownAt: DAY };
  const filter = NO_FILTER;
  return presentItem(
    resource,
    {
      item,
      opening: undefined,
      former,
      pastDue: [],
      accruals: [],
      contracts: undefined,
      movements: undefined,
      lastPostedAt: DAY,
    },
    {
      filter,
      rates: reporting ? new Map([['USD', { rate: '1', date: DAY, source: '' }]]) : undefined,
      snapshot: {
        asOf: DAY,
        ledgerSeq: 0n,
        knownAt: DAY,
        firstDate: DAY,
        dataThrough: DAY,
        grantsAt: undefined,
        fxNumber: 0n,
        reportedSeq: 0n,
        reportedAt: DAY,
      },
      question: {
        level,
        filter,
        asOf: DAY,
        knownAt: undefined,
        fromDate: undefined,
        sort: undefined,
        limit: 1,
        totals: 'none',
        expand: new Set(),
        reporting: reporting ? { currency: 'USD', date: DAY } : undefined,
        position: undefined,
        canonical: '',
      },
    },
  );
}
