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

/** Access to such an account would give the administrator more than it was granted. */
export function accountBeyondCaller(): Refusal {
  return new Refusal({
    status: 403,
    code: 'account_beyond_caller',
    title: 'Account has permissions that you cannot grant',
    detail: 'This account has permissions that you cannot grant. Ask the operator of the service.',
  });
}

/** The same answer for a secret that does not exist and for another service account's. */
export function secretNotFound(): Refusal {
  return new Refusal({
    status: 404,
    code: 'secret_not_found',
    title: 'Secret not found',
    detail: 'The service account has no secret with this id.',
  });
}

/** The administrator would get more than it was granted, or a secret of its own. */
export function secretBeyondCaller(own: boolean): Refusal {
  const why = own
    ? 'A service account gets no secret of its own.'
    : 'This service account has permissions that you neither have nor can grant.';
  return new Refusal({
    status: 403,
    code: 'secret_beyond_caller',
    title: 'You may not have a secret of this service account',
    detail: `${why} Ask the operator of the service.`,
  });
}

/** Only one that proves itself by a secret has secrets. */
export function noSecrets(method: string): Refusal {
  return new Refusal({
    status: 409,
    code: 'no_secrets',
    title: 'Service account has no secrets',
    detail: `The service account proves itself by ${method} and has no secrets.`,
  });
}

/** Whatever uses the secret would stop working. */
export function secretInUse(lastUsedAt: Date | undefined): Refusal {
  return new Refusal({
    status: 409,
    code: 'secret_in_use',
    title: 'Secret in use',
    detail: `The secret got a token at ${lastUsedAt?.toISOString()}. Replace it and keep the old one for a time, or send force=true.`,
  });
}

/** @param max live ones of a service account. */
export function tooManySecrets(max: number): Refusal {
  return new Refusal({
    status: 409,
    code: 'too_many_secrets',
    title: 'Too many secrets',
    detail: `A service account has at most ${max} live secrets. End one that is not needed.`,
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
