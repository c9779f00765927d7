import type { Run } from './comparison.ts';
import type { FlatSchema } from './flat-schema.ts';
import { NEVER } from './schema-leaf.ts';
import type { SchemaNode } from './schema-nodes.ts';

/** Items by place, the items after them, and what must be among them. */
export function compareArrays(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
): void {
  if (before.type !== 'array') return;
  const anything = (side: 0 | 1) => run.sides[side].schemas.node([], pointer);
  const places = Math.max(before.prefix.length, after.prefix.length);
  for (let at = 0; at < places; at += 1) {
    const [old, next] = [itemOf(before, at), itemOf(after, at)];
    run.later(old ?? anything(0), next ?? anything(1), `${pointer}/prefixItems/${at}`);
  }
  const [old, next] = [before.inner.get('items'), after.inner.get('items')];
  if (old !== undefined || next !== undefined) {
    run.later(old ?? anything(0), next ?? anything(1), `${pointer}/items`);
  }
  compareContains(run, before, after, pointer);
}

function itemOf(flat: FlatSchema, place: number): SchemaNode | undefined {
  return flat.prefix[place] ?? flat.inner.get('items');
}

function compareContains(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const [old, next] = [before.inner.get('contains'), after.inner.get('contains')];
  const at = `${pointer}/contains`;
  if (old !== undefined && next !== undefined && !old.leaves.includes(NEVER)) {
    run.later(old, next, at);
  } else if (old !== next) {
    const check = next === undefined ? 'widened' : 'narrowed';
    run.report({ check, direction: run.context.direction, pointer: at, subject: 'contains' });
  }
}
