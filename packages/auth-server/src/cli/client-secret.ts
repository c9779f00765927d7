import { wholeNumber } from '@cls/shared/cli/options';
import { z } from 'zod';

const OVERLAP_MAX_S = 30 * 86_400;

/** The option of every command that replaces a client's secret. */
export const OVERLAP = ['--overlap <seconds>', 'how long the old secret stays good', '0'] as const;
export const OVERLAP_OPTION = z.object({
  overlap: wholeNumber(0, OVERLAP_MAX_S, `expected whole seconds from 0 to ${OVERLAP_MAX_S}`),
});

export function secretText(clientId: string, clientSecret: string): string {
  return `client id      ${clientId}\nclient secret  ${clientSecret}\nThe secret is not shown again.`;
}
