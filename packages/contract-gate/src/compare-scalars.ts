import { compareBounds, isProven } from './compare-bounds.ts';
import type { Run } from './comparison.ts';
import type { FlatSchema } from './flat-schema.ts';
import { divides } from './settle-values.ts';

/** Lists of values, bounds, and keywords such as `pattern` and `format`. */
export function compareScalars(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
): void {
  compareInteger(run, before, after, pointer);
  compareValues(run, before, after, pointer);
  compareExtensible(run, before, after, pointer);
  compareBounds(run, before, after, pointer);
  compareMultiples(run, before, after, pointer);
  for (const name of new Set([...before.marks.keys(), ...after.marks.keys()])) {
    compareMarks(run, before, after, pointer, name);
  }
}

function compareInteger(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  if (before.integer === after.integer) return;
  if (isProven(run, before, after, Number.isInteger)) return;
  run.report({
    check: after.integer ? 'narrowed' : 'widened',
    direction: run.context.direction,
    pointer: `${pointer}/type`,
    before: before.integer ? 'integer' : 'number',
    after: after.integer ? 'integer' : 'number',
    subject: after.integer ? 'the missing fractions' : 'fractions',
  });
}

function compareValues(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const [old, next] = [before.values, after.values];
  const { direction } = run.context;
  const shown = { direction, pointer: `${pointer}/enum` };
  if (old === undefined && next === undefined) return;
  const all = { before: old && [...old.values()], after: next && [...next.values()] };
  if (old === undefined || next === undefined) {
    const subject = next === undefined ? 'the end of the list of values' : 'the list of values';
    run.report({ check: next === undefined ? 'widened' : 'narrowed', ...shown, ...all, subject });
    return;
  }
  const missing = [...old].filter(([key]) => !next.has(key)).map(([, value]) => value);
  const added = [...next].filter(([key]) => !old.has(key)).map(([, value]) => value);
  if (missing.length > 0) {
    run.report({ check: 'narrowed', ...shown, ...all, subject: `the loss of ${words(missing)}` });
  }
  // Readers of an extensible list were told that values may be added.
  if (added.length > 0 && !(before.extensible !== undefined && direction === 'response')) {
    run.report({ check: 'widened', ...shown, ...all, subject: `the new ${words(added)}` });
  }
}

/** A list that may grow is one for readers; for senders each value that is gone is refused. */
function compareExtensible(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const [old, next] = [before.extensible ?? [], after.extensible ?? []].map((all) =>
    all.map((value) => JSON.stringify(value)),
  );
  if (next === undefined || next.length === 0) return;
  const missing = old?.filter((value) => !next.includes(value)) ?? [];
  if (missing.length === 0) return;
  run.report({
    check: 'narrowed',
    direction: run.context.direction,
    pointer: `${pointer}/x-extensible-enum`,
    before: before.extensible,
    after: after.extensible,
    subject: `the loss of ${missing.join(', ')}`,
  });
}

function words(values: readonly unknown[]): string {
  const noun = values.length === 1 ? 'value' : 'values';
  const texts = values.slice(0, 5).map((value) => JSON.stringify(value));
  return `${noun} ${texts.join(', ')}${values.length > 5 ? ', …' : ''}`;
}

function compareMultiples(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const [old, next] = [multiplesOf(before), multiplesOf(after)];
  const narrower = next.some((one) => !old.some((other) => divides(one, other)));
  const wider = old.some((one) => !next.some((other) => divides(one, other)));
  if (!narrower && !wider) return;
  const proven = isProven(run, before, after, (value) =>
    (run.context.direction === 'request' ? next : old).every((one) => divides(one, Number(value))),
  );
  if (proven) return;
  run.report({
    check: narrower ? (wider ? 'changed' : 'narrowed') : 'widened',
    direction: run.context.direction,
    pointer: `${pointer}/multipleOf`,
    before: before.multiples[0],
    after: after.multiples[0],
    subject: 'multipleOf',
  });
}

function multiplesOf({ integer, multiples }: FlatSchema): readonly number[] {
  return integer ? [...multiples.filter((one) => !divides(one, 1)), 1] : multiples;
}

function compareMarks(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
  name: string,
): void {
  const none: ReadonlySet<string> = new Set();
  const [old, next] = [before.marks.get(name) ?? none, after.marks.get(name) ?? none];
  const missing = [...old].filter((one) => !next.has(one));
  const added = [...next].filter((one) => !old.has(one));
  if (missing.length === 0 && added.length === 0) return;
  const check = added.length === 0 ? 'widened' : missing.length === 0 ? 'narrowed' : 'changed';
  if (check === 'changed' && widensWidth(name, missing, added, run)) return;
  const firstOf = (set: ReadonlySet<string>) => [...set].map((text) => JSON.parse(text))[0];
  run.report({
    check,
    direction: run.context.direction,
    pointer: `${pointer}/${name}`,
    before: firstOf(old),
    after: firstOf(next),
    subject: check === 'widened' ? `the missing ${name}` : name,
  });
}

/** Numbers of 32 bits are numbers of 64 bits. */
function widensWidth(name: string, missing: string[], added: string[], run: Run): boolean {
  const change = `${missing} ${added}`;
  const wider =
    run.context.direction === 'request'
      ? ['"int32" "int64"', '"float" "double"']
      : ['"int64" "int32"', '"double" "float"'];
  return name === 'format' && wider.includes(change);
}
