import type { JsonSchema, ResponseObject } from '../openapi.ts';
import { integer, listOf, object, text } from '../schema.ts';

/**
 * Which `code`s a status may have. New codes may come: a client treats a code that it does not know
 * by its status.
 */
const CODES: Readonly<Record<string, readonly [string, string, ...string[]]>> = {
  400: [
    'BadRequest',
    'A parameter is wrong; `errors` has all that are.',
    ...['invalid_parameter', 'unknown_parameter', 'as_of_in_future', 'as_of_before_book'],
    ...['known_at_in_future', 'known_at_before_book', 'from_before_book', 'invalid_range'],
    ...['since_as_of_required', 'invalid_cursor', 'cursor_mismatch'],
  ],
  401: ['Unauthorized', 'No token was sent.', 'missing_token'],
  403: [
    'Forbidden',
    'The token is expired, not trusted or lacks the permission.',
    ...['token_expired', 'token_revoked', 'token_untrusted', 'token_invalid'],
    'insufficient_permission',
  ],
  404: ['NotFound', 'There is no such record, or it was not granted.', 'not_found'],
  406: ['NotAcceptable', 'None of the media types of `Accept` is available.', 'not_acceptable'],
  410: [
    'Gone',
    'There is no delta for this copy, or the version is not served.',
    ...['delta_unavailable', 'version_brownout', 'version_retired'],
  ],
  422: ['NoExchangeRate', 'A rate is missing.', 'fx_rate_missing'],
  429: [
    'TooManyRequests',
    'Send the request again after `Retry-After`.',
    ...['rate_limited', 'too_many_at_once', 'statement_budget_spent'],
  ],
  500: ['InternalError', 'Something went wrong on our side.', 'internal'],
  503: [
    'Unavailable',
    'Send the request again after `Retry-After`.',
    ...['unavailable', 'keys_unavailable', 'revocations_unavailable', 'ledger_posting'],
  ],
};

export const PROBLEM_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Problem: object(
    {
      type: text('The address of the page that explains the code: {base}/docs/errors/{code}.'),
      title: text('For people: what the code means, in a few words.'),
      status: integer('The status of the answer.'),
      detail: text('For people: what is wrong with this request. The text may change.'),
      instance: text('The path that was asked.'),
      code: text('For programs: it never changes its meaning.'),
      requestId: text('As in X-Request-Id; quote it when something is wrong.'),
      traceId: text('Of the trace of this request (W3C Trace Context), where requests are traced.'),
      errors: listOf(
        object(
          {
            parameter: text('Its name.'),
            code: text('What kind of fault it is: each has a page, too.'),
            message: text('What was expected.'),
            received: text('What was sent, cut to a harmless length.'),
          },
          ['received'],
        ),
        'Every parameter that is wrong, at once.',
      ),
      version: text('The version that was asked.'),
      retiresAt: text('When it ends or has ended.'),
      successor: text('The version to use instead.'),
      supportedVersions: listOf(text(), 'Those that answer at present.'),
      until: text('The end of a brownout.'),
      earliestUpdatedSince: text('The first instant from which changes can be told.'),
    },
    [
      ...['traceId', 'errors', 'version', 'retiresAt', 'successor', 'supportedVersions', 'until'],
      'earliestUpdatedSince',
    ],
  ),
};

const schema: JsonSchema = { $ref: '#/components/schemas/Problem' };
const RETRY = {
  'Retry-After': {
    description: 'After how many seconds to send the request again.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
};
const CHALLENGE = {
  'WWW-Authenticate': { description: 'What a token needs (RFC 6750).', schema: { type: 'string' } },
};

/** Answers that every operation may give, by name. */
export const PROBLEM_RESPONSES: Readonly<Record<string, ResponseObject>> = Object.fromEntries(
  Object.entries(CODES).map(([status, [name, description, ...codes]]) => [
    name,
    problemResponse(status, description, codes),
  ]),
);

/** A refusal of a status with one of these codes. */
export function problemResponse(
  status: string,
  description: string,
  codes: readonly string[],
): ResponseObject {
  return {
    description,
    headers: {
      'API-Version': { $ref: '#/components/headers/API-Version' },
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(['409', '429', '503'].includes(status) ? RETRY : {}),
      ...(['401', '403'].includes(status) ? CHALLENGE : {}),
    },
    content: { 'application/problem+json': { schema, 'x-codes': codes } },
  };
}

/** @param except statuses that the operation cannot answer. */
export function problemResponses(except: readonly string[] = []): Record<string, { $ref: string }> {
  const statuses = Object.entries(CODES).filter(([status]) => !except.includes(status));
  return Object.fromEntries(
    statuses.map(([status, [name]]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}
