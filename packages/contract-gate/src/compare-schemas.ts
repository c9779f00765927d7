import { isIncompatible } from './checks.ts';
import { compareFlat } from './compare-flat.ts';
import { compareNodes } from './compare-nodes.ts';
import type { CompareSchemas, Context, Run, Side, Trial } from './comparison.ts';
import type { Difference } from './finding.ts';
import { type FlatSchema, flatten } from './flat-schema.ts';
import { mergeScalars } from './merge-scalars.ts';
import { alternativesOf } from './schema-alternatives.ts';
import type { SchemaNode, Schemas } from './schema-nodes.ts';
import { settleValues } from './settle-values.ts';

/** What a comparison found at its own place, with pointers below that place. */
interface Found {
  readonly differences: Difference[];
  children: { readonly pair: Pair; readonly step: string }[];
}

/** Two schemas, compared in one context: looked at once, however many operations lead to them. */
interface Pair extends Found {
  readonly before: SchemaNode;
  readonly after: SchemaNode;
  readonly context: Context;
  state: 'new' | 'open' | 'done';
  /** Compared while a pair that it leads to was still open, and taken to be the same. */
  provisional: boolean;
  /** The same, with all that it leads to. */
  clean: boolean;
  /** The last walk that came by. */
  walk: number;
}

/** Where a walk stands: the pair, and the way to it. */
interface Stop {
  readonly pair: Pair;
  readonly step: string;
  readonly from: Stop | undefined;
}

/** Trials within trials: beyond this, alternatives are paired by their names and places. */
const TRIALS_MAX = 200;

