// Keeps a copy of a list of balances and brings it up to date, an item at a time:
//
//   TOKEN=… node keep-a-copy.mjs 'http://localhost:8080/api/v1/cls/balances?level=contract'
//
// The copy is exact: after each refresh it has the bytes that reading the whole list would give.
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/**
 * @param url the question, without cursor
 * @param copy what the last call gave; undefined to begin with
 */
export async function refresh(url, token, copy) {
  // Both times of the answer that the copy was made from: nothing falls between two refreshes.
  const since = copy?.knownAt ? { updatedSince: copy.knownAt, sinceAsOf: copy.asOf } : {};
  const items = new Map(copy?.knownAt ? copy.items : []);
  const limit = new URL(url).searchParams.get('limit') ?? '1000';
  let first;
  let next = { limit, ...since };
  while (next) {
    const page = new URL(url);
    if (next.cursor) page.search = '';
    for (const [name, value] of Object.entries(next)) page.searchParams.set(name, value);
    const response = await fetch(page, { headers: { authorization: `Bearer ${token}` } });
    // What we may see has changed, so there is no way from what we have: begin anew.
    if (response.status === 410 && copy) return refresh(url, token, undefined);
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    const list = await response.json();
    for (const item of list.data) items.set(item.id, item);
    for (const { id } of list.removed ?? []) items.delete(id);
    first ??= list.meta;
    next = list.page.hasMore && { limit, cursor: list.page.nextCursor };
  }
  return { items, asOf: first.asOf, knownAt: first.knownAt };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (let copy; ; await sleep(10_000)) {
    copy = await refresh(process.argv[2], process.env.TOKEN, copy);
    console.log(`${copy.items.size} items as of ${copy.asOf}, known at ${copy.knownAt}`);
  }
}
