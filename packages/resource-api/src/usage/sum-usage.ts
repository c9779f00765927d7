import { addUsage, type UsageStore } from './version-usage.ts';

/** What several stores have counted, added up. Rejects when one of them does not answer. */
export function sumUsage(
  ...stores: readonly Pick<UsageStore, 'since'>[]
): Pick<UsageStore, 'since'> {
  return {
    since: async (day) => addUsage(...(await Promise.all(stores.map((store) => store.since(day))))),
  };
}
