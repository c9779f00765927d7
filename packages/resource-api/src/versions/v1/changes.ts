import type { Caller } from '@cls/shared/access/caller';
import { type BalanceItem, FIRST, type PageEnd } from '../../questions/ask/balance-store.ts';
import type { CopyTimes, ResolvedSnapshot, WalkSnapshot } from '../../questions/ask/snapshot.ts';
import type {
  ChangedDeal,
  DealChange,
  ReadChanges,
  ReadingOfPage,
} from '../../questions/lists/read-changes.ts';
import type { BalanceQuestion } from '../../questions/page/read-balances.ts';
import { pickFields } from './fields.ts';
import { type BalanceResource, presentItem } from './present.ts';
import type { Presented } from './presented.ts';

/** What a copy lacks: items whose bytes are others now, and ids of items that are gone. */
interface ChangePage {
  readonly snapshot: ResolvedSnapshot;
  readonly copied: ResolvedSnapshot | undefined;
  readonly changed: readonly Presented[];
  /** What is changed, as it was read. */
  readonly items: readonly BalanceItem[];
  readonly removed: readonly RemovedItem[];
  /** Where the walk continues. */
  readonly next: PageEnd | undefined;
}

export interface RemovedItem {
  readonly object: 'removed';
  readonly id: string;
}

interface ChangeQuestion extends BalanceQuestion {
  readonly copy: CopyTimes;
  readonly fields: readonly string[] | undefined;
}

/** A page compares this many deals at most: it may be empty while more follow. */
const DEALS_MAX = 1_000;
const BATCH_MAX = 200;

interface Change {
  readonly deal: bigint;
  readonly id: string;
  /** The item, and what it was made of; undefined: it is gone. */
  readonly there: { readonly item: Presented; readonly of: BalanceItem } | undefined;
}

/** One page of the changes, in the order of deals and ids. */
export async function changePage(
  readChanges: ReadChanges,
  caller: Caller,
  resource: BalanceResource,
  question: ChangeQuestion,
  walk: (WalkSnapshot & { readonly after: PageEnd }) | undefined,
): Promise<ChangePage> {
  const { limit, copy, fields } = question;
  const start = walk?.after ?? FIRST;
  const changes: Change[] = [];
  let examined = 0;
  let snapshot: WalkSnapshot | undefined = walk;
  let following: readonly ChangedDeal[] = [];
  for (let fromKey = start.key; ; ) {
    const deals = Math.min(Math.max(limit - changes.length, 10), BATCH_MAX);
    const asked = { copy, walk: snapshot, fromKey, deals, following };
    const batch = await readChanges(caller, question, asked);
    following = batch.following;
    snapshot = batch.snapshot;
    examined += batch.deals.length;
    for (const deal of batch.deals) {
      const passed = deal.key === start.key ? start.sortValue : null;
      changes.push(
        ...changesOf(deal, resource, fields).filter(({ id }) => passed === null || id > passed),
      );
    }
    const nextKey = following[0]?.key;
    const last = changes[limit - 1];
    const next =
      last !== undefined && (changes.length > limit || nextKey !== undefined)
        ? { key: last.deal, sortValue: last.id }
        : nextKey !== undefined && examined >= DEALS_MAX
          ? { key: nextKey, sortValue: null }
          : undefined;
    if (next === undefined && nextKey !== undefined) {
      fromKey = nextKey;
      continue;
    }
    const page = changes.slice(0, limit);
    const left = page.flatMap(({ there }) => there ?? []);
    return {
      snapshot: batch.snapshot,
      copied: batch.copied,
      changed: left.map(({ item }) => item),
      items: left.map(({ of }) => of),
      removed: page
        .filter(({ there }) => there === undefined)
        .map(({ id }) => ({ object: 'removed', id })),
      next,
    };
  }
}

function changesOf(
  { key: deal, now, before }: DealChange,
  resource: BalanceResource,
  fields: readonly string[] | undefined,
): readonly Change[] {
  const present = ({ reading, page }: ReadingOfPage): Presented => {
    const item = presentItem(resource, reading, page);
    return fields === undefined ? item : pickFields(item, fields);
  };
  const copied = new Map(
    before.map(present).map((item) => [`${item['id']}`, JSON.stringify(item)]),
  );
  const after = now.map((one): Change => {
    const item = present(one);
    return { deal, id: `${item['id']}`, there: { item, of: one.reading.item } };
  });
  const changed = after.filter(({ id, there }) => copied.get(id) !== JSON.stringify(there?.item));
  const ids = new Set(after.map(({ id }) => id));
  const gone = [...copied.keys()].filter((id) => !ids.has(id));
  return [...changed, ...gone.map((id): Change => ({ deal, id, there: undefined }))].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
}
