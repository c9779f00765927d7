/** What an error says, with its cause: the driver's own words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const because = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  const code = (error as NodeJS.ErrnoException).code;
  return `${error.message || code || error.name}${because}`;
}
