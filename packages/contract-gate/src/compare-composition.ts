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
  if (before.members < 2 || after.members <= before.members) return;
  run.report({
    check: 'narrowed',
    direction: 'request',
    pointer: `${pointer}/allOf`,
    before: `${before.members} schemas`,
    after: `${after.members} schemas`,
    subject: 'allOf',
  });
}
