import type { Direction } from './checks.ts';
import { compareMembers, type Pair } from './compare-members.ts';
import { compareValue } from './compare-value.ts';
import type { Contract } from './contract.ts';
import { below, type JsonObject, listOf, own } from './json.ts';
import type { Operation } from './operations.ts';
import { compareSerialization, type Parameter, styleOf } from './parameter-style.ts';
import { keywordOf } from './schema-nodes.ts';

const MEMBERS = new Set([
  ...['name', 'in', 'description', 'required', 'deprecated', 'allowEmptyValue', 'style', 'explode'],
  ...['allowReserved', 'schema', 'example', 'examples', 'content'],
]);
/** OpenAPI says that such header parameters are ignored. */
const IGNORED = new Set(['header accept', 'header content-type', 'header authorization']);
/** Parameters are the same by place and name; those of the path by their position. */
export function compareParameters(
  pair: Pair,
  before: Operation,
  after: Operation,
  direction: Direction,
): void {
  const [old, next] = [parametersOf(pair.before, before), parametersOf(pair.after, after)];
  for (const [key, parameter] of old) {
    const other = next.get(key);
    const { name, pointer } = parameter;
    if (other !== undefined) compareParameter(pair, parameter, other, direction);
    else
      pair.report({ check: 'parameter-removed', direction, pointer, before: name, subject: name });
  }
  for (const [key, { name, pointer, required, members }] of next) {
    if (old.has(key)) continue;
    const needed = required && defaultOf(pair.after, members, pointer) === undefined;
    const check = needed ? 'required-parameter-added' : 'parameter-added';
    pair.report({ check, direction, pointer, after: name, subject: name });
  }
}

function parametersOf(contract: Contract, operation: Operation): ReadonlyMap<string, Parameter> {
  const { document } = contract;
  const found = new Map<string, Parameter>();
  for (const place of [operation.pathItem, operation.members]) {
    for (const [index, given] of listOf(own(place, 'parameters')).entries()) {
      const at = below(operation.pointer, 'parameters', index);
      const members = document.object(given, `${operation.name} ${at}`);
      const [name, where] = [`${own(members, 'name')}`, `${own(members, 'in')}`];
      const position = where === 'path' ? operation.variables.indexOf(name) : -1;
      const known = where === 'header' ? name.toLowerCase() : name;
      const key = `${where} ${position < 0 ? known : `at ${position}`}`;
      if (IGNORED.has(key)) continue;
      const pointer = below(operation.pointer, 'parameters', where, name);
      const required = own(members, 'required') === true || where === 'path';
      found.set(key, { name, pointer, members, required });
    }
  }
  return found;
}

function compareParameter(pair: Pair, old: Parameter, next: Parameter, direction: Direction): void {
  const { report, after } = pair;
  const { name, pointer } = old;
  if (!old.required && next.required && defaultOf(after, next.members, pointer) === undefined) {
    const check = 'parameter-became-required';
    report({
      check,
      direction,
      pointer: `${pointer}/required`,
      before: false,
      after: true,
      subject: name,
    });
  }
  if (old.required && !next.required) {
    const check = 'parameter-became-optional';
    report({
      check,
      direction,
      pointer: `${pointer}/required`,
      before: true,
      after: false,
      subject: name,
    });
  }
  compareSerialization(pair, old, next, direction);
  compareMembers(old.members, next.members, MEMBERS, pointer, report);
  const { style, explode } = styleOf(old);
  const list = explode && style === 'form';
  compareValue(pair, old.members, next.members, pointer, { direction, list });
}

function defaultOf({ schemas }: Contract, members: JsonObject, pointer: string): unknown {
  return keywordOf(schemas.node([own(members, 'schema')], pointer), 'default');
}
