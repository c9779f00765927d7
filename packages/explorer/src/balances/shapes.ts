/** What pages read of the API's answers (docs/reference/api.md). Amounts are decimal strings. */

export interface Party {
  readonly id: string;
  readonly name: string;
}

export interface Line {
  readonly commitment: {
    readonly original: string;
    readonly cancelled: string;
    readonly current: string;
    readonly funded: string;
    readonly unfunded: string;
    readonly available: string;
    readonly unavailable: string;
    readonly letterOfCredit: string;
    readonly sublimitUsed: string;
  };
  readonly principal: {
    readonly outstanding: string;
    readonly cash: string;
    readonly pikCapitalized: string;
    readonly due: string;
    readonly pastDue: string;
    readonly exchangeAdjustment: string;
    readonly obligation: string;
  };
  readonly interest: Accrued & { readonly pikAccrued: string };
  readonly fees: Accrued;
  readonly total: { readonly outstanding: string; readonly pastDue: string };
}

interface Accrued {
  readonly accrued: string;
  readonly due: string;
  readonly pastDue: string;
}

export interface Share extends Line {
  readonly lender: Party;
  /** Of the commitment, as a decimal fraction; null of nothing. */
  readonly fraction: string | null;
}

export interface Provenance {
  readonly lastEffectiveDate: string | null;
  readonly lastPostedAt: string | null;
  readonly ledgerSeq: number;
  readonly restated: boolean;
  readonly restatedFrom: ({ readonly knownAt: string } & Record<string, unknown>) | null;
}

export interface Facility {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly currency: string;
  readonly maturityDate: string | null;
}

interface Item {
  readonly id: string;
  readonly level: string;
  readonly deal: { readonly id: string; readonly name: string; readonly dealNumber: string };
  readonly facility: Facility | null;
  readonly contract: {
    readonly id: string;
    readonly contractNumber: string;
    readonly maturityDate: string | null;
  } | null;
  readonly borrower: Party & { readonly country: string };
  readonly currency: string;
  readonly status: {
    readonly deal: string;
    readonly facility?: string;
    readonly contract?: string;
    readonly daysPastDue?: number;
  };
  readonly provenance: Provenance;
  readonly warnings: readonly string[];
}

export interface BalanceItem extends Item {
  readonly global: Line;
  readonly share: Share | null;
  readonly lenders: readonly Share[];
  readonly accrual?: readonly Accrual[];
  /** With `expand=terms`. */
  readonly terms?: Terms;
  /** With `expand=rates`: until the date, the oldest first. */
  readonly rates?: readonly Rate[];
  /** The item at the time of the comparison; null where it was not there. */
  readonly compared?: BalanceItem | null;
}

/** What the book knows of an item beyond its amounts; null where it does not. */
export interface Terms {
  readonly agent: Party | null;
  readonly effectiveDate: string | null;
  readonly nextPaymentDate: string | null;
  readonly dayCount: string | null;
  /** What interest accrues by. */
  readonly rate: Rate | null;
  /** What a statement or the terms state for a loan: a decimal fraction. */
  readonly allInRate: string | null;
}

/** Decimal fractions; the first is the sum of the others. */
export interface Rate {
  readonly allIn: string;
  readonly base: string | null;
  readonly margin: string | null;
  readonly adjustment: string | null;
  readonly index: string | null;
  /** From when on it holds. */
  readonly since: string;
}

export interface Accrual {
  readonly component: string;
  /** Null of what accrues on a facility, such as a commitment fee. */
  readonly contractId: string | null;
  readonly start: string;
  readonly end: string;
  readonly dayCount: string;
  /** What is not billed yet; of days that a bill had wrong, the difference to it. */
  readonly amount: string;
  readonly corrects: { readonly journal: string; readonly billed: string } | null;
  readonly periods: readonly {
    readonly start: string;
    readonly end: string;
    readonly days: number;
    readonly balance: string;
    readonly rate: string;
    readonly baseRate?: string | null;
    readonly spread?: string | null;
    readonly amount: string;
  }[];
}

/** What a roll-forward adds up, and how each posting of it is called. */
export const MOVEMENT_OF = {
  advances: 'advance',
  scheduledRepayments: 'scheduled_repayment',
  voluntaryPrepayments: 'voluntary_prepayment',
  mandatoryPrepayments: 'mandatory_prepayment',
  pikCapitalized: 'pik_capitalization',
  feesCapitalized: 'fee_capitalization',
  writeOffs: 'write_off',
  rollovers: 'rollover',
  transfers: 'transfer',
  adjustments: 'adjustment',
} as const;
export type MovementName = keyof typeof MOVEMENT_OF;
export const MOVEMENTS = Object.keys(MOVEMENT_OF) as readonly MovementName[];

export interface RollForwardLine {
  readonly opening: string;
  readonly movements: Readonly<Record<MovementName, string>>;
  readonly closing: string;
}

export interface RollForwardItem extends Item {
  readonly global: RollForwardLine;
  readonly share: (RollForwardLine & { readonly lender: Party }) | null;
  readonly movementCount: number;
  readonly reversedCount: number;
}

