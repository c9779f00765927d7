/** How long one line stands for all that follows. */
const QUIET_MS = 60_000;

/**
 * For a log line about what may happen thousands of times: the first is written at once, what follows
 * is counted, and one line a minute has the counts by kind.
 */
export function countedLines<Kind extends string>(
  write: (counts: Readonly<Partial<Record<Kind, number>>>) => void,
  quietMs = QUIET_MS,
): (kind: Kind) => void {
  let counts: Partial<Record<Kind, number>> = {};
  let quiet = false;
  const report = () => {
    quiet = Object.keys(counts).length > 0;
    if (!quiet) return;
    const since = counts;
    counts = {};
    setTimeout(report, quietMs).unref();
    write(since);
  };
  return (kind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (!quiet) report();
  };
}
