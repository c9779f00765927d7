import type { Run } from './comparison.ts';
import type { FlatSchema } from './flat-schema.ts';
import { saysNothing } from './merge-scalars.ts';
import type { SchemaNode } from './schema-nodes.ts';

type Flats = readonly FlatSchema[];

/** Compares which types are allowed. @returns the types that both sides allow. */
export function compareTypes(
  run: Run,
  nodes: readonly [SchemaNode, SchemaNode],
  before: Flats,
  after: Flats,
  pointer: string,
): readonly string[] {
  const { direction } = run.context;
  const [old, next] = [namesOf(before), namesOf(after)];
  const common = [...old].filter((type) => next.has(type));
  const lost = [...old].filter(
    (type) => !next.has(type) && !isCarried(run, type, nodes[0], before, after),
  );
  const gained = [...next].filter(
    (type) => !old.has(type) && !isCarried(run, type, nodes[1], after, before),
  );
  const moved = old.size !== common.length || next.size !== common.length;
  if (!moved) return common;
  const shown = { before: listed(before), after: listed(after), pointer: `${pointer}/type` };
  if (lost.length > 0 && gained.length > 0) {
    run.report({ check: 'changed', direction, ...shown, subject: 'another type' });
  } else if (lost.length > 0) {
    const subject =
      lost.join() === 'null' ? 'the missing null' : `the missing type ${lost.join(', ')}`;
    run.report({ check: 'narrowed', direction, ...shown, subject });
  } else {
    const subject = gained.join() === 'null' ? 'null' : `another type (${[...next].join(', ')})`;
    run.report({ check: 'widened', direction, ...shown, subject });
  }
  return common;
}

/**
 * Whether values of a type that one side lost are still allowed, as text: a number where any text is,
 * or one value where a list is.
 */
function isCarried(run: Run, type: string, node: SchemaNode, from: Flats, to: Flats): boolean {
  const scalar = ['string', 'number', 'boolean'].includes(type);
  if (!run.context.textual || !scalar) return false;
  const text = to.some(
    (flat) => flat.type === 'string' && flat.values === undefined && saysNothing(flat),
  );
  if (text) return true;
  if (!run.context.list || run.context.direction === 'response') return false;
  return to.some(
    (flat) =>
      flat.type === 'array' &&
      (flat.bounds.get('minItems') ?? 0) <= 1 &&
      itemsAllow(
        run,
        flat,
        node,
        from.every((one) => one.type !== 'array'),
      ),
  );
}

function itemsAllow(run: Run, array: FlatSchema, scalars: SchemaNode, alone: boolean): boolean {
  const items = array.inner.get('items');
  if (items === undefined) return true;
  if (!alone || array.prefix.length > 0) return false;
  const allowed = run.sides[1].flats(items) ?? [];
  return (run.sides[0].flats(scalars) ?? []).every((scalar) =>
    allowed.some((item) => {
      const sameType = item.type === scalar.type;
      return sameType && run.trial(scalar, item, '')?.outcome !== 'incompatible';
    }),
  );
}

function namesOf(flats: Flats): Set<string> {
  return new Set(flats.map(({ type }) => type));
}

function listed(flats: Flats): string {
  const names = flats.map(({ type, integer }) => (integer ? 'integer' : type));
  return [...new Set(names)].join(', ') || 'no value';
}