/** One interval of a series. */
export interface SeriesPoint extends RollForwardLine {
  readonly currency: string;
  readonly from: string;
  readonly date: string;
  readonly movementCount: number;
}

export interface Series {
  readonly data: readonly SeriesPoint[];
  readonly page: { readonly hasMore: boolean; readonly nextFromDate: string | null };
  readonly meta: Meta;
}

export interface Movement {
  readonly id: string;
  readonly journal: {
    readonly id: string;
    readonly type: string;
    readonly ledgerSeq: number;
    readonly reason: string | null;
    readonly reverses: string | null;
    readonly corrects: string | null;
  };
  readonly effectiveDate: string;
  readonly postedAt: string;
  readonly dealId: string;
  readonly facilityId: string;
  readonly contract: { readonly id: string; readonly contractNumber: string } | null;
  readonly lender: Party | null;
  readonly movement: string;
  readonly component: string;
  readonly amount: string;
  readonly currency: string;
  /** Null: not recorded, or not for this reader. */
  readonly postedBy: string | null;
}

export interface Total {
  readonly currency: string;
  readonly count: number;
  readonly principalOutstanding: string;
  readonly unfunded?: string;
  /** Null: too many items to add up. */
  readonly interestAccrued: string | null;
  readonly feesAccrued: string | null;
}

/** What a group, or all that a question finds, comes to in one currency; null: not added up. */
export interface Sum {
  readonly currency: string;
  readonly count: number;
  readonly principalOutstanding: string;
  readonly interestAccrued: string | null;
  readonly feesAccrued: string | null;
  readonly commitment?: string | null;
  readonly available?: string | null;
  readonly unfunded?: string;
  readonly pastDue: string | null;
}

/** What a group comes to, or what all groups come to that are not told one by one. */
export interface GroupSum extends Sum {
  /** The same at the time of the comparison; null before the book. */
  readonly compared?: Sum | null;
}

export interface GroupTotal extends GroupSum {
  /** A code, a year, or the id of a party; null where items have none. */
  readonly value: string | null;
  readonly name: string | null;
  /** Of a borrower whose deals are all of one. */
  readonly country?: string | null;
}

export interface Totals {
  readonly data: readonly GroupTotal[];
  readonly rest: readonly GroupSum[];
  readonly totals: readonly Sum[];
  readonly comparedTotals?: readonly Sum[];
  readonly meta: ComparedMeta;
}

export interface Meta {
  readonly asOf: string;
  readonly knownAt: string | null;
  readonly ledgerSeq: number;
  /** The first date with data; null: the book has none. */
  readonly dataFrom: string | null;
  readonly dataThrough: string | null;
  readonly period?: { readonly from: string | null; readonly to: string };
}

export interface ComparedMeta extends Meta {
  /** Where the answer compares; null: there was no book at the other time. */
  readonly compared?: object | null;
}

/** Who asks, and what it may see now. */
export interface Caller {
  readonly customer: { readonly id: string; readonly name: string | null };
  /** `agent`, `lender`, `borrower` in any deal; `full`. */
  readonly roles: readonly string[];
  /** The lenders and borrowers that its grants name. */
  readonly parties: readonly Party[];
  /** Up to a limit; then there are more. */
  readonly dealCount: number;
  readonly hasMoreDeals?: boolean;
}

/** Requests for a version of the API, over a period. */
export interface SummedUse {
  readonly requested: string;
  readonly served: string;
  readonly requests: number;
  readonly lastDay: string;
}

/** The use of the API by the caller's customer. */
export interface Usage {
  readonly totals: {
    readonly requests: number;
    readonly versions: readonly SummedUse[];
    readonly clients: readonly (SummedUse & { readonly clientId: string })[];
    readonly operations: readonly (SummedUse & { readonly operation: string })[];
  };
  readonly meta: { readonly period: { readonly from: string; readonly to: string } };
}

export interface Single<T> {
  readonly data: T;
  readonly meta: Meta;
}

export interface Deal {
  readonly id: string;
  readonly name: string;
  readonly dealNumber: string;
  readonly status: string;
  readonly closingDate: string | null;
  /** The first date on which the book has it. */
  readonly dataFrom: string;
  readonly roles: readonly string[];
  readonly borrower: Party;
  readonly agent: Party | null;
  readonly guarantor: Party | null;
  readonly balances: readonly BalanceItem[];
  readonly facilities: readonly BalanceItem[];
  readonly hasMoreFacilities: boolean;
}

/** The choices of a filter, with the number of items that have each. */
export interface Facet {
  readonly field: string;
  readonly values: readonly {
    readonly value: string;
    readonly name: string | null;
    readonly country?: string | null;
    readonly count: number;
  }[];
  readonly hasMore: boolean;
}

export interface List<T> {
  readonly data: readonly T[];
  readonly page: {
    readonly limit: number;
    readonly hasMore: boolean;
    readonly nextCursor?: string | null;
  };
  readonly meta: ComparedMeta;
  /** Of changes: what the question does not find any more, as ids of items. */
  readonly removed?: readonly { readonly id: string }[];
  readonly totals?: readonly Total[];
  readonly comparedTotals?: readonly Total[];
}
