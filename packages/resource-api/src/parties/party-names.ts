import type { BusinessDate } from '../ledger/business-date.ts';

export interface NewPartyName {
  readonly party: string;
  readonly name: string;
  /** The first day on which the name is true. */
  readonly from: BusinessDate;
  readonly reason: string;
}

export type RenameResult =
  | { readonly outcome: 'renamed' | 'valid'; readonly before: string; readonly deals: number }
  | { readonly outcome: 'unknown' | 'unchanged' | 'in_no_deal' }
  | { readonly outcome: 'period_closed'; readonly through: BusinessDate };

/** Corrects the names of parties. */
export interface PartyNames {
  /**
   * Posts a journal for each deal that the party takes part in, so that copies see each deal
   * change; one transaction. Without `apply` it is rolled back at its end.
   */
  rename(name: NewPartyName, apply: boolean): Promise<RenameResult>;
}
