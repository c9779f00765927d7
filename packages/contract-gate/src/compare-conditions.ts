import type { Run } from './comparison.ts';
import type { FlatSchema } from './flat-schema.ts';
import { below } from './json.ts';
import type { SchemaNode } from './schema-nodes.ts';

/** `not`, `if` with `then` and `else`, `dependentSchemas`, `contentSchema`. */
export function compareConditions(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
): void {
  const negated = pairs(before.negated, after.negated, (one, other) => run.same(one, other));
  reportUnpaired(run, negated, `${pointer}/not`, 'not');
  const conditions = pairs(before.conditions, after.conditions, (one, other) =>
    run.same(one.if, other.if),
  );
  for (const [one, other] of conditions.paired) {
    run.later(one.then, other.then, `${pointer}/then`, { conditional: true });
    run.later(one.else, other.else, `${pointer}/else`, { conditional: true });
  }
  reportUnpaired(run, conditions, `${pointer}/if`, 'if');
  compareDependent(run, before, after, pointer);
  compareContent(run, before, after, pointer);
}

interface Pairs<T> {
  readonly paired: readonly (readonly [T, T])[];
  readonly lost: readonly T[];
  readonly added: readonly T[];
}

function pairs<T>(
  before: readonly T[],
  after: readonly T[],
  isSame: (a: T, b: T) => boolean,
): Pairs<T> {
  const added = [...after];
  const paired: [T, T][] = [];
  const lost: T[] = [];
  for (const one of before) {
    const at = added.findIndex((other) => isSame(one, other));
    const [other] = at < 0 ? [] : added.splice(at, 1);
    if (other === undefined) lost.push(one);
    else paired.push([one, other]);
  }
  return { paired, lost, added };
}

function reportUnpaired<T>(
  run: Run,
  { lost, added }: Pairs<T>,
  pointer: string,
  subject: string,
): void {
  if (lost.length === 0 && added.length === 0) return;
  const check = added.length === 0 ? 'widened' : lost.length === 0 ? 'narrowed' : 'changed';
  run.report({ check, direction: run.context.direction, pointer, subject });
}

function compareDependent(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const { direction } = run.context;
  const names = new Set([...before.dependentSchemas.keys(), ...after.dependentSchemas.keys()]);
  for (const name of names) {
    const at = below(pointer, 'dependentSchemas', name);
    const [old, next] = [before.dependentSchemas.get(name), after.dependentSchemas.get(name)];
    if (old !== undefined && next !== undefined) {
      run.later(old, next, at, { conditional: true });
    } else {
      const check = next === undefined ? 'widened' : 'narrowed';
      run.report({ check, direction, pointer: at, subject: 'dependentSchemas' });
    }
  }
}

function compareContent(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const nodes = [before.inner.get('contentSchema'), after.inner.get('contentSchema')] as const;
  if (nodes[0] === undefined && nodes[1] === undefined) return;
  const anything = (side: 0 | 1): SchemaNode => run.sides[side].schemas.node([], pointer);
  run.later(nodes[0] ?? anything(0), nodes[1] ?? anything(1), `${pointer}/contentSchema`);
}
