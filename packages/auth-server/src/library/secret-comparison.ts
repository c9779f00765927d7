import { createHash } from 'node:crypto';
import type { Clock } from '@cls/shared/clock';
import type { Client, Provider } from 'oidc-provider';
import { matchesSecret, type SecretHash } from './client-metadata.ts';

/** Replaces the library's comparison of client secrets by ours, on hashes and several of them. */
export function compareHashedSecrets(provider: Provider, clock: Clock): void {
  provider.Client.prototype.compareClientSecret = function compare(this: Client, actual: string) {
    const sha256 = createHash('sha256').update(actual).digest('base64url');
    const hashes = (this['secret_hashes'] ?? []) as readonly SecretHash[];
    return matchesSecret(sha256, hashes, clock.now().getTime());
  };
}
