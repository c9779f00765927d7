/** A link that was sent to a person by e-mail. */
export type LinkPurpose = 'invitation' | 'password_reset';

export interface AccountLink {
  readonly accountId: string;
  readonly expiresAt: Date;
}

/** Links, found by the token in them: 256 random bits, stored as a digest. */
export interface AccountLinks {
  /** Replaces an older link of the same purpose. @returns the token, in base64url. */
  create(
    accountId: string,
    purpose: LinkPurpose,
    ttlS: number,
  ): Promise<AccountLink & { token: string }>;
  /** Undefined when unknown, replaced, used or expired. */
  find(purpose: LinkPurpose, token: string): Promise<AccountLink | undefined>;
  /**
   * Sets the account's password and ends every link to it, in one step. False when the link is not
   * valid. Of concurrent calls exactly one gets true.
   */
  useForPassword(purpose: LinkPurpose, token: string, passwordHash: string): Promise<boolean>;
  /**
   * The account of a link that was used a moment ago. Answers a few times only, because the
   * caller compares a password each time.
   */
  usedJustNow(purpose: LinkPurpose, token: string): Promise<string | undefined>;
  removeAll(accountId: string): Promise<void>;
}
