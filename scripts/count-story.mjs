// Counts the files and functions of this project that a story runs, by V8's own coverage, so that
// a path that grows is seen: `node scripts/count-story.mjs token … [--list] [--json]`. The stories are
// in scripts/stories. Each is run again until nothing more drops out: what belongs to the story runs
// each time, and what starts up, or works in the background, does not. What a story needs before each
// run it makes in `beforeRun`, which is not counted.

import { readdirSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { basename, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { root } from './bootstrap.mjs';

const OURS = /^packages\/[\w-]+\/dist\/src\//;
/** So often in a row must a run find nothing that can be left out. */
const UNCHANGED_RUNS = 4;
const BACKGROUND_MS = 300;
const folder = join(root, 'scripts', 'stories');
const stories = readdirSync(folder).map((file) => basename(file, '.mjs'));
const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
if (names.length === 0 || !names.every((name) => stories.includes(name))) {
  console.error(`expected stories: ${stories.join(', ')}`);
  process.exit(2);
}

// On a slow machine a run takes longer than a second, and each would count the work of every second.
let counting = false;
const { setInterval: every } = globalThis;
globalThis.setInterval = (work, ms) => every(() => counting || work(), ms);

for (const name of names) {
  const { prepare } = await import(join(folder, `${name}.mjs`));
  const { beforeRun, run, stop } = await prepare();
  await beforeRun?.();
  await run();
  tell(name, await filesOf(beforeRun, run));
  await stop?.();
}
process.exit(0);

/** With `--json`, each story on a line. */
function tell(story, files) {
  const functions = [...files.values()].reduce((sum, names) => sum + names.length, 0);
  if (words.includes('--json')) {
    const all = Object.fromEntries(files);
    console.log(JSON.stringify({ story, files: files.size, functions, all }));
    return;
  }
  console.log(`${story}: ${files.size} files, ${functions} functions`);
  if (!words.includes('--list')) return;
  for (const [file, names] of files) console.log(`  ${file}: ${names.join(', ')}`);
}

/** The functions that ran each time in each file of this project's services, the files in order. */
async function filesOf(beforeRun, run) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const runOnce = async () => {
    await beforeRun?.();
    // What the last run left to be done in the background is none of this one.
    await sleep(BACKGROUND_MS);
    counting = true;
    await session.post('Profiler.takePreciseCoverage');
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    counting = false;
    return new Map(result.flatMap(functionsOf));
  };
  let common = await runOnce();
  for (let unchanged = 0; unchanged < UNCHANGED_RUNS; ) {
    const ran = await runOnce();
    const left = new Map([...common].filter(([place]) => ran.has(place)));
    unchanged = left.size === common.size ? unchanged + 1 : 0;
    common = left;
  }
  session.disconnect();
  const files = new Map();
  for (const { file, name } of common.values()) {
    files.set(file, [...(files.get(file) ?? []), name]);
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Those of ours that ran, by their place. */
function functionsOf({ url, functions }) {
  if (!url.startsWith('file:')) return [];
  const file = relative(root, fileURLToPath(url)).replaceAll('\\', '/');
  if (!OURS.test(file)) return [];
  return functions
    .filter(({ ranges }) => ranges[0].count > 0)
    .map(({ functionName, ranges }) => {
      const name = functionName || '(anonymous)';
      return [`${file}:${ranges[0].startOffset}`, { file, name }];
    });
}
