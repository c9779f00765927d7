import type { BusinessDate } from '../ledger/business-date.ts';

/** How many units of `to` one unit of `from` is, on a date. */
export interface FxRate {
  readonly date: BusinessDate;
  readonly from: string;
  readonly to: string;
  /** A decimal number above 0. */
  readonly rate: string;
  readonly source: string;
}

export interface KnownFxRate extends FxRate {
  readonly knownAt: string;
}

/** Append-only: the newest rate for a date counts. */
export interface FxRates {
  add(rate: FxRate): Promise<KnownFxRate>;
  /** Newest first, of currencies where they are given. */
  list(filter: FxRateFilter): Promise<readonly KnownFxRate[]>;
}

export interface FxRateFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
}
