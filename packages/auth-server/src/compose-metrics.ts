import type { Clock } from '@cls/shared/clock';
import { type Metrics, oneValue } from '@cls/shared/metrics/metrics';
import type { PasswordVerifier } from './accounts/password.ts';
import type { SpooledAuditLog } from './audit/sql-audit-log.ts';
import type { SigningKeyStore } from './keys/signing-key.ts';
import type { MailQueue } from './mail/mail-queue.ts';
import type { CustomerNoticeOutbox } from './notices/customer-notice.ts';
import type { LogoutNotifications } from './sessions/session-store.ts';

export interface MeasuredDeps {
  readonly clock: Clock;
  readonly keys: Pick<SigningKeyStore, 'list'>;
  readonly passwords: Pick<PasswordVerifier, 'waiting'>;
  readonly audit: Pick<SpooledAuditLog, 'waitingBytes'>;
  readonly mail: Pick<MailQueue, 'waiting'>;
  readonly logoutNotifications: Pick<LogoutNotifications, 'waiting'>;
  readonly customerNotices: Pick<CustomerNoticeOutbox, 'waiting'>;
}

const STATES = ['staged', 'active', 'retiring'] as const;

/** What is read when somebody asks for the metrics: queues, and the ages of keys. */
export function measureAuthServer(metrics: Metrics, deps: MeasuredDeps): void {
  const { clock, keys, passwords, audit, mail, logoutNotifications, customerNotices } = deps;
  metrics.gauge(
    {
      name: 'cls_signing_key_age_seconds',
      help: 'Since a signing key was made, or has been retiring; the oldest of each state.',
      labels: { state: STATES },
    },
    async () => {
      const ages = (await keys.list()).map(({ state, createdAt, retiredAt }) => ({
        state,
        value: (clock.now().getTime() - Date.parse(retiredAt ?? createdAt)) / 1_000,
      }));
      return STATES.flatMap((state) => {
        const values = ages.filter((one) => one.state === state).map(({ value }) => value);
        return values.length === 0 ? [] : [{ labels: { state }, value: Math.max(...values) }];
      });
    },
  );
  const one = (name: string, help: string, read: () => number | Promise<number>) =>
    metrics.gauge({ name, help, labels: {} }, async () => oneValue(await read()));
  one(
    'cls_password_checks_waiting',
    'Sign-ins that wait for a place to compare a password.',
    () => passwords.waiting,
  );
  one(
    'cls_audit_waiting_bytes',
    'Audit events in the file of this process that the database does not have yet.',
    () => audit.waitingBytes,
  );
  one(
    'cls_mail_waiting',
    'Messages to people that this process has not sent yet.',
    () => mail.waiting,
  );
  one(
    'cls_logout_notices_waiting',
    'Logout notifications that applications have not accepted yet, of all replicas.',
    () => logoutNotifications.waiting(),
  );
  one(
    'cls_customer_notices_waiting',
    'Security notices that customers have not got yet, of all replicas.',
    () => customerNotices.waiting(),
  );
}

const LOST = {
  mail: [
    'cls_mail_lost_total',
    'Messages to people that could not be sent and are not tried again.',
  ],
  audit: ['cls_audit_lost_total', 'Audit events whose only record is a line of the log.'],
  logoutNotices: [
    'cls_logout_notices_lost_total',
    'Logout notifications that an application did not accept and that are not tried again.',
  ],
  customerNotices: [
    'cls_customer_notices_lost_total',
    'Security notices that a customer could not be given and that are not tried again.',
  ],
} as const;

/** Called for each of these that nobody gets. */
export function lostCounter(metrics: Metrics, what: keyof typeof LOST): () => void {
  const [name, help] = LOST[what];
  const count = metrics.counter({ name, help, labels: {} });
  return () => count({});
}
