/** Time-based one-time passwords (RFC 6238): 6 digits, 30 seconds, SHA-1, one step of drift. */
export interface SecondFactor {
  /**
   * True once per time step: accepting a code stores its step, and only later steps are accepted
   * after it. Of concurrent calls with one code exactly one gets true.
   */
  verify(accountId: string, code: string): Promise<boolean>;
}

/** Enrolment, for the operator's tool. */
export interface TotpFactorRecords extends SecondFactor {
  /** Replaces a factor that the account has. @param secret base32 */
  enrol(accountId: string, secret: string): Promise<void>;
  remove(accountId: string): Promise<void>;
}
