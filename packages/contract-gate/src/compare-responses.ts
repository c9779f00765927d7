import type { Direction } from './checks.ts';
import { compareContent, contentOf } from './compare-bodies.ts';
import { compareHeaders } from './compare-headers.ts';
import { compareMembers, type Pair } from './compare-members.ts';
import type { Contract } from './contract.ts';
import { below, canonical, entriesOf, type JsonObject, own } from './json.ts';
import type { Operation } from './operations.ts';

const MEMBERS = new Set(['description', 'summary', 'headers', 'content', 'links']);
type Responses = ReadonlyMap<string, JsonObject>;

/** Compares what an operation answers, status by status. */
export function compareResponses(
  pair: Pair,
  before: Operation,
  after: Operation,
  direction: Direction,
): void {
  const [old, next] = [responsesOf(pair.before, before), responsesOf(pair.after, after)];
  for (const [status, response] of old) {
    const pointer = below(before.pointer, 'responses', status);
    const others = answersFor(status, old, next);
    for (const other of others)
      compareResponse(pair, response, other, pointer, direction, before.pushed);
    if (others.length > 0) continue;
    pair.report({ check: 'status-removed', direction, pointer, before: status, subject: status });
  }
  for (const status of next.keys()) {
    if (isWithin(status, old)) continue;
    const pointer = below(before.pointer, 'responses', status);
    // Any server may fail; a new refusal is the trace of a new validation or of another behaviour.
    const check = /^4/.test(status) ? 'refusal-added' : 'status-added';
    pair.report({ check, direction, pointer, after: status, subject: status });
  }
}

function responsesOf({ document }: Contract, operation: Operation): Responses {
  return new Map(
    entriesOf(own(operation.members, 'responses'))
      .filter(([status]) => !status.startsWith('x-'))
      .map(([status, given]) => {
        const at = `${operation.name} ${below('/responses', status)}`;
        return [status.toUpperCase().replace('DEFAULT', 'default'), document.object(given, at)];
      }),
  );
}

/** The answers that now stand for a status: the same, those of its range, or what covers an error. */
function answersFor(status: string, before: Responses, after: Responses): readonly JsonObject[] {
  const same = after.get(status);
  if (same !== undefined) return [same];
  const within = /^\dXX$/.test(status)
    ? [...after].filter(([other]) => other[0] === status[0] && !before.has(other))
    : status === 'default'
      ? [...after].filter(([other]) => /^[45]/.test(other) && !isWithin(other, before, false))
      : [];
  if (within.length > 0) return within.map(([, response]) => response);
  const cover = isError(status) ? (after.get(`${status[0]}XX`) ?? after.get('default')) : undefined;
  return cover === undefined ? [] : [cover];
}

function isWithin(status: string, responses: Responses, byDefault = true): boolean {
  if (responses.has(status) || responses.has(`${status[0]}XX`)) return true;
  return byDefault && isError(status) && responses.has('default');
}

function isError(status: string): boolean {
  return /^[45]/.test(status);
}

function compareResponse(
  pair: Pair,
  before: JsonObject,
  after: JsonObject,
  pointer: string,
  direction: Direction,
  pushed: boolean,
): void {
  const { report } = pair;
  compareMembers(before, after, MEMBERS, pointer, report);
  const contents = [contentOf(before), contentOf(after)] as const;
  compareContent(
    pair,
    contents,
    `${pointer}/content`,
    direction,
    pushed && direction === 'response',
  );
  compareHeaders(pair, before, after, `${pointer}/headers`, direction);
  const links = [own(before, 'links'), own(after, 'links')];
  if (canonical(links[0] ?? {}) !== canonical(links[1] ?? {})) {
    report({ check: 'link-changed', direction: 'none', pointer: `${pointer}/links` });
  }
}
