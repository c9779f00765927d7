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
  readonly owes: boolean;
}

interface ItemFacts {
  readonly key: string;
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
  readonly terms_seq: string;
  readonly booked_seq: string;
}

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
  return {
    end: { sortValue: facts.sort_value, key: BigInt(facts.key) },
    deal: {
      id: facts.deal_id,
      name: facts.deal_name,
      dealNumber: facts.deal_number,
      status: facts.deal_status,
    },
    facility: {
      id: facts.facility_id,
      name: facts.facility_name,
      type: facts.facility_type,
      sublimitOf: facts.sublimit_of,
      maturityDate: facts.maturity_date,
      availabilityEndDate: facts.availability_end_date,
      status: facts.facility_status,
    },
    contract:
      facts.contract_id === null
        ? null
        : {
            id: facts.contract_id,
            contractNumber: facts.contract_number ?? '',
            maturityDate: facts.contract_maturity_date,
            status: facts.contract_status ?? '',
            allInRate: facts.all_in_rate,
          },
    position:
      facts.position_id === null
        ? null
        : {
            id: facts.position_id,
            kind: facts.position_kind ?? '',
            lenderId: facts.holder_id ?? '',
          },
    borrower: { id: facts.borrower_id, name: facts.borrower_name, country: facts.country },
    currency: facts.currency,
    roles: facts.roles,
    global: toBalance(row.amounts),
    lenders: [],
    lastEffectiveDate: row.last_effective_date,
    lastSeq: row.last_seq,
    termsSeq: BigInt(facts.terms_seq),
    bookedSeq: BigInt(facts.booked_seq),
    accrues: facts.accrues,
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
