import type { Secret } from '@cls/shared/secret';
import type { MailSender } from './mail-sender.ts';
import { outboxSender } from './outbox.ts';
import { smtpSender } from './smtp.ts';

export interface MailSettings {
  readonly smtpUrl: Secret | undefined;
  /** Where messages are written in place of being sent. */
  readonly mailOutbox: string;
  readonly mailFrom: string;
  readonly production: boolean;
}

export function openMailSender(settings: MailSettings): MailSender {
  const { smtpUrl, mailOutbox, mailFrom, production } = settings;
  return smtpUrl === undefined
    ? outboxSender(mailOutbox, mailFrom)
    : smtpSender(smtpUrl, mailFrom, production);
}
