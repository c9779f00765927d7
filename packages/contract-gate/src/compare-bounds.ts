import type { Run } from './comparison.ts';
import { LOWER, UPPER } from './flat-bounds.ts';
import type { FlatSchema } from './flat-schema.ts';
import { sizeOf } from './settle-values.ts';

/** Bounds of numbers, lengths and counts. */
export function compareBounds(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
): void {
  for (const name of LOWER) compareBound(run, before, after, pointer, name, 1);
  for (const name of UPPER) compareBound(run, before, after, pointer, name, -1);
}

/** Whether the side whose values must all be allowed lists values that `holds` is true of. */
export function isProven(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  holds: (value: unknown) => boolean,
): boolean {
  const { values } = run.context.direction === 'request' ? before : after;
  return values !== undefined && values.size > 0 && [...values.values()].every(holds);
}

/** Where an inclusive and an exclusive bound stand for one another. */
const TWIN: Readonly<Record<string, string>> = {
  minimum: 'exclusiveMinimum',
  maximum: 'exclusiveMaximum',
};
const TWINS = new Set(Object.values(TWIN));

/** @param sign 1 for a lower bound, where more is stricter; -1 for an upper one. */
function compareBound(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
  name: string,
  sign: 1 | -1,
): void {
  if (TWINS.has(name)) return;
  const [old, next] = [boundOf(before, name), boundOf(after, name)];
  const order = strictness(next, sign) - strictness(old, sign) || next.exclusive - old.exclusive;
  if (order === 0 || Number.isNaN(order)) return;
  const strict = order > 0 ? next : old;
  if (order > 0 === (run.context.direction === 'request')) {
    const holds = (value: unknown) => {
      const size = sizeOf(value);
      if (size === undefined || strict.value === undefined) return false;
      const room = (size - strict.value) * sign;
      return strict.exclusive === 1 ? room > 0 : room >= 0;
    };
    if (isProven(run, before, after, holds)) return;
  }
  const keyword = strict.keyword;
  run.report({
    check: order > 0 ? 'narrowed' : 'widened',
    direction: run.context.direction,
    pointer: `${pointer}/${keyword}`,
    before: old.value,
    after: next.value,
    subject: order > 0 ? `${keyword} ${next.value}` : `the looser bound ${keyword}`,
  });
}

interface Bound {
  readonly keyword: string;
  readonly value: number | undefined;
  readonly exclusive: 0 | 1;
}

function boundOf({ bounds }: FlatSchema, name: string): Bound {
  const twin = TWIN[name] ?? '';
  if (bounds.has(twin)) return { keyword: twin, value: bounds.get(twin), exclusive: 1 };
  return { keyword: name, value: bounds.get(name), exclusive: 0 };
}

function strictness({ value }: Bound, sign: 1 | -1): number {
  return value === undefined ? Number.NEGATIVE_INFINITY : value * sign;
}
