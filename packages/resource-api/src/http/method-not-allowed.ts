import { Refusal } from '@cls/shared/http/refusal';

/** @param writes what is allowed beside reading. */
export function methodNotAllowed(writes: readonly string[] = []): Refusal {
  const allowed = ['GET', 'HEAD', ...writes];
  return new Refusal({
    status: 405,
    code: 'method_not_allowed',
    title: 'Method not allowed',
    detail: `Only ${allowed.join(', ').replace(/, (\w+)$/, ' and $1')} are allowed here.`,
    headers: { Allow: allowed.join(', ') },
  });
}
