import { compareFlat } from './compare-flat.ts';
import type { Run } from './comparison.ts';
import type { FlatSchema } from './flat-schema.ts';

type Flats = readonly FlatSchema[];

/**
 * Compares the alternatives of one type. In a request each old alternative must be within a new one;
 * in a response each new alternative must be within an old one.
 */
export function matchAlternatives(run: Run, before: Flats, after: Flats, pointer: string): void {
  const [one, other] = [before[0], after[0]];
  if (before.length === 1 && after.length === 1 && one && other && shareTag(one, other)) {
    compareFlat(run, one, other, pointer);
    return;
  }
  const request = run.context.direction === 'request';
  const [needed, offered] = request ? [before, after] : [after, before];
  const pair = (need: FlatSchema, offer: FlatSchema) =>
    request ? ([need, offer] as const) : ([offer, need] as const);
  const used = new Set<FlatSchema>();
  const open: FlatSchema[] = [];
  for (const [index, need] of needed.entries()) {
    const match = findMatch(run, need, byLikeness(need, index, offered), pair, pointer);
    if (match === undefined) open.push(need);
    else used.add(match);
    if (match !== undefined && belongsToAnother(need, match, needed, offered)) {
      reportAlternative(run, need, request, pointer);
    }
  }
  for (const need of open) {
    const offer = nearest(
      need,
      offered.filter((one) => !used.has(one) && shareTag(need, one)),
      needed,
      offered,
    );
    if (offer === undefined) {
      reportAlternative(run, need, request, pointer);
      continue;
    }
    used.add(offer);
    // A choice in place of one schema asks for more in some cases only.
    const conditional = run.context.conditional || offered.length > needed.length;
    const [old, next] = pair(need, offer);
    compareFlat(run.with({ conditional }), old, next, pointer + need.alternative.pointer);
  }
  for (const offer of offered.filter((one) => !used.has(one))) {
    const repeated = needed.some((need) => run.trial(...pair(need, offer), '')?.outcome === 'same');
    if (!repeated) reportAlternative(run, offer, !request, pointer);
  }
}

/**
 * A component that was removed or added is reported, even if another allows the same values:
 * readers tell alternatives apart by their names.
 */
function belongsToAnother(
  need: FlatSchema,
  match: FlatSchema,
  needed: Flats,
  offered: Flats,
): boolean {
  if (offered.length >= needed.length || need.alternative.names.length === 0) return false;
  if (offered.some((offer) => isAkin(need, offer))) return false;
  return needed.some((other) => other !== need && isAkin(other, match));
}

function findMatch(
  run: Run,
  need: FlatSchema,
  offered: Flats,
  pair: (need: FlatSchema, offer: FlatSchema) => readonly [FlatSchema, FlatSchema],
  pointer: string,
): FlatSchema | undefined {
  let second: readonly [FlatSchema, () => void] | undefined;
  for (const offer of offered) {
    const trial = run.trial(...pair(need, offer), pointer + need.alternative.pointer);
    if (trial === undefined) {
      const [old, next] = pair(need, offer);
      compareFlat(run, old, next, pointer + need.alternative.pointer);
      return offer;
    }
    if (trial.outcome === 'same') {
      trial.accept();
      return offer;
    }
    if (trial.outcome === 'compatible') second ??= [offer, trial.accept];
  }
  second?.[1]();
  return second?.[0];
}

function reportAlternative(run: Run, flat: FlatSchema, removed: boolean, pointer: string): void {
  const { names, pointer: branch } = flat.alternative;
  const shown = names.at(-1) ?? (branch || flat.type);
  run.report({
    check: removed ? 'narrowed' : 'widened',
    direction: run.context.direction,
    pointer: pointer + branch,
    ...(removed ? { before: shown } : { after: shown }),
    subject: removed ? `the missing alternative ${shown}` : `the new alternative ${shown}`,
  });
}

/** Those first that are probably the same: by tag, by name of the component, by place. */
function byLikeness(need: FlatSchema, index: number, offered: Flats): Flats {
  const rank = (offer: FlatSchema) => {
    if (isAkin(need, offer)) return 0;
    return offered[index] === offer ? 1 : 2;
  };
  return offered.filter((offer) => shareTag(need, offer)).sort((a, b) => rank(a) - rank(b));
}

function isAkin(one: FlatSchema, other: FlatSchema): boolean {
  const [a, b] = [one.alternative, other.alternative];
  const tagged = a.tags.some((tag) => b.tags.includes(tag));
  return tagged || a.names.some((name) => b.names.includes(name));
}

/** A value of a discriminator leads to the same alternative on both sides. */
function shareTag(one: FlatSchema, other: FlatSchema): boolean {
  const [a, b] = [one.alternative.tags, other.alternative.tags];
  return a.length === 0 || b.length === 0 || a.some((tag) => b.includes(tag));
}

/** The alternative that this one probably was, though it differs. */
function nearest(
  need: FlatSchema,
  free: Flats,
  needed: Flats,
  offered: Flats,
): FlatSchema | undefined {
  const akin = free.find((offer) => isAkin(need, offer));
  if (akin !== undefined) return akin;
  const strangers = free.filter((offer) => !needed.some((one) => isAkin(one, offer)));
  if (needed.length === 1 || offered.length === 1) return strangers[0];
  return strangers.find((offer) =>
    [...offer.properties.keys()].some((name) => need.properties.has(name)),
  );
}
