import { isIncompatible } from './checks.ts';
import { compareFlat } from './compare-flat.ts';
import { compareNodes } from './compare-nodes.ts';
import type { CompareSchemas, Context, Run, Side, Trial } from './comparison.ts';
import type { Difference, Report } from './finding.ts';
import { type FlatSchema, flatten } from './flat-schema.ts';
import { mergeScalars } from './merge-scalars.ts';
import { alternativesOf } from './schema-alternatives.ts';
import type { SchemaNode, Schemas } from './schema-nodes.ts';

interface Task {
  readonly before: SchemaNode;
  readonly after: SchemaNode;
  readonly pointer: string;
  readonly context: Context;
}

/** Trials within trials: beyond this, alternatives are paired by their place. */
const TRIALS_MAX = 8;

/** Compares schemas of two documents; remembers which pairs are the same. */
export function schemaComparison(before: Schemas, after: Schemas): CompareSchemas {
  const sides = [sideOf(before), sideOf(after)] as const;
  /** Pairs that were found to be the same, with all that they lead to. */
  const clean = new Set<string>();
  /** Pairs of flat schemas that were found to be incompatible. */
  const refuted = new Set<string>();
  /** Pairs that are being asked about: a circle that comes back to one adds no difference. */
  const asked = new Set<string>();

  /** Works off the queue of one run. @returns the pairs that it looked at. */
  const work = (
    start: (run: Run) => void,
    context: Context,
    report: Report,
    seenBefore: (key: string) => boolean,
    depth: number,
    stopped: () => boolean,
  ): Set<string> => {
    const seen = new Set<string>();
    const known = (key: string) => seen.has(key) || seenBefore(key);
    const queue: Task[] = [];
    const runOf = (current: Context): Run => ({
      context: current,
      report,
      sides,
      later(one, other, pointer, change = {}) {
        const next = { ...current, list: false, ...change };
        const key = `${one.id} ${other.id} ${flagsOf(next)}`;
        if (clean.has(key) || known(key)) return;
        seen.add(key);
        queue.push({ before: one, after: other, pointer, context: next });
      },
      trial(one, other, pointer) {
        if (depth >= TRIALS_MAX) return undefined;
        const key = `${one.id} ${other.id} ${flagsOf(current)}`;
        if (refuted.has(key)) return REFUTED;
        const found: Difference[] = [];
        let incompatible = false;
        const collect: Report = (difference) => {
          found.push(difference);
          incompatible ||= isIncompatible(difference.check, difference.direction);
        };
        const looked = work(
          (run) => compareFlat(run, one, other, pointer),
          current,
          collect,
          known,
          depth + 1,
          () => incompatible,
        );
        if (incompatible) {
          refuted.add(key);
          return REFUTED;
        }
        return {
          outcome: found.length === 0 ? 'same' : 'compatible',
          accept() {
            for (const pair of looked) seen.add(pair);
            for (const difference of found) report(difference);
          },
        };
      },
      same(one, other) {
        const key = `${one.id} ${other.id}`;
        if (asked.has(key)) return true;
        asked.add(key);
        let differs = false;
        for (const direction of ['request', 'response'] as const) {
          work(
            (run) => run.later(one, other, ''),
            { ...current, direction, list: false },
            () => {
              differs = true;
            },
            () => false,
            depth + 1,
            () => differs,
          );
        }
        asked.delete(key);
        return !differs;
      },
      with: (change) => runOf({ ...current, ...change }),
    });
    start(runOf(context));
    for (let at = 0; at < queue.length && !stopped(); at += 1) {
      const task = queue[at] as Task;
      compareNodes(runOf(task.context), task.before, task.after, task.pointer);
    }
    return seen;
  };

  return (one, other, pointer, context, report) => {
    let found = 0;
    const count: Report = (difference) => {
      found += 1;
      report(difference);
    };
    const nodes = [before.node(one, pointer), after.node(other, pointer)] as const;
    const seen = work(
      (run) => run.later(...nodes, pointer, { list: context.list }),
      context,
      count,
      () => false,
      0,
      () => false,
    );
    if (found === 0) for (const key of seen) clean.add(key);
  };
}

const REFUTED: Trial = { outcome: 'incompatible', accept: () => undefined };

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
        const flats = alternatives?.flatMap((one) => flatten(schemas, one));
        known.set(node.id, flats && mergeScalars(flats));
      }
      return known.get(node.id);
    },
  };
}
