import { usableKeys } from '../access/key-check.ts';
import { reasonOf } from '../reason.ts';
import { clockFinding } from './check-clock.ts';
import { type Finding, findingsOf } from './finding.ts';

const TIMEOUT_MS = 5_000;
/** The `Date` of an answer has whole seconds. */
const DATE_UNCERTAIN_S = 1;

/** An answer of another service. @throws {Error} when it does not come. */
export async function fetchOf(
  url: string,
  { headers, ...more }: Pick<RequestInit, 'method' | 'headers' | 'body'> = {},
): Promise<{ response: Response; tookMs: number }> {
  const startedMs = performance.now();
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { accept: 'application/json', ...headers },
    ...more,
  });
  return { response, tookMs: performance.now() - startedMs };
}

export interface KeySetExpectation {
  readonly toleranceS: number;
  /** That must be in it. */
  readonly kids?: readonly string[];
  /** Whether whoever serves it may not run yet. */
  readonly mayBeDown?: boolean;
}

/** The key set of the issuer, as the API reads it, and the issuer's clock. */
export async function checkKeySet(
  url: string,
  { toleranceS, kids = [], mayBeDown = false }: KeySetExpectation,
): Promise<readonly Finding[]> {
  const findings = findingsOf('key set');
  const { ok, failed } = findings;
  const away = mayBeDown ? findings.warning : failed;
  const todo = `open ${url} from this machine: check the ingress, the certificate (NODE_EXTRA_CA_CERTS for a CA of your own), and that auth-server runs`;
  try {
    const { response, tookMs } = await fetchOf(url);
    if (response.status !== 200) {
      await response.body?.cancel();
      return [away('reachable', `${url} answers ${response.status}`, todo)];
    }
    const keys = await usableKeys(await response.json().catch(() => undefined));
    if (keys === undefined || keys.size === 0) {
      return [failed('keys', `${url} is not a key set with a usable key`, todo)];
    }
    const missing = kids.filter((kid) => !keys.has(kid));
    const clock = clockFinding(findings, {
      aheadS: (Date.parse(response.headers.get('date') ?? '') + 500 - Date.now()) / 1_000 || 0,
      uncertainS: DATE_UNCERTAIN_S + tookMs / 1_000,
      toleranceS,
    });
    return [
      missing.length === 0
        ? ok('keys', `${keys.size} key(s) at ${url}`)
        : failed(
            'keys',
            `${url} lacks ${missing.join(', ')}`,
            `it belongs to another auth-server, or a cache keeps an old set: ${todo}`,
          ),
      clock,
    ];
  } catch (error) {
    return [away('reachable', `${url}: ${reasonOf(error)}`, todo)];
  }
}
