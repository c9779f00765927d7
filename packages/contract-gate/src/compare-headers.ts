import type { Direction } from './checks.ts';
import { compareContent } from './compare-bodies.ts';
import { compareMembers, type Pair } from './compare-members.ts';
import type { Contract } from './contract.ts';
import { below, entriesOf, isObject, type JsonObject, own } from './json.ts';

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
  const contents = [own(before, 'content'), own(after, 'content')] as const;
  if (isObject(contents[0]) && isObject(contents[1])) {
    compareContent(pair, [contents[0], contents[1]], `${pointer}/content`, direction);
  } else if (contents[0] !== undefined || contents[1] !== undefined) {
    report({
      check: 'serialization-changed',
      direction,
      pointer: `${pointer}/content`,
      subject: 'content',
    });
  } else {
    const context = { direction, textual: true, list: false, xml: false, conditional: false };
    const schemas = [own(before, 'schema'), own(after, 'schema')] as const;
    pair.compare([schemas[0]], [schemas[1]], `${pointer}/schema`, context, report);
  }
}
