/** Where notices arrive: a mail server and a receiver of webhooks. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endWithTests } from '@cls/testing/servers';
import * as webhooks from '@cls/testing/webhook-receiver';
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

export type WebhookReceiver = webhooks.WebhookReceiver<NoticeDocument>;

export function startWebhookReceiver(now: () => Date): Promise<WebhookReceiver> {
  return webhooks.startWebhookReceiver<NoticeDocument>(now);
}
