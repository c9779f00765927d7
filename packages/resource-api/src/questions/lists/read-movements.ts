import type { Caller } from '@cls/shared/access/caller';
import type { BalanceFilter, BalanceStore, Movement, PageEnd } from '../ask/balance-store.ts';
import type { CursorCodec } from '../ask/cursor.ts';
import { resolveIds } from '../ask/filters.ts';
import type { QuestionTimes, ResolvedSnapshot, Snapshots, WalkSnapshot } from '../ask/snapshot.ts';
import { accessOf, cursorAfter } from '../page/read-balances.ts';

export interface MovementQuestion extends QuestionTimes {
  readonly filter: BalanceFilter;
  readonly limit: number;
  readonly position: (WalkSnapshot & { readonly after: PageEnd }) | undefined;
  readonly canonical: string;
}

export interface MovementPage {
  readonly snapshot: ResolvedSnapshot;
  readonly limit: number;
  readonly movements: readonly Movement[];
  /** After which the next page begins; undefined after the last. */
  readonly next: PageEnd | undefined;
  readonly nextCursor: string | undefined;
}

/** The postings of principal behind a roll-forward. @throws {Refusal} of the question's times. */
export type ReadMovements = (caller: Caller, question: MovementQuestion) => Promise<MovementPage>;

export function movementsReader(
  store: BalanceStore,
  times: Snapshots,
  cursors: CursorCodec,
): ReadMovements {
  return async (caller, question) => {
    const { limit, position, fromDate, canonical } = question;
    const access = accessOf(caller);
    const [snapshot, filter] = await Promise.all([
      times.resolve(question, access),
      resolveIds(question.filter, store),
    ]);
    const after = position && {
      seq: position.after.key,
      number: Number(position.after.sortValue),
    };
    const asked = { filter, snapshot, fromDate, after, limit };
    const { movements, next } = await store.movements(access, asked);
    const end = next && { sortValue: `${next.number}`, key: next.seq };
    const nextCursor = cursorAfter(cursors, access, canonical, snapshot, end);
    return { snapshot, limit, movements, next: end, nextCursor };
  };
}
