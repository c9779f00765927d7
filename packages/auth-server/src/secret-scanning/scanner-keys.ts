import { createPublicKey, type KeyObject } from 'node:crypto';
import { fetchDocument } from '@cls/shared/http/fetch-document';
import { Refusal } from '@cls/shared/http/refusal';
import type { Log } from '@cls/shared/log';
import { whyFailed } from '@cls/shared/outage-log';
import { z } from 'zod';

/** The key that has this identifier; undefined where there is none. @throws {Refusal} 503 */
export type FindScannerKey = (id: string) => Promise<KeyObject | undefined>;

const LIMITS = { timeoutMs: 5_000, maxBytes: 65_536 };
const KEYS_MAX = 32;
const HOUR_MS = 3_600_000;
/** A key that was taken back is refused after so long. */
const READ_AGAIN_MS = HOUR_MS;
/** While their URL does not answer, keys are good for so long. */
const STALE_MAX_MS = 24 * HOUR_MS;
/** Between two readings: unknown identifiers cost nothing, and the limits of the URL are kept. */
const PAUSE_MS = 300_000;
const FIRST_PAUSE_MS = 10_000;

const DOCUMENT = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(KEYS_MAX),
});

/** @param now milliseconds of a clock that is never set. */
export function scannerKeys(
  url: string,
  log: Pick<Log, 'warn'>,
  now: () => number = () => performance.now(),
): FindScannerKey {
  let held:
    | { readonly keys: ReadonlyMap<string, KeyObject>; readonly readAtMs: number }
    | undefined;
  let begunAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async () => {
    try {
      const { document } = await fetchDocument(url, LIMITS);
      const keys = usableKeys(document);
      if (keys.size === 0) throw new Error('no usable key in the document');
      held = { keys, readAtMs: now() };
    } catch (error) {
      log.warn(whyFailed(error as Error), 'the keys of secret scanners cannot be read');
    }
  };
  const ageMs = () => now() - (held?.readAtMs ?? Number.NEGATIVE_INFINITY);
  return async (id) => {
    const pauseMs = held === undefined ? FIRST_PAUSE_MS : PAUSE_MS;
    const wanted = held?.keys.get(id) === undefined || ageMs() > READ_AGAIN_MS;
    if (wanted && now() - begunAtMs > pauseMs) {
      begunAtMs = now();
      reading = read();
    }
    await reading;
    if (ageMs() > STALE_MAX_MS) throw keysUnavailable();
    return held?.keys.get(id);
  };
}

/** Those for ECDSA on P-256, by identifier. */
function usableKeys(document: unknown): ReadonlyMap<string, KeyObject> {
  const { public_keys: listed } = DOCUMENT.parse(document);
  return new Map(
    listed.flatMap(({ key_identifier: id, key: pem }) => {
      const key = publicKeyOf(pem);
      return key?.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? [[id, key] as const] : [];
    }),
  );
}

/** One that cannot be read takes nothing from the others. */
function publicKeyOf(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}

function keysUnavailable(): Refusal {
  return new Refusal({
    status: 503,
    code: 'keys_unavailable',
    title: 'Keys unavailable',
    detail: 'The keys that sign reports cannot be read at the moment. Send the report again later.',
    headers: { 'Retry-After': `${FIRST_PAUSE_MS / 1_000}` },
  });
}
