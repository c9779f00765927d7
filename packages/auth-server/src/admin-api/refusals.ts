import type { ProblemCode } from '@cls/shared/http/problem-codes';
import { Refusal } from '@cls/shared/http/refusal';
import { SECRETS_MAX } from '../clients/client-secret-records.ts';

/** What each code means. Where a code has no detail, the place that refuses gives one. */
export const REFUSALS = {
  /** The token is valid, but its service account is disabled or deleted. */
  caller_disabled: {
    status: 403,
    title: 'Service account disabled',
    detail: 'The service account of this access token is disabled.',
  },
  /** The same answer for an account that does not exist and for another customer's account. */
  account_not_found: {
    status: 404,
    title: 'Account not found',
    detail: 'Your organisation has no account with this id.',
  },
  /** The same answer for a service account that does not exist and for another customer's. */
  service_account_not_found: {
    status: 404,
    title: 'Service account not found',
    detail: 'Your organisation has no service account with this id.',
  },
  /** Access to such an account would give the administrator more than it was granted. */
  account_beyond_caller: {
    status: 403,
    title: 'Account has permissions that you cannot grant',
    detail: 'This account has permissions that you cannot grant. Ask the operator of the service.',
  },
  /** The same answer for a secret that does not exist and for another service account's. */
  secret_not_found: {
    status: 404,
    title: 'Secret not found',
    detail: 'The service account has no secret with this id.',
  },
  secret_beyond_caller: {
    status: 403,
    title: 'You may not have a secret of this service account',
  },
  /** Only one that proves itself by a secret has secrets. */
  no_secrets: { status: 409, title: 'Service account has no secrets' },
  /** Whatever uses the secret would stop working. */
  secret_in_use: { status: 409, title: 'Secret in use' },
  too_many_secrets: {
    status: 409,
    title: 'Too many secrets',
    detail: `A service account has at most ${SECRETS_MAX} live secrets. End one that is not needed.`,
  },
  not_found: { status: 404, title: 'Not found', detail: 'There is nothing at this path.' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  account_exists: {
    status: 409,
    title: 'Account exists',
    detail: 'Your organisation already has an account with this e-mail address.',
  },
  body_too_large: { status: 413, title: 'Body too large' },
  unsupported_media_type: {
    status: 415,
    title: 'Media type not supported',
    detail: 'The body must be application/json in UTF-8, without a content encoding.',
  },
  too_many_invitations: { status: 429, title: 'Too many invitations' },
} as const satisfies Partial<Record<ProblemCode, Described>>;

interface Described {
  readonly status: number;
  readonly title: string;
  readonly detail?: string;
}

export type RefusalCode = keyof typeof REFUSALS;

export function refusal(
  code: RefusalCode,
  detail?: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  const { detail: usual = '', ...described }: Described = REFUSALS[code];
  return new Refusal({ code, ...described, detail: detail ?? usual, headers });
}

export function callerDisabled(): Refusal {
  return refusal('caller_disabled', undefined, {
    'WWW-Authenticate': 'Bearer error="invalid_token"',
  });
}

/** @param allowed methods of the path, for `Allow`. */
export function methodNotAllowed(allowed: readonly string[]): Refusal {
  const detail = `Only ${allowed.join(' and ')} ${allowed.length > 1 ? 'are' : 'is'} allowed here.`;
  return refusal('method_not_allowed', detail, { Allow: allowed.join(', ') });
}

/** The rest of the body is not read. */
export function bodyTooLarge(maxBytes: number): Refusal {
  const detail = `The body is larger than ${maxBytes} bytes.`;
  return refusal('body_too_large', detail, { Connection: 'close' });
}

export function tooManyInvitations(
  whose: 'address' | 'customer',
  { retryAfterS }: { readonly retryAfterS: number },
): Refusal {
  const often = {
    address: 'This address was invited often',
    customer: 'Your organisation has invited many people today',
  } as const;
  const detail = `${often[whose]}; try again in ${retryAfterS} seconds.`;
  return refusal('too_many_invitations', detail, { 'Retry-After': `${retryAfterS}` });
}
