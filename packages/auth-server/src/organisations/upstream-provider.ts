import type { Secret } from '@cls/shared/secret';

/** A customer's own OpenID provider, found by the domain of an e-mail address. */
export interface UpstreamListing {
  /** Lower case, ASCII. */
  readonly domain: string;
  readonly customer: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The claim that holds the e-mail address. */
  readonly emailClaim: string;
  /** The claim that is true when the provider has proven that address. */
  readonly emailVerifiedClaim: string;
}

export interface UpstreamProvider extends UpstreamListing {
  readonly clientSecret: Secret;
}

export interface UpstreamRecords {
  list(): Promise<readonly UpstreamListing[]>;
  find(domain: string): Promise<UpstreamProvider | undefined>;
  /** False when the domain has one already. */
  add(provider: UpstreamProvider): Promise<boolean>;
  /** False when the domain has no provider. */
  replaceSecret(domain: string, clientSecret: Secret): Promise<boolean>;
  /**
   * False when there was none. Links to accounts stay, for when it is added again, and let nobody
   * in until then: who has no password can be invited.
   */
  remove(domain: string): Promise<boolean>;
}

/** Which account a provider's subject is. */
export interface UpstreamLinks {
  /** The account id; notes the use. */
  accountOf(issuer: string, subject: string): Promise<string | undefined>;
  /** Ids of the customer's accounts that are linked to subjects of the issuer. */
  accountsOf(issuer: string, customer: string): Promise<readonly string[]>;
  /** Whether the account is some subject's of the issuer already. */
  isLinked(issuer: string, accountId: string): Promise<boolean>;
  /**
   * Links for good, and takes the account's password and the links into it away: from now on the
   * organisation decides who enters. False when either of the two is linked already.
   */
  link(issuer: string, subject: string, accountId: string): Promise<boolean>;
}

/** What the relying party keeps between the two halves of a sign-in. */
export interface AuthorizationKeys {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** What a provider says of somebody, verified: from the ID token, and userinfo where it has more. */
export interface UpstreamIdentity {
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A relying party of OpenID Connect: authorization code with PKCE, state and nonce. */
export interface UpstreamClient {
  newKeys(): AuthorizationKeys;
  /**
   * Where the browser goes.
   *
   * @param again whether the person is to prove themselves anew, although signed in there.
   * @throws {UpstreamFailed}
   */
  authorizationUrl(
    provider: UpstreamProvider,
    redirectUri: string,
    keys: AuthorizationKeys,
    asked: { readonly loginHint: string; readonly again: boolean },
  ): Promise<URL>;
  /** @param callback the redirect URI with the query that the browser brought. @throws {UpstreamFailed} */
  identify(
    provider: UpstreamProvider,
    callback: URL,
    keys: AuthorizationKeys,
  ): Promise<UpstreamIdentity>;
}

/** The provider refused, could not be reached, or sent an answer that is not valid. */
export class UpstreamFailed extends Error {
  override readonly name = 'UpstreamFailed';
  /** For the operator's log; holds no token, code or secret. */
  readonly detail: string;

  constructor(reason: string, detail: string) {
    super(reason);
    this.detail = detail;
  }
}
