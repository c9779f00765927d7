import type { ReadinessCheck } from '@cls/shared/http/health';

/** A check that takes longer has failed. */
const TIMEOUT_MS = 2_000;

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
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}
