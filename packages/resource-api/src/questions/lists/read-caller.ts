import type { Caller } from '@cls/shared/access/caller';
import type { BalanceStore, LedgerState, NamedParty } from '../ask/balance-store.ts';
import type { ResolvedSnapshot, Snapshots } from '../ask/snapshot.ts';
import { accessOf } from '../page/read-balances.ts';

/** What a caller is and sees, by all that is known. */
export interface CallerAnswer {
  readonly snapshot: ResolvedSnapshot;
  /** With full control the only role is `full`. */
  readonly roles: readonly string[];
  /** The lenders and borrowers that its grants name. */
  readonly parties: readonly NamedParty[];
  readonly deals: number;
  /** There are more deals than were counted. */
  readonly moreDeals: boolean;
}

const DEALS_COUNTED = 100_000;
const NOW = { asOf: undefined, knownAt: undefined, fromDate: undefined };

/** @param ledger where the book stood after the question came */
export type ReadCaller = (caller: Caller, ledger: LedgerState) => Promise<CallerAnswer>;

export function callerReader(store: BalanceStore, times: Snapshots): ReadCaller {
  return async (caller, ledger) => {
    const access = accessOf(caller);
    const snapshot = await times.resolve({ ...NOW, ledger }, access);
    const { roles, parties, deals } = await store.granted(access, snapshot, DEALS_COUNTED);
    return {
      snapshot,
      roles: 'fullControl' in access ? ['full'] : roles,
      parties,
      deals: Math.min(deals, DEALS_COUNTED),
      moreDeals: deals > DEALS_COUNTED,
    };
  };
}
