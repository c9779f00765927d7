import type { IncomingMessage } from 'node:http';

const WEIGHT = /^\s*q\s*=/i;

/**
 * An `Accept` header without the parameters of its media ranges: no type that we serve has any to choose
 * by, and `application/json; charset=utf-8` means ours. Weights stay (RFC 9110 §12.5.1).
 */
export function plainMediaRanges(accept: string): string {
  if (!accept.includes(';')) return accept;
  return unquotedParts(accept, ',')
    .map((range) => {
      const [type = '', ...parameters] = unquotedParts(range, ';');
      const weight = parameters.find((parameter) => WEIGHT.test(parameter));
      return [type, weight ?? []]
        .flat()
        .map((part) => part.trim())
        .join(';');
    })
    .join(', ');
}

/** What stands between separators. A quoted text may have one; it ends with the text where its quote does not. */
function unquotedParts(text: string, separator: ',' | ';'): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part.trim() !== '');
}

/** Gives a request an `Accept` header that every negotiation understands. */
export function readMediaRanges({ headers }: IncomingMessage): void {
  if (headers.accept !== undefined) headers.accept = plainMediaRanges(headers.accept);
}
