import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** The same request on the same connection, with another body; without one it is still to come. */
export function requestWith(
  request: IncomingMessage,
  headers: IncomingHttpHeaders,
  body?: string | Buffer,
): IncomingMessage {
  const copy = new IncomingMessage(request.socket);
  copy.method = request.method ?? 'POST';
  copy.url = request.url ?? '/';
  copy.httpVersion = request.httpVersion;
  copy.httpVersionMajor = request.httpVersionMajor;
  copy.httpVersionMinor = request.httpVersionMinor;
  copy.headers = headers;
  if (body === undefined) return copy;
  copy.push(body);
  copy.push(null);
  copy.complete = true;
  return copy;
}
