import { compareArrays } from './compare-arrays.ts';
import { compareConditions } from './compare-conditions.ts';
import { compareObjects } from './compare-objects.ts';
import { compareScalars } from './compare-scalars.ts';
import type { Run } from './comparison.ts';
import type { FlatSchema } from './flat-schema.ts';
import { canonical } from './json.ts';

/** Compares two schemas of one type that have no alternatives. */
export function compareFlat(
  run: Run,
  before: FlatSchema,
  after: FlatSchema,
  pointer: string,
): void {
  compareScalars(run, before, after, pointer);
  compareObjects(run, before, after, pointer);
  compareArrays(run, before, after, pointer);
  compareConditions(run, before, after, pointer);
  compareUnknown(run, before, after, pointer);
}

/** A keyword that nobody classified is incompatible: it may say anything. */
function compareUnknown(run: Run, before: FlatSchema, after: FlatSchema, pointer: string): void {
  const { direction, xml } = run.context;
  for (const name of new Set([...before.unknown.keys(), ...after.unknown.keys()])) {
    const [old, next] = [before.unknown.get(name), after.unknown.get(name)];
    if (canonical(old) === canonical(next) || (name === 'xml' && !xml)) continue;
    const check = name === 'xml' ? 'changed' : 'unknown-keyword';
    run.report({
      check,
      direction,
      pointer: `${pointer}/${name}`,
      before: old,
      after: next,
      subject: name,
    });
  }
}
