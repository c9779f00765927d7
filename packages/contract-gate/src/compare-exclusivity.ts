import type { Run } from './comparison.ts';
import type { FlatSchema } from './flat-schema.ts';
import { listOf } from './json.ts';
import type { SchemaNode } from './schema-nodes.ts';

type Flats = readonly FlatSchema[];

/**
 * `oneOf` refuses what is valid against two of its alternatives, which `anyOf` accepts. Where no value
 * can be valid against two, they are the same.
 */
export function compareExclusivity(
  run: Run,
  [before, after]: readonly [SchemaNode, SchemaNode],
  flats: readonly [Flats, Flats],
  pointer: string,
): void {
  const kinds = [choicesOf(before), choicesOf(after)];
  const narrows = kinds[0] === 'anyOf' && kinds[1] === 'oneOf';
  const widens = kinds[0] === 'oneOf' && kinds[1] === 'anyOf';
  if (!(narrows || widens) || !overlap(flats[narrows ? 1 : 0])) return;
  run.report({
    check: narrows ? 'narrowed' : 'widened',
    direction: run.context.direction,
    pointer: `${pointer}/${kinds[1]}`,
    before: kinds[0],
    after: kinds[1],
    subject: `${kinds[1]} in place of ${kinds[0]}`,
  });
}

/** The one kind of choice that a schema has at its top. */
function choicesOf({ leaves }: SchemaNode): string {
  const has = (kind: string) =>
    leaves.some(({ keywords }) => listOf(keywords.get(kind)).length > 1);
  return ['oneOf', 'anyOf'].filter(has).join();
}

function overlap(flats: Flats): boolean {
  return flats.some((one, at) => flats.slice(at + 1).some((other) => !areApart(one, other)));
}

/** Whether no value is valid against both: other types, other values, or another value of a field. */
function areApart(one: FlatSchema, other: FlatSchema): boolean {
  if (one.type !== other.type) return true;
  if (one.discriminator !== undefined && other.discriminator !== undefined) return true;
  if (haveOtherValues(one.values, other.values)) return true;
  return [...one.constants].some(
    ([name, values]) =>
      other.required.has(name) && haveOtherValues(values, other.constants.get(name)),
  );
}

type Values = ReadonlyMap<string, unknown>;

function haveOtherValues(one: Values | undefined, other: Values | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return ![...one.keys()].some((key) => other.has(key));
}
