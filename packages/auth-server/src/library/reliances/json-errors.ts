import type { IncomingMessage } from 'node:http';

/** Keeps the library from answering a refused request with a page where `Accept` prefers one. */
export function answerAsJson(request: IncomingMessage): void {
  request.headers.accept = 'application/json';
}
