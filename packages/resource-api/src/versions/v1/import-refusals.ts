import { Refusal } from '@cls/shared/http/refusal';
import type { JobLimits } from '../../import/jobs/import-job.ts';
import type { Received } from '../../import/jobs/receive-import.ts';
import { SOURCE_NOT_OPEN } from '../../import/plan-statement.ts';
import type { VersionRequest } from '../api-version.ts';

/** Seconds until an open job may have ended. */
const RETRY_S = 10;

interface Limits {
  readonly limits: JobLimits;
  readonly maxBytes: number;
}

export const DISABLED = new Refusal({
  status: 403,
  code: 'imports_disabled',
  title: 'Imports are switched off',
  detail: 'This deployment takes no files over HTTP (IMPORTS=off); its operator can import them.',
});

export const SOURCE_CLOSED = new Refusal({
  status: 403,
  code: 'source_not_open',
  title: 'Source not open to this customer',
  detail: SOURCE_NOT_OPEN,
});

/** Why a file was not taken. */
export function refusalOfImport(
  received: Exclude<Received, { readonly job: unknown }>,
  { limits, maxBytes }: Limits,
): Refusal {
  switch (received.outcome) {
    case 'too_large':
      return bodyTooLarge(maxBytes);
    case 'other_request':
      return new Refusal({
        status: 422,
        code: 'idempotency_key_reused',
        title: 'Idempotency key reused',
        detail:
          'This Idempotency-Key came before with another file or other parameters; take another key.',
      });
    case 'in_use':
      return new Refusal({
        status: 409,
        code: 'idempotency_key_in_use',
        title: 'Idempotency key in use',
        detail: 'Another request with this Idempotency-Key is sending its file.',
        headers: { 'Retry-After': `${RETRY_S}` },
      });
    case 'too_many': {
      const { whose } = received;
      const jobs = whose === 'perCaller' ? 'imports of this caller' : 'imports of all callers';
      return new Refusal({
        status: 429,
        code: 'too_many_imports',
        title: 'Too many imports',
        detail: `${limits[whose]} ${jobs} have not ended; wait for one of them to end.`,
        headers: { 'Retry-After': `${RETRY_S}` },
      });
    }
  }
}

export function bodyTooLarge(maxBytes: number): Refusal {
  return new Refusal({
    status: 413,
    code: 'body_too_large',
    title: 'Body too large',
    detail: `The body is larger than ${maxBytes} bytes.`,
  });
}

/** A request without a type is taken. @throws {Refusal} */
export function refuseMediaType(
  { headers }: Pick<VersionRequest, 'headers'>,
  types: readonly string[],
): void {
  const [given = ''] = `${headers['content-type'] ?? ''}`.toLowerCase().split(';');
  if (given === '' || types.includes(given.trim())) return;
  throw new Refusal({
    status: 415,
    code: 'unsupported_media_type',
    title: 'Unsupported media type',
    detail: `Expected Content-Type ${types.join(', ')}.`,
  });
}
