import type { BalanceItem } from '../balances/balance-store.ts';
import { COMPONENTS, type StatedBalance, ZERO_BALANCE } from '../ledger/balance.ts';

/** A row of `detailsOf`: an item with its global balance, or one lender's balance of that item. */
export type PageRow = (ItemRow | LenderRow) & {
  /** Null where nothing was ever posted. */
  readonly last_effective_date: string | null;
  readonly last_seq: bigint;
  readonly amounts: string;
  readonly overdrawn: boolean;
  readonly owes: boolean;
};

interface LenderRow {
  readonly deal_id: null;
  readonly lender_id: string;
  readonly lender_name: string;
}

interface ItemRow {
  readonly key: bigint;
  readonly sort_value: string | null;
  readonly currency: string;
  readonly deal_id: string;
  readonly deal_name: string;
  readonly deal_number: string;
  readonly deal_status: string;
  readonly country: string;
  readonly facility_id: string;
  readonly facility_name: string;
  readonly facility_type: string;
  readonly sublimit_of: string | null;
  readonly maturity_date: string | null;
  readonly availability_end_date: string | null;
  readonly facility_status: string;
  readonly contract_id: string | null;
  readonly contract_number: string | null;
  readonly contract_status: string | null;
  readonly contract_maturity_date: string | null;
  readonly all_in_rate: string | null;
  readonly position_id: string | null;
  readonly position_kind: string | null;
  readonly holder_id: string | null;
  readonly borrower_id: string;
  readonly borrower_name: string;
  readonly roles: readonly string[];
  readonly accrues: boolean;
  readonly terms_seq: bigint;
  readonly booked_seq: bigint;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Item = Mutable<BalanceItem> & { lenders: BalanceItem['lenders'][number][] };

/** Rows come item by item, the global one first. */
export function toItems(rows: readonly PageRow[]): readonly BalanceItem[] {
  const items: Item[] = [];
  let item: Item | undefined;
  for (const row of rows) {
    if (row.deal_id !== null) {
      item = toItem(row);
      items.push(item);
    } else if (item !== undefined) {
      const lender = { id: row.lender_id, name: row.lender_name };
      item.lenders.push({ lender, balance: toBalance(row.amounts) });
      // Shares may stand open where the global amount is even.
      item.owes ||= row.owes;
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

function toItem(row: Extract<PageRow, ItemRow>): Item {
  return {
    end: { sortValue: row.sort_value, key: row.key },
    deal: {
      id: row.deal_id,
      name: row.deal_name,
      dealNumber: row.deal_number,
      status: row.deal_status,
    },
    facility: {
      id: row.facility_id,
      name: row.facility_name,
      type: row.facility_type,
      sublimitOf: row.sublimit_of,
      maturityDate: row.maturity_date,
      availabilityEndDate: row.availability_end_date,
      status: row.facility_status,
    },
    contract:
      row.contract_id === null
        ? null
        : {
            id: row.contract_id,
            contractNumber: row.contract_number ?? '',
            maturityDate: row.contract_maturity_date,
            status: row.contract_status ?? '',
            allInRate: row.all_in_rate,
          },
    position:
      row.position_id === null
        ? null
        : { id: row.position_id, kind: row.position_kind ?? '', lenderId: row.holder_id ?? '' },
    borrower: { id: row.borrower_id, name: row.borrower_name, country: row.country },
    currency: row.currency,
    roles: row.roles,
    global: toBalance(row.amounts),
    lenders: [],
    lastEffectiveDate: row.last_effective_date,
    lastSeq: row.last_seq,
    termsSeq: row.terms_seq,
    bookedSeq: row.booked_seq,
    accrues: row.accrues,
    owes: row.owes,
    overdrawn: row.overdrawn,
  };
}

const STATED = [...COMPONENTS, 'available'] as const;

/** Reads `{1,0,…}`, the `amounts` of `LINE_SUMS`. Most are zero, and need no integer of their own. */
export function toBalance(amounts: string): StatedBalance {
  const balance: Mutable<StatedBalance> = { ...ZERO_BALANCE };
  let start = 1;
  for (const name of STATED) {
    const comma = amounts.indexOf(',', start);
    const end = comma === -1 ? amounts.length - 1 : comma;
    const text = amounts.slice(start, end);
    if (text !== '0') balance[name] = BigInt(text);
    start = end + 1;
  }
  return balance;
}
