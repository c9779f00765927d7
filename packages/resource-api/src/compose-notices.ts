import type { Clock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import { emailSender } from '@cls/shared/mail/email-sender';
import type { MailTransport } from '@cls/shared/mail/mail-sender';
import { type MailSettings, openMailSender } from '@cls/shared/mail/open-mail-sender';
import type { Database } from '@cls/shared/sql/database';
import { warnOfUnopened } from '@cls/shared/sql/reseal';
import type { Tracing } from '@cls/shared/tracing/tracing';
import { webhookSender } from '@cls/shared/webhook/webhook-sender';
import type { ResourceApiConfig } from './config.ts';
import type { Registry, RetiredAt } from './lifecycle/registry.ts';
import { noticeLetter } from './notices/notice-letter.ts';
import type { ClaimedNotice } from './notices/notice-outbox.ts';
import { type NoticeWorker, noticeWorker } from './notices/notice-worker.ts';
import {
  newWebhookSealer,
  openNoticeSecret,
  openWebhookSealer,
} from './notices/open-webhook-sealer.ts';
import { retirements } from './notices/retirement.ts';
import { resealWebhooks, sqlNoticeContacts } from './notices/sql-notice-contacts.ts';
import { sqlNotices } from './notices/sql-notices.ts';
import { sqlRetirements } from './notices/sql-retirements.ts';
import type { UsageSummaries } from './usage/version-usage.ts';
import { POLICY_PATH } from './versions/releases.ts';

export interface Notices {
  readonly retiredAt: RetiredAt;
  start(registry: () => Registry): NoticeWorker;
}

/**
 * The parts that tell customers of the end of versions. Reads first which versions have retired:
 * none of them may answer again after a restart.
 */
export async function composeNotices(
  config: ResourceApiConfig,
  database: Database,
  usage: UsageSummaries,
  clock: Clock,
  log: Log,
  tracing?: Tracing,
): Promise<Notices> {
  const { issuer, notices: settings } = config;
  const outbox = sqlNotices(database);
  const records = sqlRetirements(database);
  const ends = retirements({ records, outbox, usage, clock, log });
  await ends.refresh();
  return {
    retiredAt: ends.retiredAt,
    start(registry) {
      const resealing = sealAnew(config, database, log);
      const mail = settings.mail && openedOnce(settings.mail);
      const webhook = webhookSender({
        allowLoopback: settings.allowLoopback,
        openSecret: (notice: ClaimedNotice) => openNoticeSecret(openWebhookSealer(config), notice),
        tracing,
      });
      const email = emailSender({
        open: mail?.open,
        letterOf: noticeLetter,
        host: new URL(issuer).hostname,
      });
      const worker = noticeWorker({
        ...{ registry, contacts: sqlNoticeContacts(database), outbox, usage, retirements: ends },
        senders: { email, webhook },
        ...{ policyUrl: `${issuer}${POLICY_PATH}`, everyMs: settings.everyMs },
        ...{ random: Math.random, clock, log },
      });
      return {
        async stop() {
          await worker.stop();
          await resealing;
          await mail?.close();
        },
      };
    },
  };
}

/** Seals the secrets of webhooks with the current key, where one is being replaced. */
async function sealAnew(config: ResourceApiConfig, database: Database, log: Log): Promise<void> {
  const [current, any] = [newWebhookSealer(config), openWebhookSealer(config)];
  if (current === undefined || any === undefined) return;
  try {
    const resealed = await resealWebhooks(database, current, any);
    warnOfUnopened(log, resealed, 'WEBHOOK_SECRETS_KEY');
    const { values } = resealed;
    if (values > 0) log.info({ values }, 'secrets are sealed with WEBHOOK_SECRETS_KEY now');
  } catch (err) {
    log.warn(
      { err },
      'secrets cannot be sealed with WEBHOOK_SECRETS_KEY; the next start tries again',
    );
  }
}

/** Opened when the first e-mail is sent: most services never send one. */
function openedOnce(settings: MailSettings) {
  let opened: Promise<MailTransport> | undefined;
  return {
    open() {
      opened ??= openMailSender(settings);
      return opened;
    },
    close: async () => (await opened)?.close(),
  };
}
