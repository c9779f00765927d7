import { canonical, isObject, type JsonObject, listOf, own } from './json.ts';

/** The keywords of one schema object, without those of its references and of `allOf`. */
export interface Leaf {
  readonly id: number;
  /** In the words of JSON Schema 2020-12, whatever the document's dialect is. */
  readonly keywords: ReadonlyMap<string, unknown>;
}

/** They describe; they do not change what is accepted or promised. */
const ANNOTATIONS = new Set([
  ...['title', 'description', 'example', 'examples', 'externalDocs', 'deprecated', '$comment'],
  ...['$schema', '$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$defs', 'definitions'],
  ...['$vocabulary'],
]);

/** Followed by schema-nodes.ts. */
const FOLLOWED = new Set(['$ref', '$dynamicRef', '$recursiveRef', 'allOf']);

const TRIVIAL_PATTERNS = new Set(['', '^', '$', '.*', '^.*', '.*$', '^.*$', '(.*)', '^(.*)$']);

/** Nothing is valid against it. */
export const NEVER: Leaf = { id: 0, keywords: new Map([['never', true]]) };

/** The keywords of one schema object, in one dialect. */
export function keywordsOf(raw: JsonObject, is30: boolean): ReadonlyMap<string, unknown> {
  const keywords = new Map<string, unknown>();
  for (const [key, value] of Object.entries(raw)) {
    const extension = key.startsWith('x-') && key !== 'x-extensible-enum';
    if (!ANNOTATIONS.has(key) && !FOLLOWED.has(key) && !extension) keywords.set(key, value);
  }
  readNullable(keywords, is30);
  if (keywords.has('const')) keywords.set('enum', [keywords.get('const')]);
  keywords.delete('const');
  readExclusive(keywords, 'minimum', 'exclusiveMinimum');
  readExclusive(keywords, 'maximum', 'exclusiveMaximum');
  readFormat(keywords);
  readTuple(keywords);
  readDependencies(keywords);
  dropTrivial(keywords);
  return keywords;
}

/** Whether `nullable` speaks of more than this object's own `type`. */
export function isNullableWhole(raw: JsonObject): boolean {
  return own(raw, 'nullable') === true && own(raw, 'type') === undefined;
}

function readNullable(keywords: Map<string, unknown>, is30: boolean): void {
  const type = keywords.get('type');
  const types = typeof type === 'string' ? [type] : listOf(type);
  if (keywords.get('nullable') === true && types.length > 0) {
    keywords.set('type', [...types, 'null']);
    const values = keywords.get('enum');
    // Documents of 3.0 leave null out of `enum` and mean that it is allowed.
    if (Array.isArray(values)) keywords.set('enum', [...values, null]);
  } else if (types.length > 0) {
    keywords.set('type', types);
  }
  // In 3.0 one nullable member of `allOf` is meant for all.
  if (!is30 || keywords.get('nullable') !== true) keywords.delete('nullable');
}

/** In 3.0 `exclusiveMinimum: true` says how `minimum` is meant. */
function readExclusive(keywords: Map<string, unknown>, bound: string, exclusive: string): void {
  const value = keywords.get(exclusive);
  if (typeof value !== 'boolean') return;
  keywords.delete(exclusive);
  if (!value || !keywords.has(bound)) return;
  keywords.set(exclusive, keywords.get(bound));
  keywords.delete(bound);
}

/** 3.0 says with formats what 3.1 says with keywords of content. */
function readFormat(keywords: Map<string, unknown>): void {
  const format = keywords.get('format');
  if (format === 'byte') setIfAbsent(keywords, 'contentEncoding', 'base64');
  if (format === 'binary') setIfAbsent(keywords, 'contentMediaType', 'application/octet-stream');
  // `password` tells a form to hide what is typed.
  if (format === 'byte' || format === 'binary' || format === 'password') keywords.delete('format');
}

/** Before 2020-12 a list of `items` was what `prefixItems` is. */
function readTuple(keywords: Map<string, unknown>): void {
  if (!Array.isArray(keywords.get('items'))) return;
  setIfAbsent(keywords, 'prefixItems', keywords.get('items'));
  keywords.delete('items');
  if (keywords.has('additionalItems')) keywords.set('items', keywords.get('additionalItems'));
  keywords.delete('additionalItems');
}

function readDependencies(keywords: Map<string, unknown>): void {
  const dependencies = keywords.get('dependencies');
  if (!isObject(dependencies)) return;
  const entries = Object.entries(dependencies);
  const names = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  if (names.length > 0) setIfAbsent(keywords, 'dependentRequired', Object.fromEntries(names));
  if (schemas.length > 0) setIfAbsent(keywords, 'dependentSchemas', Object.fromEntries(schemas));
  keywords.delete('dependencies');
}

/** What says nothing is left out, so that writing it down is no difference. */
function dropTrivial(keywords: Map<string, unknown>): void {
  for (const name of ['minLength', 'minItems', 'minProperties']) {
    if (keywords.get(name) === 0) keywords.delete(name);
  }
  for (const name of ['uniqueItems', 'readOnly', 'writeOnly', 'x-extensible-enum']) {
    if (keywords.get(name) === false) keywords.delete(name);
  }
  const nothing = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'items'];
  for (const name of [...nothing, 'propertyNames']) {
    if (['true', '{}'].includes(canonical(keywords.get(name)))) keywords.delete(name);
  }
  if (TRIVIAL_PATTERNS.has(`${keywords.get('pattern')}`)) keywords.delete('pattern');
  // A default of null says the same as leaving the value out.
  if (keywords.get('default') === null) keywords.delete('default');
  for (const name of ['required', 'oneOf', 'anyOf', 'prefixItems']) {
    if (listOf(keywords.get(name)).length === 0) keywords.delete(name);
  }
}

function setIfAbsent(keywords: Map<string, unknown>, name: string, value: unknown): void {
  if (!keywords.has(name)) keywords.set(name, value);
}
