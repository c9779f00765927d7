import { ClsError } from './errors.ts';
import { type Item, itemsOf, type Path } from './types.ts';
import type { Walk } from './walk.ts';

/** An exact copy of what a question finds. Keep all three together, wherever it is stored. */
export interface Copy<P extends Path, Q = object> {
  /** By id. */
  readonly items: ReadonlyMap<string, Item<P, Q>>;
  /** The two times of the answer that it was last refreshed from. */
  readonly asOf: string;
  readonly knownAt: string | null;
}

export interface Since {
  readonly updatedSince: string;
  readonly sinceAsOf: string;
}

type AskWalk<P extends Path, Q> = (since: Since | undefined) => Walk<P, Q>;

/**
 * A copy as of now: `copy` with what differs since, or a full read where there is none or no delta
 * can be had. `copy` itself stays as it is, so a refresh that fails loses nothing.
 */
export async function refreshed<P extends Path, Q>(
  ask: AskWalk<P, Q>,
  copy: Copy<P, Q> | undefined,
): Promise<Copy<P, Q>> {
  // The copy of an empty book knows no instant to ask from.
  if (copy === undefined || copy.knownAt === null) return withPages(ask(undefined), new Map());
  const { knownAt, asOf, items } = copy;
  try {
    return await withPages(ask({ updatedSince: knownAt, sinceAsOf: asOf }), new Map(items));
  } catch (error) {
    // The caller's grants changed: what it may see now does not follow from what it saw.
    if (!(error instanceof ClsError) || error.code !== 'delta_unavailable') throw error;
    return withPages(ask(undefined), new Map());
  }
}

async function withPages<P extends Path, Q>(
  walk: Walk<P, Q>,
  items: Map<string, Item<P, Q>>,
): Promise<Copy<P, Q>> {
  for await (const page of walk.pages()) {
    for (const item of itemsOf<P, Q>(page)) items.set(item.id, item);
    for (const { id } of 'removed' in page ? (page.removed ?? []) : []) items.delete(id);
  }
  const { asOf, knownAt } = (await walk.first()).meta;
  return { items, asOf, knownAt };
}
