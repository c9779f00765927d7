import type { MailSettings } from '../mail/open-mail-sender.ts';
import { reasonOf } from '../reason.ts';
import { checkDirectory } from './check-directory.ts';
import { type Finding, findingsOf } from './finding.ts';

const { ok, failed, skipped } = findingsOf('mail');

/** The mail server, up to the point where a message would be sent; nothing is sent. */
export async function checkMail(settings: MailSettings | undefined): Promise<readonly Finding[]> {
  if (settings === undefined) {
    return [skipped('server', 'SMTP_URL is not set', 'set it, or messages wait')];
  }
  const { smtpUrl, mailOutbox, production } = settings;
  if (smtpUrl === undefined) return [checkDirectory('mail', 'outbox', mailOutbox)];
  try {
    const { verifySmtp } = await import('../mail/smtp.ts');
    await verifySmtp(smtpUrl, production);
    return [ok('server', 'it greets, and takes the credentials')];
  } catch (error) {
    const todo =
      'check host, port, user and password in SMTP_URL; smtps:// is TLS from the start (465), smtp:// is STARTTLS (587), which production requires';
    return [failed('server', reasonOf(error), todo)];
  }
}
