import {
  addUsage,
  type CustomerUsage,
  callerUses,
  type UsageStore,
  type UsageSummaries,
} from './version-usage.ts';

export type UsageReader = Pick<UsageStore, 'since'> & UsageSummaries;

/** What several stores have counted, added up. Rejects when one of them does not answer. */
export function sumUsage(
  ...stores: readonly (UsageReader & CustomerUsage)[]
): UsageReader & CustomerUsage {
  return {
    since: async (day) => addUsage(...(await Promise.all(stores.map((store) => store.since(day))))),
    async summarize(firstDay, requested) {
      const sums = callerUses();
      for (const store of stores) {
        for (const use of await store.summarize(firstDay, requested)) sums.add(use);
      }
      return sums.list();
    },
    ofCustomer: async (...asked) =>
      (await Promise.all(stores.map((store) => store.ofCustomer(...asked)))).flat(),
  };
}
