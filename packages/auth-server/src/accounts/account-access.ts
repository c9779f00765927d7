/** What people are signed in to and have granted. */
export interface AccountAccess {
  /**
   * Ends every session, grant, code and refresh token of the account at once.
   *
   * @param exceptSession id of the session that goes on (the provider's `session.jti`).
   */
  endAll(accountId: string, exceptSession?: string): Promise<void>;
}
