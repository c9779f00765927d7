import { type RequestOptions, request } from 'node:http';

/** As `fetch` takes and gives it. */
export type Send = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Sends to a port of this machine whatever the URL's origin is, and with any header: `fetch` lets
 * nobody choose Host. Follows no redirect.
 */
export function sendTo(port: number, extra: Readonly<Record<string, string>> = {}): Send {
  return (url, init = {}) => {
    const { host, pathname, search } = new URL(url);
    const { headers: given, body } = new Request('http://localhost', {
      ...init,
      redirect: 'manual',
    });
    const headers = { host, ...Object.fromEntries(given), ...extra };
    const { method = 'GET' } = init;
    const target = { host: '127.0.0.1', port, method, path: `${pathname}${search}`, headers };
    return exchange(target, body);
  };
}

function exchange(
  target: RequestOptions,
  body: ReadableStream<Uint8Array> | null,
): Promise<Response> {
  return new Promise((done, failed) => {
    const outgoing = request(target, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.once('error', failed);
      incoming.once('end', () => {
        const headers = new Headers();
        for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
          headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '');
        }
        const { statusCode: status = 0 } = incoming;
        const content = status === 204 || status === 304 ? null : Buffer.concat(parts);
        done(new Response(content, { status, headers }));
      });
    });
    outgoing.once('error', failed);
    void new Response(body).arrayBuffer().then((all) => outgoing.end(Buffer.from(all)), failed);
  });
}
