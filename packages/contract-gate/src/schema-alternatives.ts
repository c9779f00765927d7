import { canonical, isObject, listOf, own } from './json.ts';
import type { Leaf } from './schema-leaf.ts';
import type { SchemaNode, Schemas } from './schema-nodes.ts';

/** One way to be valid: a schema without `oneOf` and `anyOf` at its top. */
export interface Alternative {
  readonly leaves: readonly Leaf[];
  /** Pointer of the branch below the schema; empty where there is no choice. */
  readonly pointer: string;
  /** The component of the branch, and the values of the discriminator that lead to it. */
  readonly names: readonly string[];
  readonly tags: readonly string[];
}

const ALTERNATIVES_MAX = 1000;
const UNIONS = ['oneOf', 'anyOf'] as const;

interface Draft extends Alternative {
  readonly node: SchemaNode;
  readonly chosen: ReadonlySet<string>;
}

/** @returns undefined when there are too many to look at one by one. */
export function alternativesOf(
  schemas: Schemas,
  node: SchemaNode,
): readonly Alternative[] | undefined {
  const done: Draft[] = [];
  const waiting: Draft[] = [
    { node, leaves: node.leaves, pointer: '', names: [], tags: [], chosen: new Set() },
  ];
  while (waiting.length > 0) {
    const draft = waiting.pop() as Draft;
    const next = openUnion(draft);
    if (next === undefined) done.push(draft);
    else waiting.push(...chooseEach(schemas, draft, ...next).reverse());
    if (done.length + waiting.length > ALTERNATIVES_MAX) return undefined;
  }
  return done;
}

function openUnion({ node, chosen }: Draft): [Leaf, (typeof UNIONS)[number]] | undefined {
  for (const leaf of node.leaves) {
    for (const union of UNIONS) {
      if (leaf.keywords.has(union) && !chosen.has(textOf(leaf, union))) return [leaf, union];
    }
  }
  return undefined;
}

const texts = new WeakMap<object, string>();

/** Two copies of one choice are chosen from once: what is valid for both is valid for one. */
function textOf({ keywords }: Leaf, union: string): string {
  const branches = listOf(keywords.get(union));
  const known = texts.get(branches) ?? `${union} ${canonical(branches)}`;
  texts.set(branches, known);
  return known;
}

function chooseEach(schemas: Schemas, draft: Draft, leaf: Leaf, union: string): Draft[] {
  const branches = listOf(leaf.keywords.get(union));
  const chosen = new Set([...draft.chosen, textOf(leaf, union)]);
  const tagsOf = discriminatorTags(leaf);
  return branches.flatMap((branch, index) => {
    const pointer = `${draft.pointer}/${union}/${index}`;
    const node = schemas.extend(draft.node, branch, pointer);
    const name = schemas.nameOf(branch);
    // A branch that leads back to its own union adds no value.
    if (name !== undefined && node === draft.node && leadsTo(schemas, branch, leaf)) return [];
    const names = name === undefined ? draft.names : [...draft.names, name];
    const tags = [...draft.tags, ...tagsOf(name)];
    return [{ node, leaves: node.leaves, pointer, names, tags, chosen }];
  });
}

function leadsTo(schemas: Schemas, branch: unknown, leaf: Leaf): boolean {
  return schemas.node([branch], '').leaves.includes(leaf);
}

/** The values of a discriminator that lead to a component. */
function discriminatorTags(leaf: Leaf): (name: string | undefined) => string[] {
  const discriminator = leaf.keywords.get('discriminator');
  if (!isObject(discriminator)) return () => [];
  const mapping = own(discriminator, 'mapping');
  const entries = isObject(mapping) ? Object.entries(mapping) : [];
  return (name) => {
    if (name === undefined) return [];
    const short = name.slice(name.lastIndexOf('/') + 1);
    const values = entries.filter(([, to]) => to === name || to === short).map(([value]) => value);
    return values.length > 0 ? values : [short];
  };
}
