/**
 * Every `code` of a problem document, of both services and of what stands before them. Each has a
 * page (docs/reference/errors.md): its address is the problem's `type`.
 */
export const PROBLEM_CODES = [
  'account_beyond_caller',
  'account_exists',
  'account_not_found',
  'as_of_before_book',
  'as_of_in_future',
  'body_too_large',
  'caller_disabled',
  'client_closed_request',
  'cursor_mismatch',
  'delta_unavailable',
  'from_before_book',
  'fx_rate_missing',
  'https_required',
  'idempotency_key_in_use',
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'imports_disabled',
  'insufficient_permission',
  'internal',
  'invalid_cursor',
  'invalid_parameter',
  'invalid_profile',
  'invalid_range',
  'invalid_request',
  'keys_unavailable',
  'known_at_before_book',
  'known_at_in_future',
  'ledger_posting',
  'method_not_allowed',
  'missing_token',
  'no_secrets',
  'not_acceptable',
  'not_found',
  'rate_limited',
  'request_timeout',
  'revocations_unavailable',
  'secret_beyond_caller',
  'secret_in_use',
  'secret_not_found',
  'service_account_not_found',
  'signature_invalid',
  'since_as_of_required',
  'source_not_open',
  'statement_budget_spent',
  'token_expired',
  'token_invalid',
  'token_revoked',
  'token_untrusted',
  'too_large',
  'too_long',
  'too_many_at_once',
  'too_many_imports',
  'too_many_invitations',
  'too_many_secrets',
  'unavailable',
  'unknown_parameter',
  'unknown_version',
  'unsupported_media_type',
  'version_brownout',
  'version_retired',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** What else the `code` of one of `errors` may be. Such a problem is `invalid_parameter`. */
export const FAULT_CODES = [
  'contradictory',
  'currency_required',
  'invalid_date',
  'invalid_instant',
  'unknown_field',
] as const;
export type FaultCode = ProblemCode | (typeof FAULT_CODES)[number];

/** The `type` of a problem: the page that explains it. @param baseUrl of the deployment. */
export function problemType(baseUrl: string, code: ProblemCode): string {
  return `${baseUrl}/docs/errors/${code}`;
}
