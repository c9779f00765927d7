import { LOWER, UPPER } from './flat-bounds.ts';
import type { FlatSchema } from './flat-schema.ts';

/**
 * Of listed values those that the bounds allow, without the bounds, which say nothing more. Empty
 * where nothing is valid.
 */
export function settleValues(flat: FlatSchema): readonly FlatSchema[] {
  const { values, type } = flat;
  if (isContradictory(flat)) return [];
  if (values === undefined || (type !== 'number' && type !== 'string')) return [flat];
  const kept = new Map([...values].filter(([, value]) => isWithin(flat, value)));
  if (kept.size === 0) return [];
  const integer = [...kept.values()].every(Number.isInteger);
  return [{ ...flat, values: kept, bounds: new Map(), multiples: [], integer }];
}

/** Whether one number divides another, as decimals. */
export function divides(one: number, other: number): boolean {
  const ratio = other / one;
  return Math.abs(ratio - Math.round(ratio)) < 1e-9;
}

/** What a bound is about: a number itself, the length of a text, the count of a list. */
export function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return [...value].length;
  return Array.isArray(value) ? value.length : undefined;
}

function isWithin({ bounds, multiples }: FlatSchema, value: unknown): boolean {
  const size = sizeOf(value) ?? 0;
  const inBounds = [...bounds].every(([name, bound]) => {
    if (name === 'exclusiveMinimum') return size > bound;
    if (name === 'exclusiveMaximum') return size < bound;
    return LOWER.includes(name) ? size >= bound : size <= bound;
  });
  return inBounds && (typeof value !== 'number' || multiples.every((one) => divides(one, value)));
}

function isContradictory({ bounds }: FlatSchema): boolean {
  return LOWER.some((name, at) => {
    const [lower, upper] = [bounds.get(name), bounds.get(UPPER[at] ?? '')];
    return lower !== undefined && upper !== undefined && lower > upper;
  });
}
