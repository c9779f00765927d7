import type { ClaimedNotice, NoticeDocument } from '../../notices/customer-notice.ts';
import { readLanguages } from '../../web/i18n.ts';
import { type Mail, type MailerSettings, mailFrame } from './mail.ts';
import { secretCompromisedMail } from './messages.ts';

/** Writes notices to customers in the language of their security contact. */
export function customerMailer(settings: MailerSettings): (notice: ClaimedNotice) => Mail {
  const languages = readLanguages(settings.brand?.name);
  const frame = mailFrame(settings);
  return ({ id: noticeId, document, locale }) => {
    const { timestamp, data: notice } = JSON.parse(document) as NoticeDocument;
    const model = { ...frame, noticeId, at: new Date(timestamp), notice };
    return secretCompromisedMail(model, languages[locale]);
  };
}
