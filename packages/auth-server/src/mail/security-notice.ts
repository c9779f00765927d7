import type { Account } from '../accounts/account.ts';
import { type Actor, causedBy } from '../audit/actor.ts';
import type { AuditEventType, AuditLog } from '../audit/audit-log.ts';
import type { AccountMail, SecurityChange } from './account-mail.ts';

export interface AuditAndNotifyDeps {
  readonly audit: AuditLog;
  readonly mail: AccountMail;
}

/** The events whose account's owner gets a message. */
const MAILED: Readonly<Partial<Record<AuditEventType, SecurityChange>>> = {
  'account.password_changed': 'password_changed',
  'account.password_reset': 'password_changed',
  'account.password_replaced': 'password_changed',
  'account.totp_enrolled': 'factor_added',
  'account.totp_removed': 'factor_removed',
  'account.passkey_added': 'factor_added',
  'account.passkey_removed': 'factor_removed',
  'account.factors_reset': 'factors_reset',
  'account.recovery_codes_replaced': 'recovery_codes_replaced',
  'account.recovery_code_used': 'recovery_code_used',
  'account.access_allowed': 'application_allowed',
  'account.device_connected': 'device_connected',
  'account.organisation_linked': 'organisation_linked',
  'account.disabled': 'account_disabled',
  'account.enabled': 'account_enabled',
  'account.permissions_changed': 'permissions_changed',
  'account.sessions_ended': 'sessions_ended',
};

/**
 * Records an audit event of an account, and sends the owner a message if the event is one of those
 * above.
 *
 * @param about name of the factor, application or organisation that it was about.
 * @param once identifies the event, so that a request that is sent again does not record it twice.
 */
export function auditAndNotify(
  { audit, mail }: AuditAndNotifyDeps,
  type: AuditEventType,
  account: Account,
  actor: Actor,
  about?: string,
  once?: string,
): void {
  audit.record({
    type,
    subject: account.id,
    ...causedBy(actor),
    ...(about === undefined ? {} : { about }),
    ...(once === undefined ? {} : { once: `${type} ${account.id} ${once}` }),
  });
  const change = MAILED[type];
  // Nobody owns such an account. The person would think that the message is about their own.
  if (account.elsewhere) return;
  if (change !== undefined) mail.changed(account, change, about ?? '', actor);
}
