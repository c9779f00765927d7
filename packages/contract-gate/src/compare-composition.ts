import type { Run } from './comparison.ts';
import type { SchemaNode } from './schema-nodes.ts';

/** One more member of `allOf` is one more thing to be valid against, even where it repeats another. */
export function compareComposition(
  run: Run,
  before: SchemaNode,
  after: SchemaNode,
  pointer: string,
): void {
  if (run.context.direction === 'response') return;
  const [old, next] = [compositionOf(before), compositionOf(after)];
  if (old.members < 2 || next.members <= old.members || next.facts <= old.facts) return;
  run.report({
    check: 'narrowed',
    direction: 'request',
    pointer: `${pointer}/allOf`,
    before: `${old.members} schemas`,
    after: `${next.members} schemas`,
    subject: 'allOf',
  });
}

/** Schema objects that say something, and how much they say together. */
function compositionOf({ leaves }: SchemaNode): { members: number; facts: number } {
  const sizes = leaves.map(({ keywords }) =>
    [...keywords].reduce((sum, [name, value]) => sum + sizeOf(name, value), 0),
  );
  const saying = sizes.filter((size) => size > 0);
  return { members: saying.length, facts: saying.reduce((sum, size) => sum + size, 0) };
}

function sizeOf(name: string, value: unknown): number {
  if (['type', 'nullable', 'default', 'readOnly', 'writeOnly', 'discriminator'].includes(name))
    return 0;
  if (name === 'properties') return Object.keys(value ?? {}).length;
  return name === 'required' && Array.isArray(value) ? value.length : 1;
}
