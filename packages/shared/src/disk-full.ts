/** No space, no quota, and the limit of a file's size. */
const FULL = new Set<string | undefined>(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether a file could not be written because there is no room for it. */
export function isDiskFull(error: unknown): boolean {
  return FULL.has((error as NodeJS.ErrnoException).code);
}
