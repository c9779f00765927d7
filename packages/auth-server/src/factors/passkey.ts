import type { Account } from '../accounts/account.ts';
import type { InsertedFactor, NewFactor } from './factor.ts';

/** A WebAuthn public key credential of an account. */
export interface Passkey extends NewPasskey {
  readonly factorId: string;
  readonly accountId: string;
  /** Digest of the challenge that it answered last. */
  readonly usedFor: string | null;
}

export interface NewPasskey {
  /** base64url, as in WebAuthn's JSON. */
  readonly credentialId: string;
  /** COSE_Key, base64url. */
  readonly publicKey: string;
  /** 0 where the authenticator keeps none. */
  readonly counter: number;
  readonly transports: readonly string[];
  readonly synced: boolean;
}

/** One that was just made. */
export interface CreatedPasskey extends NewPasskey {
  readonly userVerified: boolean;
}

export interface PasskeyRecords {
  ofAccount(accountId: string): Promise<readonly Passkey[]>;
  findPasskey(credentialId: string): Promise<Passkey | undefined>;
  /**
   * Together with its recovery codes. One that is there already is left as it is.
   *
   * @throws {FactorNameTaken | TooManyFactors | PasskeyTaken}
   */
  addPasskey(accountId: string, factor: NewFactor, passkey: NewPasskey): Promise<InsertedFactor>;
  /**
   * Stores the counter and the time of use. False when the counter did not rise, as it does not
   * when an authenticator was cloned: of concurrent calls with one counter exactly one gets true,
   * save for the answer to one challenge, which is good once by itself.
   */
  usePasskey(credentialId: string, counter: number, challenge: string): Promise<boolean>;
}

/** The credential is registered already, here or with another account. */
export class PasskeyTaken extends Error {
  override readonly name = 'PasskeyTaken';
}

/** The relying party's half of the WebAuthn ceremonies (level 3, §7). */
export interface WebAuthn {
  /** Options for the browser, in WebAuthn's JSON; `challenge` is among them. */
  creationOptions(account: Account, existing: readonly Passkey[]): Promise<CeremonyOptions>;
  /** Without `allowed` any discoverable passkey is asked for, and verification of the person. */
  requestOptions(allowed?: readonly Passkey[]): Promise<CeremonyOptions>;
  /** Undefined when anything about it is not right. */
  verifyCreation(credential: object, challenge: string): Promise<CreatedPasskey | undefined>;
  /** Undefined when anything about it is not right. */
  verifyAssertion(
    credential: object,
    challenge: string,
    passkey: Passkey,
  ): Promise<Assertion | undefined>;
}

export interface CeremonyOptions {
  readonly challenge: string;
}

export interface Assertion {
  readonly counter: number;
  readonly userVerified: boolean;
}
