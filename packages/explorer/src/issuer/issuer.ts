import type { Tokens } from '../sessions/session.ts';

/** What one sign-in proves itself with; each value is used once. */
export interface SignInKeys {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface AskedSignIn {
  /** Without a page of the issuer: where the person is signed in there still. */
  readonly silent: boolean;
  /** Also for the permission of a customer's administrators. */
  readonly administers?: boolean;
}

export interface SignedIn extends Tokens {
  readonly subject: string;
  readonly email: string;
  readonly name?: string;
  readonly sid: string;
  readonly idToken: string;
}

/** The issuer answered the sign-in with an error of the protocol. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  /** Such as `login_required` (OpenID Connect Core §3.1.2.6). */
  readonly code: string;

  constructor(code: string, options?: ErrorOptions) {
    super(`the sign-in was refused: ${code}`, options);
    this.code = code;
  }
}

export interface Issuer {
  newKeys(): SignInKeys;
  /**
   * Pushes the request (RFC 9126): the address has no more than its name.
   *
   * @throws {IssuerUnavailable}
   * @throws {SignInRefused} where the explorer may not ask for the administrator's permission
   */
  authorizationUrl(keys: SignInKeys, asked: AskedSignIn): Promise<URL>;
  /**
   * Exchanges the code of an answer, after checking `state`, `iss`, `nonce` and PKCE.
   *
   * @throws {SignInRefused | IssuerUnavailable}
   */
  signIn(callback: URL, keys: SignInKeys): Promise<SignedIn>;
  /** @throws {SignInOver | IssuerUnavailable} */
  renew(refreshToken: string): Promise<Tokens>;
  /**
   * Where a person signs out of everything, without a further question where the ID token is that of
   * the session in this browser. @throws {IssuerUnavailable}
   */
  signOutUrl(idToken: string | undefined): Promise<URL>;
  /** Where its keys are. @throws {IssuerUnavailable} */
  jwksUrl(): Promise<URL>;
}
