import { decodeJwt } from 'jose';
import type { Client } from 'oidc-provider';
import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { MfaPolicy } from '../accounts/mfa-policy.ts';
import { isTooOld, type SessionLifetimeSettings } from './session-lifetime.ts';

const { Check } = interactionPolicy;

/**
 * When people are asked to sign in (again): the library's rules, and some of ours. Where nobody may
 * be asked (`prompt=none`), each answers `login_required` (OpenID Connect Core §3.1.2.6).
 */
export function signInPolicy(settings: SessionLifetimeSettings, mfaPolicy: MfaPolicy) {
  const policy = interactionPolicy.base();
  const login = policy.get('login');
  const reasons: readonly (readonly [string, string, (ctx: KoaContextWithOIDC) => boolean])[] = [
    [
      'stronger_authentication',
      'a second factor is asked for',
      ({ oidc: { session, params } }) => {
        const acr = session?.['acr'];
        // `acr_values` names a second factor as the only way (OpenID Connect Core §3.1.2.1).
        const mfaWanted = params?.['acr_values'] === MFA_ACR;
        return (mfaWanted && acr !== MFA_ACR) || !meetsPolicy(acr, mfaPolicy);
      },
    ],
    [
      'account_unusable',
      'the account is disabled or gone',
      ({ oidc }) => oidc.session?.accountId !== undefined && oidc.account === undefined,
    ],
    [
      'session_over',
      'the sign-in is too old',
      ({ oidc: { session, result } }) => {
        const old = session?.accountId !== undefined && isTooOld(settings, session);
        return old && result?.login === undefined;
      },
    ],
    // The library compares the hint with the session before the sign-in, not with the one after it.
    [
      'another_account',
      'another person has signed in',
      ({ oidc: { session, params, result } }) => {
        const { id_token_hint: hint } = params ?? {};
        if (result?.login === undefined || typeof hint !== 'string') return false;
        if (decodeJwt(hint).sub === session?.accountId) return false;
        throw new errors.LoginRequired('another person signed in than id_token_hint names');
      },
    ],
  ];
  for (const [reason, description, asks] of reasons) {
    login?.checks.add(new Check(reason, description, 'login_required', asks));
  }
  // The library asks for every application that is registered as native. What decides is where this
  // answer goes: the platform's own are no exception, for nothing shows that it is they who ask.
  const consent = policy.get('consent');
  const native = consent?.checks.get('native_client_prompt');
  if (consent === undefined || native === undefined) throw new Error('the library has other rules');
  consent.checks.remove('native_client_prompt');
  // A token without a scope is useless. What a person has is known after the sign-in.
  consent.checks.add(
    new Check(
      'nothing_to_grant',
      'the person has none of the scopes that were asked for',
      'access_denied',
      (ctx) => {
        const { account, requestParamScopes: asked } = ctx.oidc;
        const held = (account as { scopes?: readonly string[] } | undefined)?.scopes;
        const gets =
          held === undefined || asked.has('openid') || held.some((one) => asked.has(one));
        if (gets) return false;
        throw new errors.AccessDenied('the person has none of the permissions that were asked for');
      },
    ),
    0,
  );
  consent.checks.add(
    new Check(
      native.reason,
      native.description,
      native.error ?? 'interaction_required',
      (ctx) => {
        const { client, params, result } = ctx.oidc;
        const redirectUri = params?.['redirect_uri'];
        // A second device: the person has typed its code, and a third party asks besides.
        if (client === undefined || typeof redirectUri !== 'string') {
          return client?.['first_party'] !== true && native.check(ctx);
        }
        const gives = params?.['response_type'] !== 'none';
        return gives && result?.consent === undefined && !isAssured(client, redirectUri);
      },
      native.details,
    ),
  );
  return policy;
}

export const MFA_ACR = 'urn:cls:acr:mfa';
/** A password now, and a second factor earlier, in the same browser, which was remembered then. */
export const REMEMBERED_ACR = 'urn:cls:acr:remembered';
export const PASSWORD_ACR = 'urn:cls:acr:password';

/**
 * Authentication context class: one factor, or several (NIST SP 800-63B-4 AAL1 and AAL2), or one in
 * a remembered browser. No application may take the last for a second factor that was just proven.
 */
export function acrOf(amr: readonly string[], remembered: boolean): string {
  if (amr.includes('mfa')) return MFA_ACR;
  return remembered ? REMEMBERED_ACR : PASSWORD_ACR;
}

/** Whether a sign-in of this class is enough where the operator demands a second factor. */
export function meetsPolicy(acr: unknown, mfaPolicy: MfaPolicy): boolean {
  return mfaPolicy !== 'required' || acr === MFA_ACR || acr === REMEMBERED_ACR;
}

/**
 * Whether an answer can reach none but the application that is named (RFC 8252 §8.6). One that keeps
 * a secret proves itself at the token endpoint, and an https redirect URI is its owner's alone. Any
 * program on a person's device can listen on a loopback port or register a private-use scheme, and
 * call itself whatever it likes.
 */
export function isAssured(
  { clientAuthMethod }: Pick<Client, 'clientAuthMethod'>,
  redirectUri: string,
): boolean {
  return clientAuthMethod !== 'none' || redirectUri.startsWith('https:');
}
