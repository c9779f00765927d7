import type { Run } from './comparison.ts';
import type { FlatSchema } from './flat-schema.ts';
import { below, canonical } from './json.ts';
import { NEVER } from './schema-leaf.ts';

/** Properties that are not named one by one, and what depends on names. */
export function compareFurtherProperties(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
): void {
  compareAdditional(run, before, after, pointer);
  comparePatterns(run, before, after, pointer);
  compareNames(run, before, after, pointer);
  compareDependent(run, before, after, pointer);
}

function compareAdditional(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const name = 'additionalProperties';
  const [old, next] = [before.inner.get(name), after.inner.get(name)];
  if (old === undefined && next === undefined) return;
  const at = `${pointer}/${name}`;
  const closed = [old, next].map((node) => node?.leaves.includes(NEVER) === true);
  const [wasClosed, isClosed] = closed;
  const { direction } = run.context;
  if (wasClosed && isClosed) return;
  if (isClosed) {
    run.report({
      check: 'narrowed',
      direction,
      pointer: at,
      before: true,
      after: false,
      subject: name,
    });
  } else if (wasClosed) {
    // Further properties are allowed: in an answer too, as new properties are.
    run.report({ check: 'property-added', direction, pointer: at, before: false, after: true });
  } else {
    const anything = (side: 0 | 1) => run.sides[side].schemas.node([], at);
    run.later(old ?? anything(0), next ?? anything(1), at);
  }
}

function comparePatterns(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const { direction } = run.context;
  for (const [name, node] of before.patternProperties) {
    const other = after.patternProperties.get(name);
    const at = below(pointer, 'patternProperties', name);
    if (other !== undefined) run.later(node, other, at);
    else
      run.report({
        check: 'property-removed',
        direction,
        pointer: at,
        before: name,
        subject: name,
      });
  }
  for (const [name] of after.patternProperties) {
    if (before.patternProperties.has(name)) continue;
    const at = below(pointer, 'patternProperties', name);
    const opens = before.inner.get('additionalProperties')?.leaves.includes(NEVER) === true;
    const check = opens ? 'property-added' : 'narrowed';
    run.report({
      check,
      direction,
      pointer: at,
      after: name,
      subject: `patternProperties ${name}`,
    });
  }
}

function compareNames(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const { direction } = run.context;
  const at = `${pointer}/propertyNames`;
  const [old, next] = [before.inner.get('propertyNames'), after.inner.get('propertyNames')];
  if (old !== undefined && next !== undefined) {
    run.later(old, next, at);
  } else if (old !== undefined || next !== undefined) {
    const check = next === undefined ? 'widened' : 'narrowed';
    run.report({ check, direction, pointer: at, subject: 'propertyNames' });
  }
}

function compareDependent(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const { direction } = run.context;
  for (const [name, names] of after.dependentRequired) {
    const known = before.dependentRequired.get(name);
    if (canonical(known) === canonical(names)) continue;
    const check =
      known === undefined || includesAll(names, known)
        ? 'narrowed'
        : includesAll(known, names)
          ? 'widened'
          : 'changed';
    const pointerOfName = below(pointer, 'dependentRequired', name);
    run.report({
      check,
      direction,
      pointer: pointerOfName,
      before: known,
      after: names,
      subject: 'dependentRequired',
    });
  }
  for (const [name, names] of before.dependentRequired) {
    if (after.dependentRequired.has(name)) continue;
    const pointerOfName = below(pointer, 'dependentRequired', name);
    run.report({
      check: 'widened',
      direction,
      pointer: pointerOfName,
      before: names,
      subject: 'the missing dependentRequired',
    });
  }
}

function includesAll(all: unknown, some: unknown): boolean {
  return Array.isArray(all) && Array.isArray(some) && some.every((one) => all.includes(one));
}
