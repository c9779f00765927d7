import { errors } from '../../library/oidc.ts';
import { TooManyTokens } from '../../library/too-many-tokens.ts';

/** Too many failed attempts (RFC 6585 §4). `retryAfterS` becomes `Retry-After`. */
export class TooManyAttempts extends errors.OIDCProviderError {
  readonly retryAfterS: number;
  /** Of those that one block refused. */
  readonly first: boolean;

  constructor(retryAfterS: number, first: boolean) {
    super(429, 'too_many_attempts');
    this.error_description = `too many failed attempts; try again in ${retryAfterS} seconds`;
    this.retryAfterS = retryAfterS;
    this.first = first;
  }
}

/** Whether waiting ends the refusal. Of a series of these only the `first` is recorded. */
export function isTooMany(error: unknown): error is TooManyAttempts | TooManyTokens {
  return error instanceof TooManyAttempts || error instanceof TooManyTokens;
}

/** It has not the form of a secret, or its checksum is wrong: whoever sends it has not the whole of it. */
export function impossibleSecret(): errors.OIDCProviderError {
  const error = new errors.InvalidClientAuth('a secret that was never made here');
  error.error_description =
    'client authentication failed: the secret was never made here; expected cls_ and 49 letters and digits, whole and unchanged';
  return error;
}

/** A second factor is needed; with the token, the caller sends the code alone. */
export class MfaRequired extends errors.OIDCProviderError {
  readonly mfaToken: string;

  constructor(mfaToken: string) {
    super(403, 'mfa_required');
    this.error_description = 'send {"mfa_token", "otp"} with a one-time code';
    this.mfaToken = mfaToken;
  }
}

/** The policy asks for a second factor and the account has none. */
export class MfaEnrolmentRequired extends errors.OIDCProviderError {
  constructor() {
    super(403, 'mfa_enrolment_required');
    this.error_description = 'this account must enrol a second factor before it gets a token';
  }
}

/** The one answer to a wrong e-mail, password, code or second-factor token. */
export class CredentialsRefused extends errors.InvalidGrant {
  /** Which it was, for the operator's log and never for the caller. */
  readonly why: string;

  constructor(why: string) {
    super('credentials refused');
    this.error_description = 'e-mail, password or one-time code is not right';
    this.why = why;
  }
}

/** Bytes; the library's own limit for forms. */
export const BODY_MAX_BYTES = 56 * 1024;

export function tooLarge(): errors.OIDCProviderError {
  return new errors.InvalidRequest(`the body is larger than ${BODY_MAX_BYTES} bytes`, 413);
}

/** People's passwords come as JSON and never in the form of the grant that OAuth 2.1 dropped. */
export function passwordGrantRefused(): errors.OIDCProviderError {
  const error = new errors.UnsupportedGrantType();
  error.error_description =
    'grant_type=password is not supported; for a person, send JSON: {"email", "password"}, and "otp" where the account has a second factor';
  return error;
}
