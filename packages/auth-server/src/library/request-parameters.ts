/** How parameters of a request are read, and which are refused before anybody signs in. */
import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { OPENID_SCOPES } from '../clients/application.ts';
import { showInPlace } from './reliances/error-in-place.ts';
import { checkParameters } from './reliances/parameter-checks.ts';

/** Parameters of a request of the protocol, as the library has read them; without empty ones. */
export type Parameters = Record<string, unknown>;

/** Lets `adjust` change what a request says before the library looks at it, at each endpoint. */
export function adjustParameters(provider: Provider, adjust: (params: Parameters) => void): void {
  const { OIDCContext } = provider;
  const kept = new WeakMap<object, Parameters>();
  Object.defineProperty(OIDCContext.prototype, 'params', {
    configurable: true,
    get(this: object) {
      return kept.get(this);
    },
    set(this: object, params: Parameters) {
      adjust(params);
      kept.set(this, params);
    },
  });
}

/**
 * Reads a request as its client means it. `prompt=select_account` (OpenID Connect Core §3.1.2.1) asks
 * for a choice of accounts: here people choose one by signing in, so it means `login`.
 */
export function readLeniently(params: Parameters): void {
  const [scopes, prompts] = [wordsOf(params['scope']), wordsOf(params['prompt'])];
  if (scopes !== undefined) params['scope'] = scopes.join(' ') || undefined;
  if (prompts === undefined) return;
  const meant = prompts.map((prompt) => (prompt === 'select_account' ? 'login' : prompt));
  params['prompt'] = [...new Set(meant)].join(' ') || undefined;
}

/** Spaces around a list and between its members count as one (RFC 6749 §3.3 has one alone). */
function wordsOf(list: unknown): readonly string[] | undefined {
  return typeof list === 'string' ? list.split(' ').filter((word) => word !== '') : undefined;
}

/** For requests that were pushed too (RFC 9126). @param scopes every one that exists here. */
export function parameterChecks(scopes: readonly string[]) {
  // Other scopes of OpenID Connect only say what userinfo has besides; they need `openid`.
  const needOpenid: readonly string[] = OPENID_SCOPES.filter((scope) => scope !== 'openid');
  const alone = scopes.filter((scope) => !needOpenid.includes(scope));
  return checkParameters({
    scope(_, asked) {
      if (asked?.split(' ').some((scope) => alone.includes(scope))) return;
      // People would be asked, and no answer of theirs could serve the request (RFC 6749 §3.3).
      const description = 'scope must contain openid or at least one permission of this API';
      throw new errors.InvalidScope(description, asked ?? '');
    },
    response_mode: refuseUndeliverableForm,
    state: refuseLongAnswer,
  });
}

const WEB = /^https?:\/\//i;

/**
 * `response_mode=form_post` (OAuth 2.0 Form Post Response Mode) to a native application's own
 * scheme: a browser sends forms to web addresses alone.
 *
 * @throws {errors.InvalidRequest}
 */
function refuseUndeliverableForm(ctx: KoaContextWithOIDC): void {
  if (!isUndeliverable(ctx)) return;
  throw new errors.InvalidRequest(
    'expected a redirect_uri of https or http with response_mode=form_post, or no response_mode',
  );
}

/** Whatever is wrong with such a request is shown here: its error would be a form as well. */
export function showUndeliverableErrors(provider: Provider): void {
  showInPlace(provider, isUndeliverable);
}

function isUndeliverable({ oidc }: KoaContextWithOIDC): boolean {
  const { response_mode: mode, redirect_uri: target } = oidc.params ?? {};
  return mode === 'form_post' && typeof target === 'string' && !WEB.test(target);
}

/** RFC 8252 §7.3: an application on a person's own device gets its port from the system. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?=[:/?#]|$)/;

/**
 * Redirect URIs are compared character by character. The one exception is the port of a loopback
 * address, for public applications. The library would make it for the name `localhost` too, which
 * may be anybody's (RFC 8252 §8.3), and for confidential ones, which know their port.
 */
export function compareRedirectUris(provider: Provider): void {
  const prototype = provider.Client.prototype as Client & {
    redirectUriAllowed(uri: string): boolean;
  };
  const withAnyPort = prototype.redirectUriAllowed;
  prototype.redirectUriAllowed = function allowed(this: Client, uri: string) {
    if (this.redirectUris?.includes(uri)) return true;
    const mayHaveAnyPort = this.clientAuthMethod === 'none' && LOOPBACK.test(uri);
    return mayHaveAnyPort && withAnyPort.call(this, uri);
  };
}

/**
 * Bytes that the address of an answer may have, without the code. The answer's head must pass every
 * proxy: that of `npm start` and of deploy/nginx.conf takes 32 KiB, and many take 16 KiB or 8 KiB.
 */
const ADDRESS_MAX_BYTES = 8_000;

/** @throws {errors.InvalidRequest} */
function refuseLongAnswer({ oidc }: KoaContextWithOIDC): void {
  const { redirect_uri: target, state } = oidc.params ?? {};
  const fault = answerAddressFault(target, state);
  if (fault !== undefined) throw new errors.InvalidRequest(fault);
}

/**
 * @param target @param state what an application sends and gets back in the address of the answer.
 * @returns what is wrong with an answer that could not be delivered: a code in it would be lost.
 */
export function answerAddressFault(target: unknown, state: unknown): string | undefined {
  if (encodedLength(target) + encodedLength(state) <= ADDRESS_MAX_BYTES) return undefined;
  return `the redirect URI and state must not be longer than ${ADDRESS_MAX_BYTES} bytes together, percent-encoded`;
}

/** The longest form that any encoder of query strings gives a text. */
function encodedLength(value: unknown): number {
  if (typeof value !== 'string') return 0;
  return new URLSearchParams([['', value]]).toString().slice(1).replaceAll('+', '%20').length;
}
