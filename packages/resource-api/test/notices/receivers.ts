/** Where notices arrive: a mail server and a receiver of webhooks. */
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { endWithTests } from '@cls/testing/servers';
import { Webhook } from 'standardwebhooks';
import type { NoticeDocument } from '../../src/notices/notice-document.ts';
import type { MailServerMode } from './mail-server-child.ts';

export interface ReceivedMail {
  readonly to: string;
  readonly id: string;
  readonly subject: string;
  /** The plain text. */
  readonly text: string;
}

export interface MailServer {
  readonly url: string;
  readonly received: ReceivedMail[];
  answer(mode: MailServerMode): Promise<void>;
  stop(): void;
}

export async function startMailServer(): Promise<MailServer> {
  const child = endWithTests(fork(fileURLToPath(new URL('mail-server-child.js', import.meta.url))));
  const received: ReceivedMail[] = [];
  const heard = <T>(key: string) =>
    new Promise<T>((resolve) => {
      const listen = (message: Record<string, T>) => {
        if (!(key in message)) return;
        child.off('message', listen);
        resolve(message[key] as T);
      };
      child.on('message', listen);
    });
  child.on('message', (message: { to?: readonly string[]; text: string }) => {
    if (message.to !== undefined) received.push(mailOf(message.to, message.text));
  });
  const port = await heard<number>('port');
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    async answer(mode) {
      const answered = heard('mode');
      child.send(mode);
      await answered;
    },
    stop: () => void child.kill(),
  };
}

function mailOf(to: readonly string[], raw: string): ReceivedMail {
  const header = (name: string) =>
    new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'im').exec(raw)?.[1]?.replace(/\r\n/g, '') ?? '';
  const [, part = ''] = raw.split(/\r\n--[^\r\n]*\r\n/);
  const text = part.slice(part.indexOf('\r\n\r\n') + 4).replace(/=\r\n/g, '');
  const plain = text.replace(/=([0-9A-F]{2})/g, (_, hex) =>
    String.fromCharCode(Number(`0x${hex}`)),
  );
  const subject = header('Subject');
  return { to: to.join(), id: header('Message-ID'), subject, text: plain };
}

export interface ReceivedWebhook {
  readonly path: string;
  readonly id: string;
  readonly document: NoticeDocument;
  readonly body: string;
}

export interface WebhookReceiver {
  readonly origin: string;
  readonly received: ReceivedWebhook[];
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
export async function startWebhookReceiver(now: () => Date): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const forged: unknown[] = [];
  const secrets = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString('utf8');
    const path = request.url ?? '';
    try {
      const headers = request.headers as Record<string, string>;
      const document = verified(secrets.get(path) ?? '', body, headers, now());
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
  const receiver: WebhookReceiver = {
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
): NoticeDocument {
  const machine = Date.now;
  Date.now = () => now.getTime();
  try {
    return new Webhook(secret).verify(body, headers) as NoticeDocument;
  } finally {
    Date.now = machine;
  }
}
