import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between the explorer and the API: keeps what was asked, and fails when a test says how. */
export interface Between {
  readonly url: string;
  readonly asked: string[];
  /** Most questions that were under way at the same time. */
  most: number;
  /** Answers instead of the API, until it is undefined again. */
  fault: ((response: ServerResponse, path: string) => void) | undefined;
  stop(): Promise<void>;
}

export async function startBetween(target: string): Promise<Between> {
  let underWay = 0;
  const server = createServer((incoming, outgoing) => {
    between.asked.push(incoming.url ?? '');
    underWay += 1;
    between.most = Math.max(between.most, underWay);
    outgoing.once('close', () => {
      underWay -= 1;
    });
    if (between.fault !== undefined) return between.fault(outgoing, incoming.url ?? '');
    const upstream = request(`${target}${incoming.url}`, { headers: incoming.headers });
    upstream.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.once('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  const between: Between = {
    url: '',
    asked: [],
    most: 0,
    fault: undefined,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(between, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
}

/** A problem document of the API. */
export function problem(status: number, code: string, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
    response.end(JSON.stringify({ type: code, status, code, title: code, detail: code }));
  };
}
