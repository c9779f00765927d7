// Processor time of a process in milliseconds, its main thread apart, as Linux counts it.
import { readFileSync } from 'node:fs';

const TICK_MS = 10; // USER_HZ is 100 on every architecture.

/** Undefined where there is no /proc. */
export function processTime(pid) {
  try {
    const total = ticks(`/proc/${pid}/stat`);
    const main = ticks(`/proc/${pid}/task/${pid}/stat`);
    return { main: main * TICK_MS, others: (total - main) * TICK_MS };
  } catch {
    return undefined;
  }
}

/** User and system time: fields 14 and 15; the name in field 2 may hold spaces. */
function ticks(path) {
  const fields = readFileSync(path, 'utf8').split(') ').at(-1).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
