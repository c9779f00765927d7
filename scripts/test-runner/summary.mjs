const SLOWEST = 40;

/** What `npm test` says at its end; the counts stand in the last line. */
export function summaryOf({ passed, failed, skipped, failures, leftOpen, seconds }, slowest) {
  const lines = [''];
  if (slowest) {
    const longest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
    for (const [file, took] of longest) lines.push(`${took.toFixed(1).padStart(7)} s  ${file}`);
    lines.push('');
  }
  for (const left of leftOpen) lines.push(`LEFT OPEN ${left}`);
  for (const failure of failures) lines.push(`FAILED ${failure}`);
  lines.push(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`, '');
  return lines.join('\n');
}
