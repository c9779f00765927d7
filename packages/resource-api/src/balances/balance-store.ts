import type { Balance, Component } from '../ledger/balance.ts';
import type { BusinessDate } from '../ledger/business-date.ts';

/** Whose eyes a read has: the database's row-level security goes by it. */
export type ReaderAccess = { readonly fullControl: true } | { readonly customer: string };

/** What one item of a page is: a facility with its contracts, or one contract. */
export type Level = 'facility' | 'contract';

export interface BalanceFilter {
  readonly dealIds: readonly string[];
  readonly facilityIds: readonly string[];
  readonly borrowerIds: readonly string[];
  readonly currencies: readonly string[];
  readonly countries: readonly string[];
  readonly includeZero: boolean;
}

/** A state of knowledge: journals up to `ledgerSeq`, effective up to `asOf` inclusive. */
export interface Snapshot {
  readonly asOf: BusinessDate;
  readonly ledgerSeq: bigint;
}

export interface PageRequest {
  readonly level: Level;
  readonly filter: BalanceFilter;
  readonly snapshot: Snapshot;
  /** Items after this internal key; 0 from the start. */
  readonly afterKey: bigint;
  readonly limit: number;
}

/** One item with the amounts that the reader may see. */
export interface BalanceItem {
  readonly key: bigint;
  readonly deal: {
    readonly id: string;
    readonly name: string;
    readonly dealNumber: string;
    readonly status: string;
  };
  readonly facility: {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    readonly maturityDate: string | null;
    readonly status: string;
  };
  readonly contract: {
    readonly id: string;
    readonly contractNumber: string;
    readonly status: string;
    readonly allInRate: string | null;
  } | null;
  readonly borrower: { readonly id: string; readonly name: string; readonly country: string };
  readonly currency: string;
  /** The reader's roles in the deal; empty with full control. */
  readonly roles: readonly string[];
  readonly global: Balance;
  readonly lenders: readonly LenderShare[];
  readonly lastEffectiveDate: string;
  readonly lastSeq: bigint;
}

export interface LenderShare {
  readonly lender: { readonly id: string; readonly name: string };
  readonly balance: Balance;
}

/** Over the whole filter, one per currency. */
export interface CurrencyTotal {
  readonly currency: string;
  readonly count: number;
  readonly balance: Readonly<Record<Component, bigint>>;
}

export interface LedgerState {
  readonly seq: bigint;
  /** First and last effective date up to today; undefined while the book is empty. */
  readonly firstDate: BusinessDate | undefined;
  readonly lastDate: BusinessDate | undefined;
}

export interface BalanceStore {
  /** Up to `limit` + 1 items: one more tells that there is a next page. */
  page(access: ReaderAccess, request: PageRequest): Promise<readonly BalanceItem[]>;
  totals(
    access: ReaderAccess,
    request: Pick<PageRequest, 'level' | 'filter' | 'snapshot'>,
  ): Promise<readonly CurrencyTotal[]>;
  ledgerState(today: BusinessDate): Promise<LedgerState>;
  /** Resolves when balances can be read, as the role that reads them. */
  ready(): Promise<void>;
  /** Calls back when the ledger or who sees it may have changed. */
  onChange(listener: (state: 'changed' | 'lost' | 'resumed') => void): Promise<void>;
}
