import type { Direction } from './checks.ts';
import type { Pair } from './compare-members.ts';
import { type JsonObject, own } from './json.ts';

/** A parameter with its references followed. */
export interface Parameter {
  readonly name: string;
  readonly pointer: string;
  readonly members: JsonObject;
  readonly required: boolean;
}

const DEFAULT_STYLE = new Map([
  ['query', 'form'],
  ['cookie', 'form'],
]);

interface Style {
  readonly style: string;
  readonly explode: boolean;
}

/** With the defaults that OpenAPI gives by place. */
export function styleOf({ members }: Parameter): Style {
  const style = `${own(members, 'style') ?? DEFAULT_STYLE.get(`${own(members, 'in')}`) ?? 'simple'}`;
  const explode = own(members, 'explode');
  return { style, explode: typeof explode === 'boolean' ? explode : style === 'form' };
}

/** How values are written, and whether they may be empty. */
export function compareSerialization(
  pair: Pair,
  old: Parameter,
  next: Parameter,
  direction: Direction,
): void {
  const { report } = pair;
  const { pointer } = old;
  const [before, after] = [styleOf(old), styleOf(next)];
  const flag = (parameter: Parameter, name: string) => own(parameter.members, name) === true;
  if (before.style !== after.style) {
    const shown = { before: before.style, after: after.style, subject: 'style' };
    report({ check: 'serialization-changed', direction, pointer: `${pointer}/style`, ...shown });
  } else if (before.explode !== after.explode) {
    const shown = { before: before.explode, after: after.explode, subject: 'explode' };
    report({ check: 'serialization-changed', direction, pointer: `${pointer}/explode`, ...shown });
  }
  if (flag(old, 'allowReserved') && !flag(next, 'allowReserved')) {
    const shown = { before: true, after: false, subject: 'allowReserved' };
    report({
      check: 'serialization-changed',
      direction,
      pointer: `${pointer}/allowReserved`,
      ...shown,
    });
  }
  const empty = [flag(old, 'allowEmptyValue'), flag(next, 'allowEmptyValue')];
  if (empty[0] !== empty[1]) {
    const check = empty[0] ? 'empty-value-refused' : 'empty-value-allowed';
    const shown = { before: empty[0], after: empty[1] };
    report({ check, direction, pointer: `${pointer}/allowEmptyValue`, ...shown });
  }
}
