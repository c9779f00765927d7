import type { Permission } from '@cls/shared/access-token';
import type { ClientProof } from './client-proof.ts';

/** A system-to-system integration: the client of RFC 6749 §4.4. */
export interface ServiceAccount {
  /** `svc_` and 26 characters; also the client_id and the token's `sub`. */
  readonly id: string;
  readonly name: string;
  readonly customer: string;
  readonly permissions: readonly Permission[];
  /** True when the service account or its customer is disabled. */
  readonly disabled: boolean;
  readonly secrets: readonly ClientSecretHash[];
  readonly proof: ClientProof | null;
}

/** A 256-bit random secret needs no slow hash. */
export interface ClientSecretHash {
  /** `sec_` and 26 characters. */
  readonly id: string;
  /** See `ClientSecretHashes`. */
  readonly sha256: string;
  /** Since the epoch; set while an old secret overlaps with its replacement. */
  readonly expiresAtMs?: number;
}

/** What the token path asks for; answers come from a short-lived cache with invalidation. */
export interface ServiceAccountDirectory {
  find(id: string): Promise<ServiceAccount | undefined>;
}
