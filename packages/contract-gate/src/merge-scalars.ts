import type { FlatSchema } from './flat-schema.ts';

/**
 * Alternatives of one scalar type that only list values are one list, so that `oneOf` of constants
 * and `enum` are the same. Beside an alternative that allows every value of the type, lists say
 * nothing.
 */
export function mergeScalars(flats: readonly FlatSchema[]): readonly FlatSchema[] {
  if (flats.length < 2) return flats;
  const merged: FlatSchema[] = [];
  for (const type of new Set(flats.map((flat) => flat.type))) {
    merged.push(...mergeOfType(flats.filter((flat) => flat.type === type)));
  }
  return merged;
}

function mergeOfType(flats: readonly FlatSchema[]): readonly FlatSchema[] {
  const [first] = flats;
  if (
    first === undefined ||
    flats.length === 1 ||
    first.type === 'object' ||
    first.type === 'array'
  ) {
    return flats;
  }
  const open = flats.find(
    (flat) => saysNothing(flat) && flat.values === undefined && !flat.integer,
  );
  if (open !== undefined) return [open];
  const [list, ...lists] = flats.filter((flat) => saysNothing(flat) && flat.values !== undefined);
  if (list === undefined) return flats;
  const values = new Map([list, ...lists].flatMap((flat) => [...(flat.values ?? [])]));
  const rest = flats.filter((flat) => flat !== list && !lists.includes(flat));
  return [{ ...list, values, integer: [list, ...lists].every(({ integer }) => integer) }, ...rest];
}

/** Nothing beside a list of values. */
export function saysNothing(flat: FlatSchema): boolean {
  const { bounds, multiples, marks, negated, conditions, unknown } = flat;
  const sizes = [bounds.size, multiples.length, marks.size, negated.length, conditions.length];
  return [...sizes, unknown.size].every((size) => size === 0);
}
