import { AsyncLocalStorage } from 'node:async_hooks';

const sharing = new AsyncLocalStorage<true>();
const afterFile = new Set<() => Promise<unknown>>();
const afterAll = new Set<() => Promise<unknown>>();

/** Runs `make`, whose folders and databases several test files use: they stay until the last file. */
export function sharedByFiles<T>(make: () => Promise<T>): Promise<T> {
  return sharing.run(true, make);
}

/** Does `work` once this process has run the test file, or the last one if `sharedByFiles` asks. */
export function atEndOfFile(work: () => Promise<unknown>): void {
  (sharing.getStore() ? afterAll : afterFile).add(work);
}

/** Does `work` once this process has run its last test file: what several files share ends then. */
export function atEndOfTests(work: () => Promise<unknown>): void {
  afterAll.add(work);
}

/** For what runs the tests. */
export async function endOfFile(): Promise<void> {
  const works = [...afterFile];
  afterFile.clear();
  await Promise.all(works.map((work) => work()));
}

/** For what runs the tests. */
export async function endOfTests(): Promise<void> {
  await endOfFile();
  // The last first: a service writes while it stops, so its database and folders go after it.
  const works = [...afterAll].reverse();
  afterAll.clear();
  for (const work of works) await work();
}
