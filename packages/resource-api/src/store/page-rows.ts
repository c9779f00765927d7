import type { BalanceItem } from '../balances/balance-store.ts';
import { COMPONENTS, type StatedBalance, ZERO_BALANCE } from '../ledger/balance.ts';

/** A row of `detailsOf`: an item with its global balance, or one lender's balance of that item. */
export interface PageRow {
  /** Null in the rows of lenders. */
  readonly item: ItemFacts | null;
  readonly lender_id: string | null;
  readonly lender_name: string | null;
  /** Null where nothing was ever posted. */
  readonly last_effective_date: string | null;
  readonly last_seq: bigint;
  readonly amounts: string;
  readonly overdrawn: boolean;
  readonly overpaid: boolean;
  readonly owes: boolean;
}

/** A tuple: names in each row would take the database longer to write than most values. */
type ItemFacts = readonly [
  key: string,
  sortValue: string | null,
  currency: string,
  dealId: string,
  dealName: string,
  dealNumber: string,
  country: string,
  dealStatus: string,
  facilityId: string,
  facilityName: string,
  facilityType: string,
  sublimitOf: string | null,
  maturityDate: string | null,
  availabilityEndDate: string | null,
  facilityStatus: string,
  contractId: string | null,
  contractNumber: string | null,
  contractStatus: string | null,
  contractMaturityDate: string | null,
  allInRate: string | null,
  positionId: string | null,
  positionKind: string | null,
  holderId: string | null,
  borrowerId: string,
  borrowerName: string,
  roles: readonly string[],
  accrues: boolean,
  termsSeq: string,
  bookedSeq: string,
];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Item = Mutable<BalanceItem> & { lenders: BalanceItem['lenders'][number][] };

/** Rows come item by item, the global one first. */
export function toItems(rows: readonly PageRow[]): readonly BalanceItem[] {
  const items: Item[] = [];
  let item: Item | undefined;
  for (const row of rows) {
    if (row.item !== null) {
      item = toItem(row, row.item);
      items.push(item);
    } else if (item !== undefined) {
      const lender = { id: row.lender_id ?? '', name: row.lender_name ?? '' };
      item.lenders.push({ lender, balance: toBalance(row.amounts) });
      // Shares may stand open where the global amount is even.
      item.owes ||= row.owes;
      item.lenderOverdrawn ||= row.overdrawn;
      item.overpaid ||= row.overpaid;
      // A transfer between lenders has no global leg.
      if (row.last_seq > item.lastSeq) item.lastSeq = row.last_seq;
      item.lastEffectiveDate = later(item.lastEffectiveDate, row.last_effective_date);
    }
  }
  return items;
}

function later(one: string | null, other: string | null): string | null {
  return (one ?? '') < (other ?? '') ? other : one;
}

function toItem(row: PageRow, facts: ItemFacts): Item {
  const [
    key,
    sortValue,
    currency,
    dealId,
    dealName,
    dealNumber,
    country,
    dealStatus,
    facilityId,
    facilityName,
    facilityType,
    sublimitOf,
    maturityDate,
    availabilityEndDate,
    facilityStatus,
    contractId,
    contractNumber,
    contractStatus,
    contractMaturityDate,
    allInRate,
    positionId,
    positionKind,
    holderId,
    borrowerId,
    borrowerName,
    roles,
    accrues,
    termsSeq,
    bookedSeq,
  ] = facts;
  return {
    end: { sortValue, key: BigInt(key) },
    deal: {
      id: dealId,
      name: dealName,
      dealNumber,
      status: dealStatus,
    },
    facility: {
      id: facilityId,
      name: facilityName,
      type: facilityType,
      sublimitOf,
      maturityDate,
      availabilityEndDate,
      status: facilityStatus,
    },
    contract:
      contractId === null
        ? null
        : {
            id: contractId,
            contractNumber: contractNumber ?? '',
            maturityDate: contractMaturityDate,
            status: contractStatus ?? '',
            allInRate,
          },
    position:
      positionId === null
        ? null
        : {
            id: positionId,
            kind: positionKind ?? '',
            lenderId: holderId ?? '',
          },
    borrower: { id: borrowerId, name: borrowerName, country },
    currency,
    roles,
    global: toBalance(row.amounts),
    lenders: [],
    lastEffectiveDate: row.last_effective_date,
    lastSeq: row.last_seq,
    termsSeq: BigInt(termsSeq),
    bookedSeq: BigInt(bookedSeq),
    accrues,
    owes: row.owes,
    overdrawn: row.overdrawn,
    lenderOverdrawn: false,
    overpaid: row.overpaid,
  };
}

const STATED = [...COMPONENTS, 'available'] as const;

/** Reads `1,0,…`, the `amounts` of `lenderSums`. Most are zero, and need no integer of their own. */
export function toBalance(amounts: string): StatedBalance {
  const balance: Mutable<StatedBalance> = { ...ZERO_BALANCE };
  let start = 0;
  for (const name of STATED) {
    const comma = amounts.indexOf(',', start);
    const end = comma === -1 ? amounts.length : comma;
    const text = amounts.slice(start, end);
    if (text !== '0') balance[name] = BigInt(text);
    start = end + 1;
  }
  return balance;
}
