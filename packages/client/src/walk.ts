import { type Item, itemsOf, type List, type Path } from './types.ts';

type AskPage<P extends Path> = (cursor: string | undefined) => Promise<List<P>>;

/**
 * All items that a question finds, page by page as they are read, as one snapshot. A page may be
 * short or empty while others follow. Iterating again walks again, from the same first page.
 */
export class Walk<P extends Path, Q = object> implements AsyncIterable<Item<P, Q>> {
  readonly #ask: AskPage<P>;
  #first: Promise<List<P>> | undefined;

  constructor(ask: AskPage<P>) {
    this.#ask = ask;
  }

  /** The first page: its `meta` and `totals` hold for the whole walk. */
  first(): Promise<List<P>> {
    this.#first ??= this.#ask(undefined).catch((error) => {
      this.#first = undefined;
      throw error;
    });
    return this.#first;
  }

  async *pages(): AsyncGenerator<List<P>, void, void> {
    let list = await this.first();
    yield list;
    while (list.page.hasMore) {
      list = await this.#ask(list.page.nextCursor ?? undefined);
      yield list;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item<P, Q>, void, void> {
    for await (const list of this.pages()) yield* itemsOf<P, Q>(list);
  }
}
