import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Stands between the explorer and the API: keeps what was asked, and fails when a test says how. */
export interface Between {
  readonly url: string;
  readonly asked: string[];
  /** Most questions that were under way at the same time. */
  most: number;
  /** Answers instead of the API, until it is undefined again. `PASS` leaves a question to the API. */
  fault: ((response: ServerResponse, path: string) => unknown) | undefined;
  /** Until it is done, a question gets no answer. */
  hold: (() => Promise<void>) | undefined;
  /** Changes what the API answers. */
  change: ((answer: string) => string) | undefined;
  stop(): Promise<void>;
}

const KEEP_ALIVE_MS = 600_000;
export const PASS = Symbol('the API answers');

export async function startBetween(target: string): Promise<Between> {
  let underWay = 0;
  const server = createServer(async (incoming, outgoing) => {
    between.asked.push(incoming.url ?? '');
    underWay += 1;
    between.most = Math.max(between.most, underWay);
    outgoing.once('close', () => {
      underWay -= 1;
    });
    await between.hold?.();
    const { fault, change } = between;
    if (fault !== undefined && fault(outgoing, incoming.url ?? '') !== PASS) return;
    const headers = { ...incoming.headers };
    if (change !== undefined) delete headers['accept-encoding'];
    const upstream = request(`${target}${incoming.url}`, { headers });
    upstream.on('response', async (response) => {
      const { 'content-length': _, ...answered } = response.headers;
      if (change === undefined) {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
        return;
      }
      outgoing.writeHead(response.statusCode ?? 502, answered);
      outgoing.end(change(await text(response)));
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
    hold: undefined,
    change: undefined,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  // Node closes a connection after five idle seconds. Where the process is busy then, the next
  // question goes out on a connection that is closed already.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
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
