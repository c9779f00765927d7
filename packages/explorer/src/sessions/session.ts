/** What the explorer knows of a person who signed in; it stays on the server. */
export interface Session {
  readonly subject: string;
  readonly email: string;
  readonly name?: string;
  /** The issuer's name of the session. */
  readonly sid: string;
  readonly accessToken: string;
  /** Milliseconds since the epoch. */
  readonly accessExpiresAt: number;
  /** Absent where the issuer gave none. */
  readonly refreshToken?: string;
  /** Names this session to the issuer when the person signs out; sessions of 0.5.0 lack it. */
  readonly idToken?: string;
  readonly signedInAt: number;
}

/** What the issuer gives for a code or a refresh token. */
export interface Tokens {
  readonly accessToken: string;
  readonly accessExpiresAt: number;
  readonly refreshToken?: string;
}

/** The issuer did not answer, or not as a provider does: nothing is known. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** The issuer gives no tokens any more: the person must sign in. */
export class SignInOver extends Error {
  override readonly name = 'SignInOver';
}
