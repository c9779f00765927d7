import type { Direction } from './checks.ts';
import { compareBodies } from './compare-bodies.ts';
import { compareMembers, type Pair } from './compare-members.ts';
import { compareParameters } from './compare-parameters.ts';
import { compareResponses } from './compare-responses.ts';
import { compareRequirements, type SchemeNames } from './compare-security.ts';
import type { Report } from './finding.ts';
import { own } from './json.ts';
import { basePathsOf, METHODS, type Operation } from './operations.ts';

export interface OperationPair extends Pair {
  readonly names: SchemeNames;
  readonly ignoreServers: boolean;
}

const MEMBERS = new Set([
  ...['tags', 'summary', 'description', 'externalDocs', 'operationId', 'parameters', 'requestBody'],
  ...['responses', 'callbacks', 'deprecated', 'security', 'servers'],
]);
const PATH_MEMBERS = new Set([
  ...['$ref', 'summary', 'description', 'servers', 'parameters', ...METHODS],
]);

/** Compares one operation with itself in the other document. */
export function compareOperation(pair: OperationPair, before: Operation, after: Operation): void {
  const { report, names, ignoreServers } = pair;
  // What the API sends to a client is compared as its answers are.
  const sent: Direction = before.pushed ? 'response' : 'request';
  const answered: Direction = before.pushed ? 'request' : 'response';
  if (!ignoreServers && !before.pushed) compareServers(pair, before, after);
  const roots = [pair.before.document.root, pair.after.document.root] as const;
  compareRequirements(roots, names, [before, after], report);
  compareParameters(pair, before, after, sent);
  compareBodies(pair, before, after, sent);
  compareResponses(pair, before, after, answered);
  compareMarks(before, after, report);
  compareMembers(before.pathItem, after.pathItem, PATH_MEMBERS, before.pointer, report);
  compareMembers(before.members, after.members, MEMBERS, before.pointer, report);
}

function compareServers({ before, after, report }: Pair, one: Operation, other: Operation): void {
  const old = basePathsOf(before.document.root, one);
  const next = basePathsOf(after.document.root, other);
  const missing = [...(old ?? [])].filter((path) => next !== undefined && !next.has(path));
  if (missing.length === 0) return;
  report({
    check: 'base-path-changed',
    direction: 'none',
    pointer: '/servers',
    before: missing[0] || '/',
    after: [...(next ?? [])].map((path) => path || '/').join(', '),
  });
}

function compareMarks(before: Operation, after: Operation, report: Report): void {
  const deprecated = [before, after].map(({ members }) => own(members, 'deprecated') === true);
  if (deprecated[1] && !deprecated[0]) {
    report({
      check: 'deprecated',
      direction: 'none',
      pointer: `${before.pointer}/deprecated`,
      after: true,
    });
  }
  const [old, next] = [before, after].map(({ members }) => own(members, 'operationId'));
  if (old !== next) {
    const pointer = `${before.pointer}/operationId`;
    report({ check: 'operation-id-changed', direction: 'none', pointer, before: old, after: next });
  }
}
