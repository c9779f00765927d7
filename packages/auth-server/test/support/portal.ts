import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PortalRequest {
  readonly method: string;
  readonly path: string;
  readonly body: URLSearchParams;
}

/** An application's web server, on an origin of its own: keeps what it is sent. */
export interface Portal {
  readonly origin: string;
  readonly received: readonly PortalRequest[];
  /** Answers requests for a path in another way than with a page. */
  answer(path: string, how: (response: ServerResponse) => void): void;
  stop(): Promise<void>;
}

export async function startPortal(name: string): Promise<Portal> {
  const received: PortalRequest[] = [];
  const answers = new Map<string, (response: ServerResponse) => void>();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://portal');
    const { method = '' } = request;
    received.push({ method, path: request.url ?? '/', body: await bodyOf(request) });
    const answer = answers.get(pathname);
    if (answer !== undefined) return answer(response);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>${name}</title><h1>${name}</h1>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (path, how) => void answers.set(path, how),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
}