/** Compares schemas of two documents; remembers what it found for every pair. */
export function schemaComparison(before: Schemas, after: Schemas): CompareSchemas {
  const sides = [sideOf(before), sideOf(after)] as const;
  const pairs = new Map<string, Pair>();
  const refuted = new Set<string>();
  /** Pairs that are being asked about: a circle that comes back to one adds no difference. */
  const asked = new Set<string>();
  /** Provisional pairs, in the order in which they were compared. */
  const log: Pair[] = [];
  let assumptions = 0;
  let depth = 0;
  let walks = 0;

  const pairOf = (one: SchemaNode, other: SchemaNode, context: Context): Pair => {
    const key = `${one.id} ${other.id} ${flagsOf(context)}`;
    const known = pairs.get(key);
    if (known !== undefined) return known;
    const found = {
      differences: [],
      children: [],
      state: 'new' as const,
      provisional: false,
      clean: false,
      walk: 0,
    };
    const pair: Pair = { ...found, before: one, after: other, context };
    pairs.set(key, pair);
    return pair;
  };

  const runOf = (found: Found, context: Context): Run => ({
    context,
    sides,
    report: (difference) => found.differences.push(difference),
    later: (one, other, step, change = {}) => {
      const pair = pairOf(one, other, { ...context, list: false, ...change });
      found.children.push({ pair, step });
    },
    trial: (one, other, pointer) => tryOut(found, context, one, other, pointer),
    same(one, other) {
      const key = `${one.id} ${other.id}`;
      if (asked.has(key)) return true;
      asked.add(key);
      const since = log.length;
      const directions = ['request', 'response'] as const;
      const same = directions.every(
        (direction) =>
          judge([pairOf(one, other, { ...context, direction, list: false })]) === 'same',
      );
      asked.delete(key);
      if (!same) forget(since);
      return same;
    },
    with: (change) => runOf(found, { ...context, ...change }),
  });

  const complete = (pair: Pair): void => {
    if (pair.state !== 'new') return;
    pair.state = 'open';
    const met = assumptions;
    compareNodes(runOf(pair, pair.context), pair.before, pair.after, '');
    pair.state = 'done';
    pair.provisional = assumptions > met;
    if (pair.provisional) log.push(pair);
    pair.clean = pair.differences.length === 0 && pair.children.length === 0;
  };

  /** Forgets what was compared since then on an assumption that did not hold. */
  const forget = (since: number): void => {
    for (const pair of log.splice(since)) {
      pair.state = 'new';
      pair.provisional = false;
      pair.differences.length = 0;
      pair.children = [];
    }
  };

  const tryOut = (
    into: Found,
    context: Context,
    one: FlatSchema,
    other: FlatSchema,
    pointer: string,
  ): Trial | undefined => {
    if (depth >= TRIALS_MAX) return undefined;
    const key = `${one.id} ${other.id} ${flagsOf(context)}`;
    if (refuted.has(key)) return REFUTED;
    depth += 1;
    const since = log.length;
    const found: Found = { differences: [], children: [] };
    compareFlat(runOf(found, context), one, other, pointer);
    const here = outcomeOf(found.differences);
    const deeper = here === 'incompatible' ? here : judge(found.children.map(({ pair }) => pair));
    depth -= 1;
    const outcome = here === 'same' ? deeper : deeper === 'same' ? here : deeper;
    if (outcome !== 'same') forget(since);
    if (outcome === 'incompatible') {
      refuted.add(key);
      return REFUTED;
    }
    return {
      outcome,
      accept() {
        into.differences.push(...found.differences);
        into.children.push(...found.children);
      },
    };
  };

  /** What these pairs and all that they lead to come to; stops at the first incompatible one. */
  const judge = (roots: readonly Pair[]): Trial['outcome'] => {
    const seen = new Set(roots);
    let outcome: Trial['outcome'] = 'same';
    let assumed = false;
    for (const pair of seen) {
      if (pair.clean) continue;
      // A pair whose comparison has begun counts as equal here; its differences are reported there.
      if (pair.state === 'open' || pair.provisional) assumptions += 1;
      assumed ||= pair.state === 'open' || pair.provisional;
      complete(pair);
      if (pair.provisional && !assumed) assumptions += 1;
      assumed ||= pair.provisional;
      const here = outcomeOf(pair.differences);
      if (here === 'incompatible') return here;
      if (here === 'compatible') outcome = here;
      for (const child of pair.children) seen.add(child.pair);
    }
    if (outcome === 'same' && !assumed) for (const pair of seen) pair.clean = true;
    return outcome;
  };

  return (one, other, pointer, context, report) => {
    walks += 1;
    const walk = walks;
    const root = pairOf(before.node(one, pointer), after.node(other, pointer), context);
    const stops: Stop[] = [{ pair: root, step: pointer, from: undefined }];
    root.walk = walk;
    let found = false;
    for (const stop of stops) {
      complete(stop.pair);
      for (const difference of stop.pair.differences) {
        found = true;
        report({ ...difference, pointer: pointerTo(stop) + difference.pointer });
      }
      const { children } = stop.pair;
      // What is the same is not come by again: most operations share most schemas.
      if (children.some(({ pair }) => pair.clean)) {
        stop.pair.children = children.filter(({ pair }) => !pair.clean);
      }
      for (const { pair, step } of stop.pair.children) {
        if (pair.walk === walk) continue;
        pair.walk = walk;
        stops.push({ pair, step, from: stop });
      }
    }
    if (!found) for (const { pair } of stops) pair.clean = true;
  };
}

const REFUTED: Trial = { outcome: 'incompatible', accept: () => undefined };

function outcomeOf(differences: readonly Difference[]): Trial['outcome'] {
  if (differences.length === 0) return 'same';
  const bad = differences.some(({ check, direction }) => isIncompatible(check, direction));
  return bad ? 'incompatible' : 'compatible';
}

function pointerTo(stop: Stop): string {
  const steps: string[] = [];
  for (let at: Stop | undefined = stop; at !== undefined; at = at.from) steps.push(at.step);
  return steps.reverse().join('');
}

function flagsOf({ direction, textual, list, xml, conditional }: Context): string {
  return `${direction}${textual ? 't' : ''}${list ? 'l' : ''}${xml ? 'x' : ''}${conditional ? 'c' : ''}`;
}

function sideOf(schemas: Schemas): Side {
  const known = new Map<number, readonly FlatSchema[] | undefined>();
  return {
    schemas,
    flats(node) {
      if (!known.has(node.id)) {
        const alternatives = alternativesOf(schemas, node);
        const flats = alternatives?.flatMap((one) => flatten(schemas, one)).flatMap(settleValues);
        known.set(node.id, flats && mergeScalars(flats));
      }
      return known.get(node.id);
    },
  };
}
