import { errors } from 'oidc-provider';
import type { OverBudget } from '../clients/token-budget.ts';

/** A service account asks for tokens far more often than they expire (RFC 6585 §4). */
export class TooManyTokens extends errors.OIDCProviderError {
  readonly retryAfterS: number;
  readonly first: boolean;

  constructor({ waitS, first }: OverBudget) {
    super(429, 'too_many_tokens');
    this.error_description = `keep a token until it expires, and use it for all requests; the next one can be had in ${waitS} seconds`;
    this.retryAfterS = waitS;
    this.first = first;
  }
}
