// Where the main thread's time goes, from a profile that `node --cpu-prof` wrote.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The first that fits a frame's URL names its group. */
const GROUPS = [
  [/node_modules\/oidc-provider\//, 'library (oidc-provider)'],
  [/node_modules\/(@?koa|koa-[\w-]+|cookies|keygrip|delegates|accepts|statuses)\//, 'Koa'],
  [/node_modules\/jose\//, 'signing'],
  [/node_modules\/(pino|sonic-boom|@pinojs|atomic-sleep|fast-safe|quick-format)/, 'log'],
  [/node_modules\/(pg|pg-[\w-]+|postgres-[\w-]+)\//, 'audit to the database'],
  [/node_modules\/(ioredis|redis|@redis)/, 'Redis'],
  [/\/dist\/src\/.*(audit-log|audit-spool|audit\/)/, 'audit'],
  [/\/dist\/src\/(log|http\/request-log)\./, 'log'],
  [/\/packages\/(auth-server|shared)\/dist\//, 'ours'],
  [/node_modules\//, 'other packages'],
  [/^node:(_http|http|net|_tls|internal\/(stream|http|net|timers|js_stream))/, 'http and streams'],
  [/^node:(internal\/)?(crypto|webcrypto)/, 'signing'],
];
const SPECIAL = new Map([
  ['(idle)', 'idle'],
  ['(garbage collector)', 'garbage'],
  ['(program)', 'native (system calls, parsing)'],
]);

/**
 * Shares of each group in the busy time, largest first: `{ group, share }`.
 *
 * @param own groups that go before the ones above: `[pattern, name]`
 * @param sinceUs what was before is left out, by the clock of `process.hrtime`
 */
export function profileByGroup(directory, own = [], sinceUs = 0) {
  const [file] = readdirSync(directory).filter((name) => name.endsWith('.cpuprofile'));
  const profile = JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const { nodes, samples, timeDeltas, startTime } = profile;
  const groupOf = groupsOf(nodes, [...own, ...GROUPS]);
  const times = new Map();
  let busy = 0;
  let nowUs = startTime;
  for (const [index, id] of samples.entries()) {
    const group = groupOf.get(id);
    const delta = timeDeltas[index];
    nowUs += delta;
    if (group === 'idle' || nowUs < sinceUs) continue;
    busy += delta;
    times.set(group, (times.get(group) ?? 0) + delta);
  }
  return [...times]
    .map(([group, time]) => ({ group, share: time / busy }))
    .sort((a, b) => b.share - a.share);
}

/** What has no group of its own (a built-in function, a file written) belongs to its caller. */
function groupsOf(nodes, known) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const groups = new Map();
  const visit = (id, callers) => {
    const { callFrame, children = [] } = byId.get(id);
    const group = ownGroup(callFrame, known) ?? callers;
    groups.set(id, group);
    for (const child of children) visit(child, group);
  };
  visit(nodes[0].id, 'node itself');
  return groups;
}

function ownGroup({ functionName, url }, known) {
  return SPECIAL.get(functionName) ?? known.find(([pattern]) => pattern.test(url))?.[1];
}
