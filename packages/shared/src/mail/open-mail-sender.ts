import type { Secret } from '../secret.ts';
import type { MailTransport } from './mail-sender.ts';
import { outboxSender } from './outbox.ts';

export interface MailSettings {
  readonly smtpUrl: Secret | undefined;
  /** Where messages are written in place of being sent. */
  readonly mailOutbox: string;
  readonly mailFrom: string;
  readonly production: boolean;
}

export async function openMailSender(settings: MailSettings): Promise<MailTransport> {
  const { smtpUrl, mailOutbox, mailFrom, production } = settings;
  if (smtpUrl === undefined) return outboxSender(mailOutbox, mailFrom);
  // Loaded where it is used: commands start faster without it.
  const { smtpSender } = await import('./smtp.ts');
  return smtpSender(smtpUrl, mailFrom, production);
}
