import { Refusal } from '@cls/shared/http/refusal';

/** Where there is something to read, and nothing to write. */
export function methodNotAllowed(): Refusal {
  return new Refusal({
    status: 405,
    code: 'method_not_allowed',
    title: 'Method not allowed',
    detail: 'Only GET and HEAD are allowed here.',
    headers: { Allow: 'GET, HEAD' },
  });
}
