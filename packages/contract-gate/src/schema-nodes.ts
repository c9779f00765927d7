import type { ContractDocument } from './document.ts';
import { isObject, type JsonObject, listOf, own } from './json.ts';
import { isNullableWhole, keywordsOf, type Leaf, NEVER } from './schema-leaf.ts';

/**
 * A schema: all the schema objects that a value must be valid against at once, after references and
 * `allOf` were followed. Two schemas with the same objects are the same node, so that circles of
 * references end.
 */
export interface SchemaNode {
  readonly id: number;
  readonly leaves: readonly Leaf[];
  /** How many members that say something the longest `allOf` has. */
  readonly members: number;
}

export interface Schemas {
  /** The schema that all of these are together. Undefined counts as the empty schema. */
  node(raws: readonly unknown[], at: string): SchemaNode;
  /** The same node with more schema objects. */
  extend(node: SchemaNode, raw: unknown, at: string): SchemaNode;
  /** The component that a schema refers to, by its whole reference. */
  readonly nameOf: (raw: unknown) => string | undefined;
}

/** A member of `allOf` with these alone asks for nothing. */
const SILENT = new Set(['type', 'nullable', 'default', 'readOnly', 'writeOnly', 'discriminator']);

/** The schemas of one document. */
export function schemasOf(document: ContractDocument): Schemas {
  const leaves = new WeakMap<JsonObject, Leaf>();
  const nullables = new WeakMap<JsonObject, JsonObject>();
  const nodes = new Map<string, SchemaNode>();
  let ids = 0;

  const leafOf = (raw: JsonObject): Leaf => {
    const known = leaves.get(raw);
    if (known !== undefined) return known;
    ids += 1;
    const leaf = { id: ids, keywords: keywordsOf(raw, !document.siblingsOfRef) };
    leaves.set(raw, leaf);
    return leaf;
  };

  /** `nullable` beside a composition or a reference: the rest, or null. */
  const orNull = (raw: JsonObject): JsonObject => {
    const known = nullables.get(raw);
    if (known !== undefined) return known;
    const { nullable: _, default: fallback, readOnly, writeOnly, ...rest } = raw;
    const flags = {
      default: fallback ?? null,
      readOnly: readOnly ?? false,
      writeOnly: writeOnly ?? false,
    };
    const made = { ...flags, anyOf: [rest, { type: 'null' }] };
    nullables.set(raw, made);
    return made;
  };

  const expand = (
    raws: readonly unknown[],
    at: string,
    onAllOf: (members: readonly unknown[]) => void = () => undefined,
  ): Map<number, Leaf> => {
    const found = new Map<number, Leaf>();
    const seen = new Set<unknown>();
    const waiting = [...raws].reverse();
    while (waiting.length > 0) {
      const given = waiting.pop();
      if (given === undefined || given === true || seen.has(given)) continue;
      seen.add(given);
      if (given === false) {
        found.set(NEVER.id, NEVER);
        continue;
      }
      if (!isObject(given)) throw document.invalid(`${at}: expected a schema`);
      const ref = own(given, '$ref') ?? own(given, '$dynamicRef') ?? own(given, '$recursiveRef');
      const refAlone = typeof ref === 'string' && !document.siblingsOfRef;
      const raw = !refAlone && isNullableWhole(given) ? orNull(given) : given;
      if (!refAlone) {
        const leaf = leafOf(raw);
        if (leaf.keywords.size > 0) found.set(leaf.id, leaf);
        const members = listOf(own(raw, 'allOf'));
        if (members.length > 1) onAllOf(members);
        waiting.push(...[...members].reverse());
      }
      if (typeof ref === 'string' && raw === given) waiting.push(document.target(ref, at));
    }
    return found;
  };

  const saysSomething = (raw: unknown, at: string) =>
    [...expand([raw], at).values()].some(({ keywords }) =>
      [...keywords.keys()].some((name) => !SILENT.has(name)),
    );

  const intern = (raws: readonly unknown[], at: string, base: readonly Leaf[]): SchemaNode => {
    let members = 0;
    const found = new Map(base.map((leaf) => [leaf.id, leaf]));
    const count = (all: readonly unknown[]) => {
      members = Math.max(members, all.filter((one) => saysSomething(one, at)).length);
    };
    for (const [id, leaf] of expand(raws, at, count)) found.set(id, leaf);
    const key = `${[...found.keys()].sort((a, b) => a - b).join(' ')}/${members}`;
    const known = nodes.get(key);
    if (known !== undefined) return known;
    const node = { id: nodes.size, leaves: [...found.values()], members };
    nodes.set(key, node);
    return node;
  };

  return {
    node: (raws, at) => intern(raws, at, []),
    extend: (node, raw, at) => intern([raw], at, node.leaves),
    nameOf(raw) {
      const ref = isObject(raw) ? own(raw, '$ref') : undefined;
      if (typeof ref === 'string') return ref;
      // A reference within `allOf` alone is the reference.
      const [only, ...others] = isObject(raw) ? listOf(own(raw, 'allOf')) : [];
      const inner = others.length === 0 && isObject(only) ? own(only, '$ref') : undefined;
      return typeof inner === 'string' ? inner : undefined;
    },
  };
}

/** A keyword of the node's own objects; the first that has it decides. */
export function keywordOf(node: SchemaNode, name: string): unknown {
  return node.leaves.find(({ keywords }) => keywords.has(name))?.keywords.get(name);
}
