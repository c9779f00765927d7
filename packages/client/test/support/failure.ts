import type { ClsError } from '../../src/errors.ts';

/** What a promise was rejected with. */
export async function failure(work: Promise<unknown>): Promise<ClsError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome === undefined) throw new Error('nothing was thrown');
  return outcome as ClsError;
}
