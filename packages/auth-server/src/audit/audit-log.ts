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
}

export type AuditEventType =
  | 'token.issued'
  | 'token.refused'
  | 'sign_in.succeeded'
  | 'sign_in.refused'
  | 'sign_in.ended'
  | 'application.created'
  | 'application.disabled'
  | 'application.enabled'
  | 'account.created'
  | 'account.disabled'
  | 'account.enabled'
  | 'account.password_replaced'
  | 'account.totp_enrolled'
  | 'account.totp_removed'
  | 'service_account.created'
  | 'service_account.disabled'
  | 'service_account.enabled'
  | 'service_account.secret_replaced'
  | 'customer.created'
  | 'customer.disabled'
  | 'customer.enabled'
  | 'key.created';

export interface AuditLog {
  /** Takes the event at once and writes it soon, in batches; `flush` waits for what was taken. */
  record(event: AuditEvent): void;
  flush(): Promise<void>;
}
