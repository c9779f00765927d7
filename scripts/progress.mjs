// Says what a start is doing, and tells children that work slowly from children that stand still:
// a limit in seconds would fail on a busy machine that gets there.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICK_MS = 1_000;
const LINE_EVERY_MS = 15_000;
/** Children that use less processor time than this in this time do nothing but wait. */
const STILL_MS = 5 * 60_000;
const STILL_CPU_S = 5;
const CLOCK_TICKS_PER_S = 100;

/**
 * Shows `title … 12 s` until `end` is called: on one line that moves on a terminal, elsewhere as a
 * line every 15 seconds.
 */
export function showProgress(title) {
  const startedMs = Date.now();
  const moves = process.stderr.isTTY === true;
  const line = () => `${title} … ${Math.round((Date.now() - startedMs) / 1000)} s`;
  process.stderr.write(moves ? `${title} …` : `${title} …\n`);
  const timer = setInterval(
    () => process.stderr.write(moves ? `\r\x1b[K${line()}` : `${line()}\n`),
    moves ? TICK_MS : LINE_EVERY_MS,
  );
  timer.unref();
  return {
    end() {
      clearInterval(timer);
      if (moves) process.stderr.write(`\r\x1b[K${line()}\n`);
    },
  };
}

const children = new Set();
process.once('exit', () => {
  for (const child of children) child.kill();
});

/** Counts a child as part of the start until it ends; it does not outlive this process. */
export function watchChild(child) {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/**
 * Rejects once the children have stood still for five minutes; `stop` ends the watch. Where the
 * system does not tell processor times, nothing is taken for standing still.
 */
export function standstill() {
  let since = { atMs: Date.now(), cpuS: processorSeconds() };
  let timer;
  const stoodStill = new Promise((_, reject) => {
    timer = setInterval(() => {
      const cpuS = processorSeconds();
      // A child that ended takes its time with it.
      if (cpuS === undefined || since.cpuS === undefined || cpuS < since.cpuS) {
        since = { atMs: Date.now(), cpuS };
      } else if (cpuS - since.cpuS >= STILL_CPU_S) {
        since = { atMs: Date.now(), cpuS };
      } else if (Date.now() - since.atMs >= STILL_MS) {
        reject(new Error(`nothing has moved for ${STILL_MS / 60_000} minutes`));
      }
    }, TICK_MS * 5);
    timer.unref();
  });
  stoodStill.catch(() => undefined);
  return { stoodStill, stop: () => clearInterval(timer) };
}

function processorSeconds() {
  const times = [...children].map(({ pid }) => processorSecondsOf(pid));
  return times.includes(undefined) ? undefined : times.reduce((sum, time) => sum + time, 0);
}

function processorSecondsOf(pid) {
  if (process.platform === 'linux') {
    const fields = processFields(pid);
    return fields === undefined
      ? undefined
      : (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_S;
  }
  const { stdout } = spawnSync('ps', ['-o', 'time=', '-p', `${pid}`], { encoding: 'utf8' });
  const [, days = 0, hours = 0, minutes, seconds] =
    /(?:(\d+)-)?(?:(\d+):)?(\d+):([\d.]+)/.exec(stdout ?? '') ?? [];
  if (seconds === undefined) return undefined;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** What follows the name in `/proc/PID/stat`: state, parent, … (proc(5)). */
function processFields(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

const PARENT_CHECK_MS = 500;

/**
 * Calls `onGone` once npm is gone: `npm start` is npm, a shell of it, and this process, and a
 * signal that ends the first two is never told to the third.
 */
export function whenNpmEnds(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const chain = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === chain) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** The parent, and npm where the parent is npm's shell. */
function ancestors() {
  const parent = process.ppid;
  if (process.platform !== 'linux') return `${parent}`;
  return isShell(parent) ? `${parent} ${processFields(parent)?.[1]}` : `${parent}`;
}

function isShell(pid) {
  try {
    return /^(ba|da|)sh$/.test(readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
  } catch {
    return false;
  }
}
