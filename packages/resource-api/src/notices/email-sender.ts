import type { MailTransport } from '@cls/shared/mail/mail-sender';
import type { SendNotice } from './deliver-notices.ts';
import type { NoticeDocument } from './notice-document.ts';
import { noticeLetter } from './notice-letter.ts';

/**
 * Sends notices as e-mail, with one Message-ID at every attempt.
 *
 * @param open undefined where no mail server is configured.
 * @param host of the Message-ID.
 */
export function emailSender(
  open: (() => Promise<MailTransport>) | undefined,
  host: string,
): SendNotice {
  return async ({ id, target, document }) => {
    if (open === undefined) {
      return { outcome: 'later', answer: 'no mail server is configured: set SMTP_URL' };
    }
    try {
      const letter = noticeLetter(JSON.parse(document) as NoticeDocument, id);
      const mail = await open();
      const answer = await mail.send({ to: target, ...letter, messageId: `<${id}@${host}>` });
      return { outcome: 'delivered', answer };
    } catch (error) {
      const { responseCode = 0, response, message } = error as SmtpFailure;
      // RFC 5321 §4.2.1: 5yz is for good.
      return { outcome: responseCode >= 500 ? 'refused' : 'later', answer: response ?? message };
    }
  };
}

type SmtpFailure = Error & { readonly responseCode?: number; readonly response?: string };
