import type { IncomingMessage } from 'node:http';

/** Has the library put `basePath` before the paths of its own URLs, as under Express. */
export function mountAt(request: IncomingMessage, basePath: string): void {
  Object.assign(request, { baseUrl: basePath });
}
