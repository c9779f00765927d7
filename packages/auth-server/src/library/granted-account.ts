import type { Account } from '../accounts/account.ts';

/** How a person proved who they are, for the claims of RFC 9068 §2.2.1. */
export interface Authentication {
  readonly account: Account;
  /** Whole seconds since the epoch. */
  readonly authTimeS: number;
  /** RFC 8176 values: `pwd`, and `otp` and `mfa` with a second factor. */
  readonly amr: readonly string[];
}

const authentications = new WeakMap<object, Authentication>();

/** Notes who this request has authenticated, for the callbacks the library makes later. */
export function noteAuthentication(ctx: object, authentication: Authentication): void {
  authentications.set(ctx, authentication);
}

export function authenticationOf(ctx: object): Authentication | undefined {
  return authentications.get(ctx);
}

export function grantedAccount(ctx: object): Account | undefined {
  return authentications.get(ctx)?.account;
}

const tried = new WeakMap<object, string>();

/** Notes whose account this request is about, though it may be refused. */
export function noteTriedAccount(ctx: object, accountId: string): void {
  tried.set(ctx, accountId);
}

export function triedAccountOf(ctx: object): string | undefined {
  return tried.get(ctx);
}

export const MFA_ACR = 'urn:cls:acr:mfa';
export const PASSWORD_ACR = 'urn:cls:acr:password';

/** Authentication context class: one factor, or several (NIST SP 800-63B-4 AAL1 and AAL2). */
export function acrOf(amr: readonly string[]): string {
  return amr.includes('mfa') ? MFA_ACR : PASSWORD_ACR;
}
