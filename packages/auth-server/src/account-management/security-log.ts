import type { Account } from '../accounts/account.ts';
import type { Device } from '../audit/actor.ts';
import type { AuditEventType, AuditLog, AuditReader, StoredEvent } from '../audit/audit-log.ts';

/** The name of each audit event in a person's own log. */
const SHOWN = {
  'token.issued': 'signed_in',
  'token.refused': 'sign_in_failed',
  'sign_in.succeeded': 'signed_in',
  'sign_in.refused': 'sign_in_failed',
  'sign_in.ended': 'signed_out',
  'sign_in.new_device': 'new_device',
  'account.created': 'account_created',
  'account.disabled': 'account_disabled',
  'account.enabled': 'account_enabled',
  'account.permissions_changed': 'permissions_changed',
  'account.password_set': 'password_set',
  'account.password_changed': 'password_changed',
  'account.password_replaced': 'password_changed',
  'account.password_reset_requested': 'password_reset_requested',
  'account.password_reset': 'password_reset',
  'account.totp_enrolled': 'totp_added',
  'account.totp_removed': 'totp_removed',
  'account.passkey_added': 'passkey_added',
  'account.passkey_removed': 'passkey_removed',
  'account.factors_reset': 'factors_reset',
  'account.recovery_code_used': 'recovery_code_used',
  'account.recovery_codes_replaced': 'recovery_codes_replaced',
  'account.session_ended': 'session_ended',
  'account.other_sessions_ended': 'other_sessions_ended',
  'account.sessions_ended': 'sessions_ended',
  'account.access_allowed': 'access_allowed',
  'account.access_withdrawn': 'access_withdrawn',
  'account.device_connected': 'device_connected',
  'account.device_remembered': 'device_remembered',
  'account.device_forgotten': 'device_forgotten',
  'account.organisation_linked': 'organisation_linked',
} as const satisfies Partial<Record<AuditEventType, string>>;

export type LogEntryType = (typeof SHOWN)[keyof typeof SHOWN];

export interface SecurityLogEntry {
  readonly type: LogEntryType;
  readonly at: Date;
  /** The factor, application or organisation that the event is about. */
  readonly subject?: string;
  readonly device?: Device;
  readonly address?: string;
  /** Why a sign-in was refused. */
  readonly reason?: string;
}

export interface SecurityLogPage {
  /** The newest first. */
  readonly entries: readonly SecurityLogEntry[];
  /** The cursor of the next older page; absent on the last page. */
  readonly older?: string;
}

const PAGE = 50;
const CURSOR = /^\d{1,18}$/;

/**
 * The events of a person's account. @param cursor `older` of a page; without it, the first page.
 */
export function securityLog(reader: AuditReader, audit: Pick<AuditLog, 'catchUp'>) {
  return async (account: Account, cursor?: string): Promise<SecurityLogPage> => {
    // People look at the log right after they did something: store all events first.
    await audit.catchUp();
    const events = await reader.eventsOf([account.id, account.email], {
      types: Object.keys(SHOWN) as AuditEventType[],
      limit: PAGE + 1,
      ...(cursor !== undefined && CURSOR.test(cursor) ? { before: BigInt(cursor) } : {}),
    });
    const entries = events.slice(0, PAGE).map(toEntry);
    const last = events[PAGE - 1];
    return events.length > PAGE && last !== undefined
      ? { entries, older: `${last.id}` }
      : { entries };
  };
}

function toEntry({ type, at, about, device, address, reason }: StoredEvent): SecurityLogEntry {
  const shown = SHOWN[type as keyof typeof SHOWN];
  return {
    type: shown,
    at,
    ...(about === undefined ? {} : { subject: about }),
    ...(device === undefined ? {} : { device }),
    ...(address === undefined ? {} : { address }),
    ...(reason === undefined || shown !== 'sign_in_failed' ? {} : { reason }),
  };
}
