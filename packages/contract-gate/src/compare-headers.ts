import type { Direction } from './checks.ts';
import { compareMembers, type Pair } from './compare-members.ts';
import { compareValue } from './compare-value.ts';
import type { Contract } from './contract.ts';
import { below, entriesOf, type JsonObject, own } from './json.ts';

const HEADER_MEMBERS = new Set([
  ...['description', 'required', 'deprecated', 'allowEmptyValue', 'style', 'explode', 'schema'],
  ...['allowReserved', 'example', 'examples', 'content'],
]);

/** Compares the headers of an answer. */
export function compareHeaders(
  pair: Pair,
  before: JsonObject,
  after: JsonObject,
  pointer: string,
  direction: Direction,
): void {
  const { report } = pair;
  const [old, next] = [
    headersOf(pair.before, before, pointer),
    headersOf(pair.after, after, pointer),
  ];
  for (const [name, header] of old) {
    const at = below(pointer, name);
    const other = next.get(name);
    if (other === undefined) {
      report({ check: 'header-removed', direction, pointer: at, before: name, subject: name });
      continue;
    }
    compareHeader(pair, name, header, other, at, direction);
  }
  for (const [name, header] of next) {
    if (old.has(name)) continue;
    const check = own(header, 'required') === true ? 'required-header-added' : 'header-added';
    report({ check, direction, pointer: below(pointer, name), after: name, subject: name });
  }
}

/** By name in lower case. OpenAPI says that `Content-Type` is ignored here. */
function headersOf(
  { document }: Contract,
  members: JsonObject,
  at: string,
): ReadonlyMap<string, JsonObject> {
  return new Map(
    entriesOf(own(members, 'headers'))
      .map(
        ([name, given]) => [name.toLowerCase(), document.object(given, below(at, name))] as const,
      )
      .filter(([name]) => name !== 'content-type'),
  );
}

function compareHeader(
  pair: Pair,
  name: string,
  before: JsonObject,
  after: JsonObject,
  pointer: string,
  direction: Direction,
): void {
  const { report } = pair;
  const [was, is] = [before, after].map((header) => own(header, 'required') === true);
  if (was !== is) {
    const check = is ? 'header-became-required' : 'header-became-optional';
    report({
      check,
      direction,
      pointer: `${pointer}/required`,
      before: was,
      after: is,
      subject: name,
    });
  }
  const [old, next] = [before, after].map((header) => own(header, 'explode') === true);
  if (old !== next) {
    const shown = { before: old, after: next, subject: 'explode' };
    report({ check: 'serialization-changed', direction, pointer: `${pointer}/explode`, ...shown });
  }
  compareMembers(before, after, HEADER_MEMBERS, pointer, report);
  compareValue(pair, before, after, pointer, { direction, list: false });
}
