import type { Direction } from './checks.ts';
import type { Report } from './finding.ts';
import { below, entriesOf, type JsonObject, own, textsOf } from './json.ts';

/**
 * Extensions of a media type that promise what a schema cannot: `x-columns`, the columns of CSV by
 * level, and `x-codes`, the codes of problem documents.
 */
export function comparePromisedLists(
  before: JsonObject,
  after: JsonObject,
  pointer: string,
  direction: Direction,
  report: Report,
): void {
  const levels = [before, after].map((media) => new Map(entriesOf(own(media, 'x-columns'))));
  for (const [level, columns] of levels[0] ?? []) {
    const at = below(pointer, 'x-columns', level);
    compareColumns(textsOf(columns), textsOf(levels[1]?.get(level)), at, direction, report);
  }
  const [old, next] = [textsOf(own(before, 'x-codes')), textsOf(own(after, 'x-codes'))];
  for (const code of old.filter((one) => !next.includes(one))) {
    const at = below(pointer, 'x-codes', code);
    report({ check: 'code-removed', direction, pointer: at, before: code, subject: code });
  }
  for (const code of next.filter((one) => !old.includes(one))) {
    report({
      check: 'code-added',
      direction,
      pointer: below(pointer, 'x-codes', code),
      after: code,
    });
  }
}

function compareColumns(
  old: readonly string[],
  next: readonly string[],
  pointer: string,
  direction: Direction,
  report: Report,
): void {
  for (const name of old.filter((one) => !next.includes(one))) {
    const at = below(pointer, name);
    report({ check: 'property-removed', direction, pointer: at, before: name, subject: name });
  }
  for (const name of next.filter((one) => !old.includes(one))) {
    report({ check: 'property-added', direction, pointer: below(pointer, name), after: name });
  }
  const kept = old.filter((one) => next.includes(one));
  const moved = next.filter((one) => old.includes(one)).join() !== kept.join();
  if (moved) report({ check: 'columns-reordered', direction, pointer, before: old, after: next });
}
