import type {
  BalanceItem,
  BalanceStore,
  Movement,
  MovementRequest,
  PageRequest,
  ReaderAccess,
} from '../../src/questions/ask/balance-store.ts';

/** The items of all pages of a walk. */
export async function everyItem(
  store: BalanceStore,
  access: ReaderAccess,
  request: PageRequest,
): Promise<readonly BalanceItem[]> {
  const found: BalanceItem[] = [];
  let page = await store.page(access, request);
  found.push(...page.items);
  while (page.next !== undefined) {
    page = await store.page(access, { ...request, after: page.next });
    found.push(...page.items);
  }
  return found;
}

/** The movements of all pages of a walk. */
export async function everyMovement(
  store: BalanceStore,
  access: ReaderAccess,
  request: MovementRequest,
): Promise<readonly Movement[]> {
  const found: Movement[] = [];
  let page = await store.movements(access, request);
  found.push(...page.movements);
  while (page.next !== undefined) {
    page = await store.movements(access, { ...request, after: page.next });
    found.push(...page.movements);
  }
  return found;
}
