import { emailSender } from '@cls/shared/mail/email-sender';
import type { MailTransport } from '@cls/shared/mail/mail-sender';
import type { Sealer } from '@cls/shared/seal';
import type { Tracing } from '@cls/shared/tracing/tracing';
import { webhookSender } from '@cls/shared/webhook/webhook-sender';
import type { AuthServerConfig } from './config.ts';
import { SEALED } from './crypto/seal.ts';
import type { ClaimedNotice } from './notices/customer-notice.ts';
import { deliverNoticesRegularly, type NoticeDeliveryDeps } from './notices/deliver-notices.ts';
import { customerMailer } from './views/email/customer-mailer.ts';

export interface NoticesDeps extends Omit<NoticeDeliveryDeps, 'send'> {
  readonly mail: MailTransport;
  readonly sealer: Sealer;
  readonly tracing: Tracing | undefined;
}

/** Sends notices to customers until it is stopped. */
export function sendNotices(
  config: AuthServerConfig,
  { mail, sealer, tracing, ...deps }: NoticesDeps,
): { stop(): Promise<void> } {
  const { context } = SEALED.security_contact;
  const email = emailSender({
    open: async () => mail,
    letterOf: customerMailer(config),
    host: new URL(config.issuer).hostname,
  });
  const webhook = webhookSender({
    allowLoopback: config.webhooksToLoopback,
    openSecret: ({ sealedSecret, customer }: ClaimedNotice) =>
      sealer.unseal(sealedSecret ?? '', context(customer)),
    tracing,
  });
  return deliverNoticesRegularly({ ...deps, send: { email, webhook } });
}
