import type { Clock } from '@cls/shared/clock';
import type { Secret } from '@cls/shared/secret';
import * as client from 'openid-client';
import { IssuerUnavailable, SignInOver, type Tokens } from '../sessions/session.ts';
import { type Issuer, SignInRefused } from './issuer.ts';

export interface IssuerSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** Of the explorer itself. */
  readonly baseUrl: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** Asked for besides where a person sees what administrators of a customer see. */
  readonly administratorScope: string;
  /** How long the issuer may take for one answer, in seconds. */
  readonly timeoutS: number;
}

/** Where answers to sign-ins go, below the explorer's base URL. */
export const CALLBACK_PATH = '/callback';
/** Where people come back to after signing out. */
export const SIGNED_OUT_PATH = '/signed-out';

/** OpenID Connect Core §2: 1 to 255 ASCII characters. */
const SUBJECT = /^[\x20-\x7E]{1,255}$/;

/**
 * Metadata is read at the first need, and again when reading it failed. The key set is read for each answer
 * with an ID token: the library would take a minute to notice a key that the issuer signs with at once.
 */
export function openIdIssuer(settings: IssuerSettings, clock: Clock): Issuer {
  const { issuer, clientId, clientSecret, baseUrl, scope, administratorScope, timeoutS } = settings;
  const authentication = client.ClientSecretBasic(clientSecret.expose());
  // The configuration refuses an http issuer in production.
  const mayBeHttp = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
  let discovered: Promise<client.Configuration> | undefined;
  const configuration = () => {
    discovered ??= client
      .discovery(new URL(issuer), clientId, undefined, authentication, {
        timeout: timeoutS,
        execute: mayBeHttp,
      })
      .catch((cause: unknown) => {
        discovered = undefined;
        throw new IssuerUnavailable('the issuer’s metadata cannot be read', { cause });
      });
    return discovered;
  };
  /** One that has read no keys yet, for an answer with an ID token. */
  const withoutKeys = async () => {
    const metadata = (await configuration()).serverMetadata();
    const fresh = new client.Configuration(metadata, clientId, undefined, authentication);
    fresh.timeout = timeoutS;
    for (const extend of [client.enableNonRepudiationChecks, ...mayBeHttp]) extend(fresh);
    return fresh;
  };
  const tokensOf = (answer: client.TokenEndpointResponse): Tokens => ({
    accessToken: answer.access_token,
    accessExpiresAt: clock.now().getTime() + (answer.expires_in ?? 0) * 1_000,
    ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
  });
  return {
    newKeys: () => ({
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    }),
    async authorizationUrl({ state, nonce, codeVerifier }, { silent, administers = false }) {
      const config = await configuration();
      const parameters = {
        redirect_uri: `${baseUrl}${CALLBACK_PATH}`,
        scope: administers ? `${scope} ${administratorScope}` : scope,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(silent ? { prompt: 'none' } : {}),
      };
      return client.buildAuthorizationUrlWithPAR(config, parameters).catch((error: unknown) => {
        if (administers && isInvalidScope(error)) throw new SignInRefused(error.error);
        return unavailable(error);
      });
    },
    async signIn(callback, { state, nonce, codeVerifier }) {
      const config = await withoutKeys();
      try {
        const answer = await client.authorizationCodeGrant(config, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = answer.claims();
        const { id_token: idToken } = answer;
        const sid = claims?.['sid'];
        if (idToken === undefined || typeof sid !== 'string' || sid === '') {
          throw new SignInRefused('no_session_id');
        }
        if (claims === undefined || !SUBJECT.test(claims.sub)) {
          throw new SignInRefused('subject_invalid');
        }
        const person = await client.fetchUserInfo(config, answer.access_token, claims.sub);
        return {
          ...tokensOf(answer),
          subject: claims.sub,
          sid,
          idToken,
          email: person.email ?? claims.sub,
          ...(person.name === undefined ? {} : { name: person.name }),
        };
      } catch (error) {
        throw refusalOf(error);
      }
    },
    async renew(refreshToken) {
      const config = await withoutKeys();
      try {
        return tokensOf(await client.refreshTokenGrant(config, refreshToken));
      } catch (error) {
        if (isRefusal(error)) {
          throw new SignInOver('the issuer gives no tokens any more', { cause: error.error });
        }
        return unavailable(error);
      }
    },
    async signOutUrl(idToken) {
      return client.buildEndSessionUrl(await configuration(), {
        post_logout_redirect_uri: `${baseUrl}${SIGNED_OUT_PATH}`,
        // It opens nothing: it says which session is to end, and that we are asked by its person.
        ...(idToken === undefined ? {} : { id_token_hint: idToken }),
      });
    },
    async jwksUrl() {
      return new URL((await configuration()).serverMetadata().jwks_uri ?? '');
    },
  };
}

/** The operator has not registered the explorer for a scope. */
function isInvalidScope(error: unknown): error is client.ResponseBodyError {
  return error instanceof client.ResponseBodyError && error.error === 'invalid_scope';
}

/** Of the code or the token itself; the same request may be granted after a 429 or a 5xx. */
function isRefusal(error: unknown): error is client.ResponseBodyError {
  return error instanceof client.ResponseBodyError && error.status < 429;
}

/** What was sent may hold tokens: no more of it than the protocol's code is kept. */
function refusalOf(error: unknown): Error {
  if (error instanceof SignInRefused) return error;
  if (error instanceof client.AuthorizationResponseError) return new SignInRefused(error.error);
  if (isRefusal(error)) return new SignInRefused(error.error);
  if (error instanceof client.ClientError && error.code?.startsWith('OAUTH_') === true) {
    // A wrong state, issuer, nonce or signature; a server's failure has a status.
    return isServerFailure(error) ? asUnavailable(error) : new SignInRefused(error.code);
  }
  return asUnavailable(error);
}

function isServerFailure({ cause }: Error): boolean {
  return cause instanceof Response && cause.status >= 500;
}

function unavailable(error: unknown): never {
  throw asUnavailable(error);
}

function asUnavailable(error: unknown): IssuerUnavailable {
  const reason = reasonOf(error);
  return new IssuerUnavailable(`the issuer does not answer as expected (${reason})`);
}

/** The issuer's own words say what to mend: a scope that the application lacks, a wrong secret. */
function reasonOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError) {
    return [error.error, error.error_description].filter((part) => part !== undefined).join(': ');
  }
  return error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
}
