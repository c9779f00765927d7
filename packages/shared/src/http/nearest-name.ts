/** With more edits than this, it is another word and not a mistyped one. */
const EDITS_MAX = 2;

/**
 * What a mistyped name was probably meant to be: the known name with the fewest edits, compared
 * without regard to case; undefined where none is near.
 */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const near = known
    .filter((name) => Math.abs(name.length - typed.length) <= EDITS_MAX)
    .map((name) => ({ name, edits: editsBetween(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= EDITS_MAX && edits < name.length / 2)
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.name;
}

/** ` (did you mean asOf?)`, or nothing. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const name = nearestName(typed, known);
  return name === undefined ? '' : ` (did you mean ${name}?)`;
}

/** Levenshtein's distance: letters inserted, left out or changed. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...b].entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
