/** What a restored installation forgets, because a backup cannot know what became of it since. */
export interface AfterRestore {
  /**
   * Ends all that is signed in or remembered, and everything that works once: whatever of it was
   * spent, ended or withdrawn after the backup stays so. No server may run meanwhile.
   *
   * @param keepRecoveryCodes where it is certain that none was used since.
   */
  forget(options: { readonly keepRecoveryCodes: boolean }): Promise<Forgotten>;
}

/** How many of each were there. */
export interface Forgotten {
  readonly sessions: number;
  readonly applicationGrants: number;
  readonly rememberedDevices: number;
  readonly consents: number;
  readonly links: number;
  readonly recoveryCodes: number;
  readonly authenticatorApps: number;
}
