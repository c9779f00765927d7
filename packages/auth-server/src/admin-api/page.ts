import type { AuditReader } from '../audit/audit-log.ts';
import { presentEvent } from './present.ts';
import type { AdminAnswer } from './route.ts';

interface PageQuery {
  readonly cursor?: string;
  readonly limit: number;
}

/** What to find for a page: one item more shows that there is a next page. */
export function afterCursor({ cursor, limit }: PageQuery) {
  return { limit: limit + 1, ...(cursor === undefined ? {} : { after: cursor }) };
}

/**
 * A page of a list.
 *
 * @param found up to `limit + 1` items.
 * @param cursorOf where the page after an item begins.
 */
export function page<T>(
  found: readonly T[],
  { limit }: PageQuery,
  present: (item: T) => object,
  cursorOf: (item: T) => string,
): AdminAnswer {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  const nextCursor = hasMore ? cursorOf(last) : null;
  return {
    body: { object: 'list', data: items.map(present), page: { limit, hasMore, nextCursor } },
  };
}

/** A page of what happened to any of the subjects, the newest first. */
export async function eventPage(
  auditReader: AuditReader,
  subjects: readonly string[],
  query: PageQuery,
): Promise<AdminAnswer> {
  const { after, limit } = afterCursor(query);
  const before = after === undefined ? {} : { before: BigInt(after) };
  const found = await auditReader.eventsOf(subjects, { limit, ...before });
  return page(found, query, presentEvent, ({ id }) => `${id}`);
}
