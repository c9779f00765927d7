import { Refusal } from '@cls/shared/http/refusal';

/** The token is valid, but its service account is disabled or deleted. */
export function callerDisabled(): Refusal {
  return new Refusal({
    status: 403,
    code: 'caller_disabled',
    title: 'Service account disabled',
    detail: 'The service account of this access token is disabled.',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  });
}

/** The same answer for an account that does not exist and for another customer's account. */
export function accountNotFound(): Refusal {
  return new Refusal({
    status: 404,
    code: 'account_not_found',
    title: 'Account not found',
    detail: 'Your organisation has no account with this id.',
  });
}

/** The same answer for a service account that does not exist and for another customer's. */
export function serviceAccountNotFound(): Refusal {
  return new Refusal({
    status: 404,
    code: 'service_account_not_found',
    title: 'Service account not found',
    detail: 'Your organisation has no service account with this id.',
  });
}

/** Its key may have leaked, but only the operator registers another one. */
export function serviceAccountWithoutSecret(): Refusal {
  return new Refusal({
    status: 409,
    code: 'service_account_without_secret',
    title: 'Service account has no secret',
    detail:
      'This service account proves itself by a key. Ask the operator to register another one.',
  });
}

/** Access to such an account would give the administrator more than it was granted. */
export function accountBeyondCaller(): Refusal {
  return new Refusal({
    status: 403,
    code: 'account_beyond_caller',
    title: 'Account has permissions that you cannot grant',
    detail: 'This account has permissions that you cannot grant. Ask the operator of the service.',
  });
}

export function nothingHere(): Refusal {
  return new Refusal({
    status: 404,
    code: 'not_found',
    title: 'Not found',
    detail: 'There is nothing at this path.',
  });
}

/** @param allowed methods of the path, for `Allow`. */
export function methodNotAllowed(allowed: readonly string[]): Refusal {
  return new Refusal({
    status: 405,
    code: 'method_not_allowed',
    title: 'Method not allowed',
    detail: `Only ${allowed.join(' and ')} ${allowed.length > 1 ? 'are' : 'is'} allowed here.`,
    headers: { Allow: allowed.join(', ') },
  });
}

export function accountExists(): Refusal {
  return new Refusal({
    status: 409,
    code: 'account_exists',
    title: 'Account exists',
    detail: 'Your organisation already has an account with this e-mail address.',
  });
}

/** The rest of the body is not read. */
export function bodyTooLarge(maxBytes: number): Refusal {
  return new Refusal({
    status: 413,
    code: 'body_too_large',
    title: 'Body too large',
    detail: `The body is larger than ${maxBytes} bytes.`,
    headers: { Connection: 'close' },
  });
}

export function unsupportedMediaType(): Refusal {
  return new Refusal({
    status: 415,
    code: 'unsupported_media_type',
    title: 'Media type not supported',
    detail: 'The body must be application/json in UTF-8, without a content encoding.',
  });
}

export function tooManyInvitations(
  whose: 'address' | 'customer',
  { retryAfterS }: { readonly retryAfterS: number },
): Refusal {
  const often = {
    address: 'This address was invited often',
    customer: 'Your organisation has invited many people today',
  } as const;
  return new Refusal({
    status: 429,
    code: 'too_many_invitations',
    title: 'Too many invitations',
    detail: `${often[whose]}; try again in ${retryAfterS} seconds.`,
    headers: { 'Retry-After': `${retryAfterS}` },
  });
}
