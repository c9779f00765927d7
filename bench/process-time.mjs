// Processor time of processes in milliseconds, as Linux counts it. Other work on the machine moves it
// far less than it moves requests a second.
import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10; // USER_HZ is 100 on every architecture.

/** Of one process, its main thread apart; undefined where there is no /proc. */
export function processTime(pid) {
  try {
    const total = timesOf(`/proc/${pid}`).own;
    const main = timesOf(`/proc/${pid}/task/${pid}`).own;
    return { main, others: total - main };
  } catch {
    return undefined;
  }
}

/** All of it, of one process; 0 where there is no /proc. */
export function wholeTime(pid) {
  const { main, others } = processTime(pid) ?? { main: 0, others: 0 };
  return main + others;
}

/** The process that started another. */
export function parentOf(pid) {
  return timesOf(`/proc/${pid}`).parent;
}

/** Of all that a process has started, ended or not: by default this one's servers, databases, load. */
export function familyTime(root = process.pid) {
  const all = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      all.set(Number(pid), timesOf(`/proc/${pid}`));
    } catch {
      // It has ended meanwhile, and is in its parent's time.
    }
  }
  const below = (pid) =>
    [...all].reduce(
      (sum, [id, { parent, own, ended }]) => (parent === pid ? sum + own + ended + below(id) : sum),
      0,
    );
  return (all.get(root)?.ended ?? 0) + below(root);
}

/** Field 4, and user and system time: fields 14 to 17; the name in field 2 may hold spaces. */
function timesOf(folder) {
  const fields = readFileSync(`${folder}/stat`, 'utf8').split(') ').at(-1).split(' ').map(Number);
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15);
  return {
    parent: fields[1],
    own: (user + system) * TICK_MS,
    ended: (endedUser + endedSystem) * TICK_MS,
  };
}
