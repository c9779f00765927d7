import type { Client, Provider } from 'oidc-provider';

/** Replaces the library's comparison of client secrets by ours, on hashes and several of them. */
export function compareHashedSecrets(
  provider: Provider,
  matches: (client: Client, text: string) => Promise<boolean>,
): void {
  provider.Client.prototype.compareClientSecret = function compare(this: Client, actual: string) {
    return matches(this, actual);
  };
}
