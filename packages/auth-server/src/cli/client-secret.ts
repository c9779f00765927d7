import { UsageError } from '@cls/shared/cli/command-line';

const OVERLAP_MAX_S = 30 * 86_400;

/** The option of every command that replaces a client's secret. */
export const OVERLAP = ['--overlap <seconds>', 'how long the old secret stays good', '0'] as const;

/** @throws {UsageError} */
export function parseOverlap(text: string): number {
  const seconds = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= OVERLAP_MAX_S) return seconds;
  throw new UsageError(`--overlap: expected whole seconds from 0 to ${OVERLAP_MAX_S}`);
}

export function secretText(clientId: string, clientSecret: string): string {
  return `client id      ${clientId}\nclient secret  ${clientSecret}\nThe secret is not shown again.`;
}
