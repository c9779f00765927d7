import { type StatusReference, statusIndex } from '@cls/shared/access/status-list';

/** Whose token it is. All that a revocation can name. */
export interface TokenHolder {
  /** The `sub` of the token. */
  readonly subject: string;
  readonly clientId: string;
  /** Of the secret that the client proved. */
  readonly secretId?: string | undefined;
  /** Those of a service account, as its record had them for the token. */
  readonly permissions?: readonly string[] | undefined;
  /** Digest of the id of the grant. */
  readonly grant?: string | undefined;
}

/** Indices from the first to the last. */
export interface Indices {
  readonly first: number;
  readonly last: number;
}

/** Tokens that are revoked together. */
export type TokensOf =
  | { readonly customer: string }
  | { readonly subject: string }
  | { readonly client: string }
  | { readonly secret: string }
  | { readonly grant: string };

/** Why tokens were revoked: see docs/reference/tokens.md. */
export type RevokedFor =
  | 'access_ended'
  | 'application_changed'
  | 'compromised'
  | 'customer_disabled'
  | 'grant_ended'
  | 'restored'
  | 'secret_revoked'
  | 'service_account_changed'
  | 'token_revoked';

export interface Revocation {
  readonly at: Date;
  readonly for: RevokedFor;
}

/** Which tokens are revoked. */
export interface TokenStatusRecords {
  /**
   * Indices for tokens of the holder, which begin to be made within `forS` seconds. Undefined where the
   * holder may have no such token any more: its secret ended, it was disabled or lost a permission a moment ago.
   */
  lease(holder: TokenHolder, count: number, forS: number): Promise<Indices | undefined>;
  /** Revokes what lives. @returns how many leases, each of several tokens. */
  revoke(tokens: TokensOf, why: RevokedFor): Promise<number>;
  /** Revokes one token. @param expiresAtS when it ends, since the epoch. */
  revokeOne(index: number, holder: TokenHolder, expiresAtS: number): Promise<void>;
  /** Whether this index, or a later one, was leased. */
  hasLeased(index: number): Promise<boolean>;
  /** Those within a range, in their order. */
  revokedWithin(range: Indices): Promise<readonly Indices[]>;
  /** Undefined for an index that is not revoked. */
  revocationOf(index: number): Promise<Revocation | undefined>;
  /** Hears that something was revoked. */
  onRevocation(listener: () => void): Promise<void>;
}

/** What revoked the token with this claim `status`; undefined where nothing did, and for one without a place. */
export async function revocationOfToken(
  tokens: Pick<TokenStatusRecords, 'revocationOf'>,
  issuer: string,
  status: StatusReference | undefined,
): Promise<Revocation | undefined> {
  const index = status && statusIndex(issuer, status);
  return index === undefined ? undefined : tokens.revocationOf(index);
}
