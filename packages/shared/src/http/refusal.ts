import type { FaultCode, ProblemCode } from './problem-codes.ts';

/** One bad parameter, for a problem's `errors[]`. */
export interface ParameterFault {
  readonly parameter: string;
  readonly code: FaultCode;
  /** What was expected. */
  readonly message: string;
  /** What was received, cut to a harmless length. */
  readonly received?: string;
}

export interface RefusalDetails {
  readonly status: number;
  /** Part of the API: it never changes its meaning. */
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly ParameterFault[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the problem document, such as `supportedVersions`. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/**
 * A request refused for a reason that its caller may read. Thrown anywhere, written in one place:
 * problem.ts, as `application/problem+json` (RFC 9457).
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly details: RefusalDetails;

  constructor(details: RefusalDetails, options?: ErrorOptions) {
    super(details.detail, options);
    this.details = details;
  }
}
