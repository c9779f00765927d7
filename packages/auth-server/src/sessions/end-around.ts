/**
 * Ends what a change takes away, makes the change, and ends it again. First: if that fails, nothing is
 * changed and the request can be repeated. Again: a session or grant may have begun before the change.
 *
 * @param change records its audit event itself, as what follows may fail. Returns false when nothing was changed: then
 *   nothing is ended again.
 */
export async function endAround<T>(
  end: () => Promise<unknown>,
  change: () => Promise<T>,
): Promise<T> {
  await end();
  const changed = await change();
  if (changed !== false) await end();
  return changed;
}
