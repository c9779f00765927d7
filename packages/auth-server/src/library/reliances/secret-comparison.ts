import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@cls/shared/clock';
import type { Client, Provider } from 'oidc-provider';
import type { ClientSecretHash } from '../../clients/service-account.ts';

/** Replaces the library's comparison of client secrets by ours, on hashes and several of them. */
export function compareHashedSecrets(provider: Provider, clock: Clock): void {
  provider.Client.prototype.compareClientSecret = function compare(this: Client, actual: string) {
    const sha256 = hash('sha256', actual, 'base64url');
    const hashes = (this['secret_hashes'] ?? []) as readonly ClientSecretHash[];
    return matchesSecret(sha256, hashes, clock.now().getTime());
  };
}

/** Whether the digest is one of the live hashes; every hash is compared in constant time. */
function matchesSecret(
  sha256: string,
  hashes: readonly ClientSecretHash[],
  nowMs: number,
): boolean {
  const candidate = Buffer.from(sha256);
  let found = false;
  for (const { sha256: known, expiresAtMs } of hashes) {
    const equal = timingSafeEqual(candidate, Buffer.from(known));
    if (equal && (expiresAtMs === undefined || nowMs < expiresAtMs)) found = true;
  }
  return found;
}
