import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedWebhook<Document> {
  readonly path: string;
  readonly id: string;
  readonly document: Document;
  readonly body: string;
}

export interface WebhookReceiver<Document> {
  readonly origin: string;
  readonly received: ReceivedWebhook<Document>[];
  /** The requests whose signature is wrong. */
  readonly forged: unknown[];
  /** Of each path. */
  readonly secrets: Map<string, string>;
  answer: (path: string) => number;
  stop(): Promise<void>;
}

/**
 * Verifies each request with the library of the specification's authors.
 *
 * @param now by which it finds the signature's time too old.
 */
export async function startWebhookReceiver<Document>(
  now: () => Date,
): Promise<WebhookReceiver<Document>> {
  const received: ReceivedWebhook<Document>[] = [];
  const forged: unknown[] = [];
  const secrets = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString('utf8');
    const path = request.url ?? '';
    try {
      const headers = request.headers as Record<string, string>;
      const document = verified(secrets.get(path) ?? '', body, headers, now()) as Document;
      const status = receiver.answer(path);
      if (status < 300) received.push({ path, id: headers['webhook-id'] ?? '', document, body });
      response.writeHead(status, { location: '/elsewhere' }).end('x'.repeat(100_000));
    } catch (error) {
      forged.push(error);
      response.writeHead(401).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver<Document> = {
    origin: `http://127.0.0.1:${port}`,
    ...{ received, forged, secrets },
    answer: () => 204,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

/** The library reads the machine's clock, and tests travel in time. */
function verified(
  secret: string,
  body: string,
  headers: Record<string, string>,
  now: Date,
): unknown {
  const machine = Date.now;
  Date.now = () => now.getTime();
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    Date.now = machine;
  }
}
