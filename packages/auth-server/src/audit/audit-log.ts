import type { Device } from './actor.ts';

/** What happened, to whom, from where. Never holds a token, secret, password or code. */
export interface AuditEvent {
  readonly type: AuditEventType;
  /** Account, service account, key or customer id; the canonical e-mail where none is known. */
  readonly subject: string;
  readonly clientId?: string;
  readonly address?: string;
  readonly requestId?: string;
  /** Short machine-readable reason of a refusal. */
  readonly reason?: string;
  readonly device?: Device;
  /** Name of the factor, application or organisation that it was about. */
  readonly about?: string;
  /** Who used a command-line tool (see `toolActor`), or the account of who managed an integration. */
  readonly actor?: string;
  /** Identifies the event: when a request is sent again and records it again, it is stored once. */
  readonly once?: string;
}

export const AUDIT_EVENT_TYPES = [
  'token.issued',
  'token.refused',
  'token.revoked',
  'sign_in.succeeded',
  'sign_in.refused',
  'sign_in.ended',
  'sign_in.new_device',
  'application.created',
  'application.changed',
  'application.deleted',
  'application.secret_created',
  'application.secret_replaced',
  'application.secret_revoked',
  'application.disabled',
  'application.enabled',
  'account.created',
  'account.deleted',
  'account.erased',
  'account.invited',
  'account.disabled',
  'account.enabled',
  'account.permissions_changed',
  'account.renamed',
  'account.password_set',
  'account.password_changed',
  'account.password_replaced',
  'account.password_reset_requested',
  'account.password_reset',
  'account.totp_enrolled',
  'account.totp_removed',
  'account.passkey_added',
  'account.passkey_removed',
  'account.factor_renamed',
  'account.factors_reset',
  'account.recovery_codes_replaced',
  'account.recovery_code_used',
  'account.session_ended',
  'account.other_sessions_ended',
  'account.sessions_ended',
  'account.access_allowed',
  'account.access_withdrawn',
  'account.device_connected',
  'account.device_remembered',
  'account.device_forgotten',
  'account.organisation_linked',
  'service_account.created',
  'service_account.disabled',
  'service_account.enabled',
  'service_account.changed',
  'service_account.deleted',
  'service_account.secret_created',
  'service_account.secret_replaced',
  'service_account.secret_revoked',
  'service_account.compromised',
  'application.compromised',
  'customer.created',
  'customer.renamed',
  'customer.deleted',
  'customer.disabled',
  'customer.enabled',
  'customer.offboarded',
  'customer.security_contact_changed',
  'customer.notified',
  'customer.notice_given_up',
  'upstream.added',
  'upstream.secret_replaced',
  'upstream.removed',
  'key.created',
  'key.staged',
  'key.promoted',
  'key.removed',
  'key.resealed',
  'audit.month_exported',
  'audit.month_dropped',
  'audit.customer_exported',
  'audit.identity_resolved',
  'installation.exported',
  'installation.imported',
  'installation.restored',
] as const;
export type AuditEventType = (typeof AUDIT_EVENT_TYPES)[number];

export interface AuditLog {
  /**
   * Takes the event, which now survives the end of this process. It is written to the table soon,
   * and once.
   *
   * @throws {DatabaseUnavailable} when it cannot be kept: then the request must not succeed. A
   *   refusal that cannot be kept is written to the log instead.
   */
  record(event: AuditEvent): void;
  /** The same; resolves when the answer may go out. For an answer outside of `answeringScope`. */
  recordSafely(event: AuditEvent): Promise<void>;
  /** Resolves when the events survive a crash of the machine, if the database does. */
  synced(): Promise<void>;
  /**
   * Writes waiting events to the table before somebody reads it. Events that cannot be written keep
   * waiting.
   */
  catchUp(): Promise<void>;
  /** The same before the process ends; what cannot be written waits for the next process. */
  flush(): Promise<void>;
}

/** An event as it was written. */
export interface StoredEvent extends Omit<AuditEvent, 'subject' | 'requestId' | 'once'> {
  /** Rises with each event. */
  readonly id: bigint;
  readonly at: Date;
}

export interface AuditReader {
  /** Events of any of the subjects, the newest first. @param page `before` an event's id. */
  eventsOf(
    subjects: readonly string[],
    page: {
      readonly types?: readonly AuditEventType[];
      readonly before?: bigint;
      readonly limit: number;
    },
  ): Promise<readonly StoredEvent[]>;
  /** Events that fit all that is asked for, the newest first. */
  search(asked: AuditSearch, limit: number): Promise<readonly FoundEvent[]>;
}

export interface AuditSearch {
  readonly subjects?: readonly string[] | undefined;
  /** A service account or an application: as the client, or as what the event is about. */
  readonly client?: string | undefined;
  readonly address?: string | undefined;
  /** Names of types, or `key.*` for all that begin so. */
  readonly types?: readonly string[] | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

export interface FoundEvent extends StoredEvent {
  readonly subject: string;
  readonly requestId?: string;
}
