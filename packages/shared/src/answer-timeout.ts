/**
 * Calls `late` when no answer came within so many milliseconds. Timers are due before the process
 * looks at its connections: one that was busy, or frozen, first reads what has arrived meanwhile.
 */
export function answerTimeout(late: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(() => setImmediate(() => setImmediate(late)), ms);
}
