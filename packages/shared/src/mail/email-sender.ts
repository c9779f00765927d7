import { setTimeout as sleep } from 'node:timers/promises';
import type { SendResult } from '../send-attempt.ts';
import type { Letter, MailTransport } from './mail-sender.ts';

export interface EmailMessage {
  /** The same at each attempt. */
  readonly id: string;
  readonly target: string;
  /** What the letter is written from. */
  readonly document: string;
}

export interface EmailOptions<M extends EmailMessage> {
  /** Undefined where no mail server is configured. */
  readonly open: (() => Promise<MailTransport>) | undefined;
  readonly letterOf: (message: M) => Omit<Letter, 'to' | 'messageId'>;
  /** Of the Message-ID. */
  readonly host: string;
  /** Well within the lease of a message, however slowly the server answers each command. */
  readonly timeoutMs?: number;
}

/** Sends messages as e-mail, with one Message-ID at every attempt. Never throws. */
export function emailSender<M extends EmailMessage>({
  open,
  letterOf,
  host,
  timeoutMs = TIMEOUT_MS,
}: EmailOptions<M>): (message: M) => Promise<SendResult> {
  return async (message) => {
    if (open === undefined) {
      return { outcome: 'later', answer: 'no mail server is configured: set SMTP_URL' };
    }
    try {
      const { id, target: to } = message;
      const letter = letterOf(message);
      const mail = await open();
      const sent = mail.send({ to, ...letter, messageId: `<${id}@${host}>` });
      const answer = await within(timeoutMs, sent);
      return { outcome: 'delivered', answer };
    } catch (error) {
      const { responseCode = 0, command = '', response, message } = error as SmtpFailure;
      // RFC 5321 §4.2.1: 5yz is for good. Before the recipient is named, as for a wrong password, it is not
      // about this message.
      const isForGood = responseCode >= 500 && OF_MESSAGE.includes(command);
      return { outcome: isForGood ? 'refused' : 'later', answer: response ?? message };
    }
  };
}

const TIMEOUT_MS = 120_000;
const OF_MESSAGE: readonly string[] = ['RCPT TO', 'DATA'];

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const { signal } = over;
  const late = sleep(timeoutMs, undefined, { signal, ref: false }).then(() => {
    throw new Error(`no answer within ${timeoutMs / 1000} seconds`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}

interface SmtpFailure extends Error {
  readonly responseCode?: number;
  /** That was answered. */
  readonly command?: string;
  readonly response?: string;
}
