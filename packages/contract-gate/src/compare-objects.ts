import { compareFurtherProperties } from './compare-further-properties.ts';
import type { Run } from './comparison.ts';
import type { FlatSchema } from './flat-schema.ts';
import { below } from './json.ts';
import { NEVER } from './schema-leaf.ts';
import { keywordOf, type SchemaNode } from './schema-nodes.ts';

/** Properties, what is required, and what may come beside them. */
export function compareObjects(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
): void {
  const [old, next] = [visible(run, before), visible(run, after)];
  for (const [name, node] of old) {
    const other = next.get(name);
    const at = below(pointer, 'properties', name);
    if (other !== undefined) {
      run.later(node, other, at);
    } else {
      run.report({
        check: 'property-removed',
        direction: run.context.direction,
        pointer: at,
        before: typeOf(run, 0, node),
        subject: name,
      });
    }
  }
  for (const [name, node] of next) {
    if (!old.has(name)) compareAdded(run, before, after, pointer, name, node);
  }
  compareRequired(run, before, after, pointer, old, next);
  compareFurtherProperties(run, before, after, pointer);
  compareDiscriminator(run, before, after, pointer);
}

/** Properties that travel in this direction. */
function visible(run: Run, flat: FlatSchema): ReadonlyMap<string, SchemaNode> {
  const hidden = run.context.direction === 'request' ? 'readOnly' : 'writeOnly';
  return new Map(
    [...flat.properties].filter(
      ([, node]) => keywordOf(node, hidden) !== true && !node.leaves.includes(NEVER),
    ),
  );
}

function compareAdded(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
  name: string,
  node: SchemaNode,
): void {
  const { direction, conditional } = run.context;
  const needed = after.required.has(name) && keywordOf(node, 'default') === undefined;
  const known = before.required.has(name) && !before.properties.has(name);
  const required = conditional ? 'property-required-in-cases' : 'required-property-added';
  const at = below(pointer, 'properties', name);
  run.report({
    check: needed && !known ? required : 'property-added',
    direction,
    pointer: at,
    after: typeOf(run, 1, node),
    subject: name,
  });
  const promised = before.inner.get('additionalProperties');
  // A name that a typed map allowed before had that type.
  if (promised !== undefined && !promised.leaves.includes(NEVER)) run.later(promised, node, at);
}

function compareRequired(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
  old: ReadonlyMap<string, SchemaNode>,
  next: ReadonlyMap<string, SchemaNode>,
): void {
  const { direction, conditional } = run.context;
  // A property that does not travel, or that is gone or new, was looked at before.
  const travels = (name: string) =>
    old.has(name) === next.has(name) && (old.has(name) || isUndeclared(name, before, after));
  const isNowDeclared = (name: string) => !before.properties.has(name) && next.has(name);
  for (const name of after.required) {
    const fallback = next.get(name) && keywordOf(next.get(name) as SchemaNode, 'default');
    if (before.required.has(name) || !travels(name) || fallback !== undefined) continue;
    const check = conditional ? 'property-required-in-cases' : 'property-became-required';
    run.report({ check, direction, ...requiredAt(pointer, name), before: false, after: true });
  }
  for (const name of before.required) {
    if (after.required.has(name) || !(travels(name) || isNowDeclared(name))) continue;
    const check = 'property-became-optional';
    run.report({ check, direction, ...requiredAt(pointer, name), before: true, after: false });
  }
}

function requiredAt(pointer: string, name: string): { pointer: string; subject: string } {
  return { pointer: below(pointer, 'required', name), subject: name };
}

function isUndeclared(name: string, before: FlatSchema, after: FlatSchema): boolean {
  return !before.properties.has(name) && !after.properties.has(name);
}

function compareDiscriminator(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
): void {
  const [old, next] = [before.discriminator, after.discriminator];
  if (old === next || old === undefined || next === undefined) return;
  run.report({
    check: 'discriminator-changed',
    direction: run.context.direction,
    pointer: `${pointer}/discriminator/propertyName`,
    before: old,
    after: next,
  });
}

/** What a removed or new property is, in a word. */
function typeOf(run: Run, side: 0 | 1, node: SchemaNode): string {
  const flats = run.sides[side].flats(node) ?? [];
  const names = new Set(flats.map(({ type, integer }) => (integer ? 'integer' : type)));
  return names.size > 5 ? 'any' : [...names].join(', ');
}
