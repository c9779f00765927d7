const works = new Set<() => Promise<unknown>>();

/** Does `work` once this process has run its last test file: what several files share ends then. */
export function atEndOfTests(work: () => Promise<unknown>): void {
  works.add(work);
}

/** For what runs the tests. */
export async function endOfTests(): Promise<void> {
  const all = [...works];
  works.clear();
  await Promise.all(all.map((work) => work()));
}
