import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@cls/shared/clock';
import { type Client, Provider } from 'oidc-provider';
import type { ClientSecretHashes } from '../clients/client-secret.ts';
import type { ClientSecretHash } from '../clients/service-account.ts';
import { contextOf } from './request-context.ts';

/** The id of the live secret of the client that the text is; undefined for any other text. */
export type ProveSecret = (client: Client, text: string) => Promise<string | undefined>;

/** On hashes, and several of them; every hash is compared in constant time. */
export function proveSecret(hashes: Pick<ClientSecretHashes, 'of'>, clock: Clock): ProveSecret {
  return async (client, text) => {
    const sha256 = await hashes.of(text);
    if (sha256 === undefined) return undefined;
    const candidate = Buffer.from(sha256);
    const nowMs = clock.now().getTime();
    let proven: string | undefined;
    for (const one of (client['secret_hashes'] ?? []) as readonly ClientSecretHash[]) {
      const equal = timingSafeEqual(candidate, Buffer.from(one.sha256));
      if (equal && (one.expiresAtMs === undefined || nowMs < one.expiresAtMs)) proven = one.id;
    }
    return proven;
  };
}

/** For the library, whose request remembers which secret it was. */
export function rememberProven(prove: ProveSecret) {
  return async (client: Client, text: string): Promise<boolean> => {
    const proven = await prove(client, text);
    const { ctx } = Provider;
    if (ctx !== undefined && proven !== undefined) contextOf(ctx).provenSecret = proven;
    return proven !== undefined;
  };
}
