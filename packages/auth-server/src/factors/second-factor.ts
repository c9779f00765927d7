import type { InsertedFactor, NewFactor } from './factor.ts';

/** Time-based one-time passwords (RFC 6238): 6 digits, 30 seconds, SHA-1, one step of drift. */
export interface SecondFactor {
  /**
   * `accepted` once per time step: accepting a code stores its step, and only later steps are
   * accepted after it. Of concurrent calls with one code exactly one is accepted, the others were
   * `used` already. Until `settle`, the same attempt is accepted again: its answer may have failed.
   *
   * @param attempt identifies the sign-in, or another use, that asks.
   */
  accept(accountId: string, code: string, attempt: string): Promise<CodeOutcome>;
  /** The attempt with this code was answered: from now on the code is refused. */
  settle(accountId: string, attempt: string): Promise<void>;
}

/**
 * When nobody has settled an accepted code for so long, in seconds, the request that brought it has
 * failed, and another one may bring it again. Less than the `Retry-After` of such a failure.
 */
export const UNSETTLED_S = 1.5;

export type CodeOutcome = 'accepted' | 'used' | 'wrong';

export interface TotpFactorRecords extends SecondFactor {
  /**
   * Together with its recovery codes. One that is there already is left as it is.
   *
   * @param secret base32
   * @param provenStep the time step of the code that proved it: no code up to it is accepted.
   * @throws {FactorNameTaken | TooManyFactors}
   */
  add(
    accountId: string,
    factor: NewFactor,
    secret: string,
    provenStep: bigint,
  ): Promise<InsertedFactor>;
  /** For the operator's tool: in place of every TOTP factor that the account has. */
  enrol(accountId: string, secret: string): Promise<void>;
  /** For the operator's tool: every TOTP factor. False where there was none. */
  remove(accountId: string): Promise<boolean>;
}

/** What an operator's enrolment is called. */
export const DEFAULT_TOTP_NAME = 'Authenticator app';
