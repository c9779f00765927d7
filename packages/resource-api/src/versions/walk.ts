import { cursorMismatch } from '../balances/cursor.ts';
import { ordinalOf } from '../lifecycle/registry.ts';
import type { OperationKey, Release, VersionId } from '../lifecycle/release.ts';

/**
 * A cursor belongs to the version whose walk it continues, and has its question in the spelling of
 * the version that was the newest then.
 */
export interface Walk {
  /** The question with both versions, for a cursor. */
  mark(question: string): string;
  /**
   * The question of a cursor, in the newest spelling.
   * @throws {Refusal} `cursor_mismatch` where the walk was begun in another version, as one through
   *   `latest` before the promotion of a newer one.
   */
  read(marked: string, operation: OperationKey): string;
}

const MARK = /^(v\d+)@(v\d+) /;
/** Cursors of v1 from before there was another version have no mark. */
const FIRST: VersionId = 'v1';

/** @param releases all, oldest first. */
export function walkOf(version: VersionId, releases: readonly Release[]): Walk {
  const head = releases.at(-1)?.id ?? version;
  return {
    mark: (question) =>
      version === FIRST && head === FIRST ? question : `${version}@${head} ${question}`,
    read(marked, operation) {
      const [mark = '', begunIn = FIRST, spelledIn = FIRST] = MARK.exec(marked) ?? [];
      if (begunIn !== version) {
        throw cursorMismatch(
          `the cursor is of a walk in ${begunIn}, and this is ${version}: continue it at /api/${begunIn}, or begin a new one`,
        );
      }
      const spelled = Number(spelledIn.slice(1));
      if (spelled > ordinalOf({ id: head })) {
        throw cursorMismatch('the cursor is of a newer release of this API; begin a new walk');
      }
      const question = marked.slice(mark.length);
      const later = releases.filter((release) => ordinalOf(release) > spelled);
      return later.length === 0 ? question : respelled(question, operation, later);
    },
  };
}

function respelled(question: string, operation: OperationKey, later: readonly Release[]): string {
  const start = question.indexOf('?');
  const view = { operation, query: new URLSearchParams(question.slice(start + 1)) };
  for (const change of later.flatMap(({ changes }) => changes)) change.up?.(view);
  return `${question.slice(0, start)}?${view.query}`;
}
