import { CONTRACT_CODES } from './generated/problem-codes.ts';

/** Codes of answers that belong to no operation, so the contract does not list them (docs/reference/api.md). */
export const HOST_CODES = [
  'not_found',
  'unknown_version',
  'method_not_allowed',
  'invalid_request',
  'request_timeout',
  'too_large',
] as const;

/** `error` of the token endpoint (docs/reference/tokens.md), as far as a service account meets it. */
export const TOKEN_CODES = [
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
  'too_many_attempts',
  'too_many_tokens',
] as const;

/** What the client itself found. */
export const CLIENT_CODES = [
  /** No answer arrived, or not the whole of it. */
  'network_error',
  /** An answer that is neither what was asked for nor an error of the service, as of a proxy. */
  'unexpected_answer',
  /** An export ended before its summary. */
  'export_cut',
  /** The lines of an export are not those that its summary describes. */
  'export_damaged',
  /** The service named a code that is newer than this client: see `problem`. */
  'unknown_code',
] as const;

/** What the API says. */
export type ProblemCode = (typeof CONTRACT_CODES)[number] | (typeof HOST_CODES)[number];
export type ErrorCode = ProblemCode | (typeof TOKEN_CODES)[number] | (typeof CLIENT_CODES)[number];

const KNOWN: ReadonlySet<string> = new Set([...CONTRACT_CODES, ...HOST_CODES, ...TOKEN_CODES]);

/** One bad parameter. */
export interface ParameterError {
  readonly parameter: string;
  readonly code: string;
  readonly message: string;
  readonly received?: string;
}

/** A problem document of the API, or an error of the token endpoint, as it arrived. */
export type Problem = Readonly<Record<string, unknown>>;

/** Every failure of this client but a caller's own abort. It never holds a secret or a token. */
export class ClsError extends Error {
  override readonly name = 'ClsError';
  /** Undefined where no answer arrived. */
  readonly status: number | undefined;
  readonly code: ErrorCode;
  /** Quote it when something is wrong. */
  readonly requestId: string | undefined;
  /** Every bad parameter at once; empty otherwise. */
  readonly errors: readonly ParameterError[];
  /** How long the service asked to wait, where it did. */
  readonly retryAfterMs: number | undefined;
  readonly problem: Problem | undefined;

  constructor(code: ErrorCode, message: string, more: ClsErrorDetails = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.code = code;
    this.status = more.status;
    this.requestId = more.requestId;
    this.errors = more.errors ?? [];
    this.retryAfterMs = more.retryAfterMs;
    this.problem = more.problem;
  }
}

export interface ClsErrorDetails {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly errors?: readonly ParameterError[] | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly cause?: unknown;
}

/** The error that an answer is. Reads the body. */
export async function errorOf(response: Response): Promise<ClsError> {
  const { status, headers } = response;
  const problem = await problemIn(response);
  const details = {
    status,
    requestId: textIn(problem, 'requestId') ?? headers.get('x-request-id') ?? undefined,
    errors: Array.isArray(problem?.['errors']) ? (problem['errors'] as ParameterError[]) : [],
    retryAfterMs: retryAfterMs(headers),
    problem,
  };
  const named = textIn(problem, 'code') ?? textIn(problem, 'error');
  if (named === undefined) {
    return new ClsError('unexpected_answer', `HTTP ${status}, without a problem document`, details);
  }
  const said = textIn(problem, 'detail') ?? textIn(problem, 'error_description') ?? '';
  const parameters = details.errors
    .map(({ parameter, message }) => `${parameter}: ${message}`)
    .filter((one) => !said.includes(one));
  const message = [`${status} ${named}`, ...[said, ...parameters].filter(Boolean)].join('; ');
  return new ClsError(KNOWN.has(named) ? (named as ErrorCode) : 'unknown_code', message, details);
}

/** `Retry-After` in milliseconds: seconds, or a date. */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

async function problemIn(response: Response): Promise<Problem | undefined> {
  try {
    const body: unknown = JSON.parse(await response.text());
    return typeof body === 'object' && body !== null ? (body as Problem) : undefined;
  } catch {
    return undefined;
  }
}

function textIn(problem: Problem | undefined, name: string): string | undefined {
  const value = problem?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
