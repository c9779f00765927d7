import { setTimeout as sleep } from 'node:timers/promises';
import type { MailTransport } from '@cls/shared/mail/mail-sender';
import type { SendNotice } from './deliver-notices.ts';
import type { NoticeDocument } from './notice-document.ts';
import { noticeLetter } from './notice-letter.ts';

/**
 * Sends notices as e-mail, with one Message-ID at every attempt.
 *
 * @param open undefined where no mail server is configured.
 * @param host of the Message-ID.
 * @param timeoutMs well within the lease of a notice, however slowly the server answers each command.
 */
export function emailSender(
  open: (() => Promise<MailTransport>) | undefined,
  host: string,
  timeoutMs = TIMEOUT_MS,
): SendNotice {
  return async ({ id, target, document }) => {
    if (open === undefined) {
      return { outcome: 'later', answer: 'no mail server is configured: set SMTP_URL' };
    }
    try {
      const letter = noticeLetter(JSON.parse(document) as NoticeDocument, id);
      const mail = await open();
      const sent = mail.send({ to: target, ...letter, messageId: `<${id}@${host}>` });
      const answer = await within(timeoutMs, sent);
      return { outcome: 'delivered', answer };
    } catch (error) {
      const { responseCode = 0, response, message } = error as SmtpFailure;
      // RFC 5321 §4.2.1: 5yz is for good.
      return { outcome: responseCode >= 500 ? 'refused' : 'later', answer: response ?? message };
    }
  };
}

const TIMEOUT_MS = 120_000;

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

type SmtpFailure = Error & { readonly responseCode?: number; readonly response?: string };
