import type { IncomingMessage } from 'node:http';

/** Of a list and of its parts: a quoted text may have a comma or a semicolon. */
const RANGES = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;
const PARTS = /(?:[^;"]|"(?:[^"\\]|\\.)*")+/g;
const WEIGHT = /^\s*q\s*=/i;

/**
 * An `Accept` header without the parameters of its media ranges: no type that we serve has any to choose
 * by, and `application/json; charset=utf-8` means ours. Weights stay (RFC 9110 §12.5.1).
 */
export function plainMediaRanges(accept: string): string {
  if (!accept.includes(';')) return accept;
  return (accept.match(RANGES) ?? [])
    .map((range) => {
      const [type = '', ...parameters] = range.match(PARTS) ?? [];
      const weight = parameters.find((parameter) => WEIGHT.test(parameter));
      return [type, weight ?? []]
        .flat()
        .map((part) => part.trim())
        .join(';');
    })
    .join(', ');
}

/** Gives a request an `Accept` header that every negotiation understands. */
export function readMediaRanges({ headers }: IncomingMessage): void {
  if (headers.accept !== undefined) headers.accept = plainMediaRanges(headers.accept);
}
