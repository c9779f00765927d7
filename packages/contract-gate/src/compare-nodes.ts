import { compareComposition } from './compare-composition.ts';
import { compareExclusivity } from './compare-exclusivity.ts';
import { compareTypes } from './compare-types.ts';
import type { Run } from './comparison.ts';
import type { FlatSchema } from './flat-schema.ts';
import { canonical } from './json.ts';
import { matchAlternatives } from './match-alternatives.ts';
import { keywordOf, type SchemaNode } from './schema-nodes.ts';

/** Compares two schemas; what is below them is looked at later. */
export function compareNodes(
  run: Run,
  before: SchemaNode,
  after: SchemaNode,
  pointer: string,
): void {
  const { direction } = run.context;
  const [old, next] = [keywordOf(before, 'default'), keywordOf(after, 'default')];
  if (canonical(old) !== canonical(next)) {
    run.report({
      check: 'default-changed',
      direction,
      pointer: `${pointer}/default`,
      before: old,
      after: next,
    });
  }
  compareComposition(run, before, after, pointer);
  const [oldFlats, nextFlats] = [run.sides[0].flats(before), run.sides[1].flats(after)];
  if (oldFlats === undefined || nextFlats === undefined) {
    compareAsText(run, before, after, pointer);
    return;
  }
  compareExclusivity(run, [before, after], [oldFlats, nextFlats], pointer);
  const common = compareTypes(run, [before, after], oldFlats, nextFlats, pointer);
  for (const type of common) {
    const ofType = (one: FlatSchema) => one.type === type;
    matchAlternatives(run, oldFlats.filter(ofType), nextFlats.filter(ofType), pointer);
  }
}

/** Too many alternatives to look at one by one: any difference in their text counts. */
function compareAsText(run: Run, before: SchemaNode, after: SchemaNode, pointer: string): void {
  const text = (node: SchemaNode) =>
    canonical(node.leaves.map(({ keywords }) => canonical(Object.fromEntries(keywords))).sort());
  if (text(before) === text(after)) return;
  run.report({
    check: 'changed',
    direction: run.context.direction,
    pointer,
    subject: 'a combination of too many alternatives',
  });
}
