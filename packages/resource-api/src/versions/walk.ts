import type { VersionId } from '../lifecycle/release.ts';
import { cursorMismatch } from '../questions/ask/cursor.ts';

/** How the questions of cursors name their version. */
export interface Walk {
  /** A question for a cursor. */
  mark(question: string): string;
  /**
   * The question of a cursor.
   * @throws {Refusal} `cursor_mismatch` where the walk was begun in another version, as one through
   *   `latest` before the promotion of a newer one.
   */
  read(marked: string): string;
}

export const ANOTHER_QUESTION = 'the cursor is of another question; send it alone or with the same';

const MARK = /^(v\d+) /;
/** Cursors of v1 have no mark: they are older than the second version. */
const FIRST: VersionId = 'v1';

export function walkOf(version: VersionId): Walk {
  return {
    mark: (question) => (version === FIRST ? question : `${version} ${question}`),
    read(marked) {
      const [mark = '', begunIn = FIRST] = MARK.exec(marked) ?? [];
      if (begunIn === version) return marked.slice(mark.length);
      throw cursorMismatch(
        `the cursor is of a walk in ${begunIn}, and this is ${version}: continue it at /api/${begunIn}, or begin a new one`,
      );
    },
  };
}

/**
 * The walk of an older version, while the newest version's code answers. The cursor has the
 * question as the caller's version spells it, so that it outlives the newest version's spelling.
 */
interface ConvertedWalk extends Walk {
  /** The parameters of the question, as the caller's version spells them. */
  readonly asked: () => URLSearchParams;
}

/** @param up a question's parameters, in place, to the newest spelling. */
export function convertedWalk(
  own: Walk,
  question: string,
  up: (query: URLSearchParams) => void,
): ConvertedWalk {
  let asked = question;
  return {
    mark: () => own.mark(asked),
    read(marked) {
      asked = own.read(marked);
      const isNarrowed = !question.endsWith('?');
      if (isNarrowed && question !== asked) throw cursorMismatch(ANOTHER_QUESTION);
      const query = parametersOf(asked);
      up(query);
      return `${asked.slice(0, asked.indexOf('?'))}?${query}`;
    },
    asked: () => parametersOf(asked),
  };
}

export function parametersOf(question: string): URLSearchParams {
  return new URLSearchParams(question.slice(question.indexOf('?') + 1));
}
