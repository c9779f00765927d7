import { fetchBounded } from '@cls/shared/http/fetch-document';
import type { ReadinessCheck } from '@cls/shared/http/health';

const LIMITS = { timeoutMs: 2_000, maxBytes: 1_048_576 };

interface Needed {
  readonly issuer: string;
  /** Without a version: its list of versions needs no token. */
  readonly apiUrl: string;
  readonly sessionsReady: () => Promise<void>;
}

/**
 * Whether everything that pages need answers now. Readiness is less: it passes once the issuer's metadata
 * was read, and a replica is ready while the API is away.
 */
export function outageChecks({ issuer, apiUrl, sessionsReady }: Needed): readonly ReadinessCheck[] {
  return [
    { name: 'sessions', check: sessionsReady },
    { name: 'issuer', check: () => answers(`${issuer}/.well-known/openid-configuration`) },
    { name: 'api', check: () => answers(apiUrl) },
  ];
}

async function answers(url: string): Promise<void> {
  await fetchBounded(url, {}, LIMITS);
}
