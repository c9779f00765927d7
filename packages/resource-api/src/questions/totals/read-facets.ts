import type { Caller } from '@cls/shared/access/caller';
import type { BalanceStore, Facet, FacetRequest, FacetValue } from '../ask/balance-store.ts';
import type { QuestionTimes, ResolvedSnapshot, Snapshots } from '../ask/snapshot.ts';
import { storesFilter } from '../page/decided-by-reading.ts';
import { resolveQuestion } from '../page/read-balances.ts';

export interface FacetQuestion extends QuestionTimes, Omit<FacetRequest, 'snapshot'> {}

export interface FacetsAnswer {
  readonly snapshot: ResolvedSnapshot;
  /** In the order of the question. */
  readonly facets: readonly {
    readonly field: Facet;
    readonly values: readonly FacetValue[];
    /** There are values that fewer items have. */
    readonly hasMore: boolean;
  }[];
}

/** @throws {Refusal} of the question's times. */
export type ReadFacets = (caller: Caller, question: FacetQuestion) => Promise<FacetsAnswer>;

export function facetsReader(store: BalanceStore, times: Snapshots): ReadFacets {
  return async (caller, question) => {
    const { access, level, snapshot, filter } = await resolveQuestion(
      store,
      times,
      caller,
      question,
    );
    const { fields, top } = question;
    const asked = { level, filter, snapshot };
    const decided = await storesFilter(store, access, asked);
    const values = await store.facets(access, { ...asked, filter: decided, fields, top });
    return {
      snapshot,
      facets: fields.map((field) => {
        const own = values.filter((value) => value.field === field);
        return { field, values: own.slice(0, top), hasMore: own.length > top };
      }),
    };
  };
}
