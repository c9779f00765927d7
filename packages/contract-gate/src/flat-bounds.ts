export const LOWER = [
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'minContains',
];
export const UPPER = [
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
];

/** For integers every bound is inclusive, so that `> 0` and `>= 1` are the same. */
export function boundsOf(
  list: (name: string) => readonly unknown[],
  integer: boolean,
): Map<string, number> {
  const bounds = new Map<string, number>();
  const numbers = (name: string) => list(name).filter((one) => typeof one === 'number');
  for (const name of LOWER) keep(bounds, name, numbers(name), Math.max);
  for (const name of UPPER) keep(bounds, name, numbers(name), Math.min);
  if (!integer) return strictest(bounds);
  const move = (from: string, to: string, step: number, pick: typeof Math.max) => {
    const [exclusive, inclusive] = [bounds.get(from), bounds.get(to)];
    bounds.delete(from);
    const whole = step > 0 ? Math.ceil : Math.floor;
    const next =
      exclusive === undefined ? [] : [(step > 0 ? Math.floor : Math.ceil)(exclusive) + step];
    keep(bounds, to, [...next, ...(inclusive === undefined ? [] : [whole(inclusive)])], pick);
  };
  move('exclusiveMinimum', 'minimum', 1, Math.max);
  move('exclusiveMaximum', 'maximum', -1, Math.min);
  return bounds;
}

/** Of an inclusive and an exclusive bound, the one that decides. */
function strictest(bounds: Map<string, number>): Map<string, number> {
  for (const [inclusive, exclusive, sign] of [
    ['minimum', 'exclusiveMinimum', 1],
    ['maximum', 'exclusiveMaximum', -1],
  ] as const) {
    const [one, other] = [bounds.get(inclusive), bounds.get(exclusive)];
    if (one === undefined || other === undefined) continue;
    bounds.delete(other * sign >= one * sign ? inclusive : exclusive);
  }
  return bounds;
}

function keep(
  bounds: Map<string, number>,
  name: string,
  given: readonly number[],
  pick: (...all: number[]) => number,
): void {
  if (given.length > 0) bounds.set(name, pick(...given));
}
