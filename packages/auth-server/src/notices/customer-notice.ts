import type { Locale } from '@cls/shared/pages/browser';
import type { AttemptResult } from '@cls/shared/send-attempt';
import type { Sql } from '@cls/shared/sql/database';

/** A secret of a service account became known to others, and was ended. */
export interface SecretCompromised {
  /** Its client id, and its name. */
  readonly serviceAccount: string;
  readonly name: string;
  /** The secrets that have ended. */
  readonly secretIds: readonly string[];
  /** The one that takes their place, if one was made. */
  readonly newSecretId?: string;
  /** Tokens of the service account from before this instant (RFC 3339) are refused. */
  readonly tokensRevokedBefore: string;
  readonly reportedBy: 'operator' | 'administrator' | 'secret_scanning';
  /** Where it was found: an https URL, if one was reported. */
  readonly foundAt?: string;
}

/** What a customer is told, by type. */
export interface CustomerNotices {
  readonly 'secret.compromised': SecretCompromised;
}

export type NoticeType = keyof CustomerNotices;

/** What a webhook receives; the e-mail says the same. */
export interface NoticeDocument<T extends NoticeType = NoticeType> {
  readonly type: T;
  readonly timestamp: string;
  /** `format`: of this shape. A change that is incompatible gets the next number. */
  readonly data: CustomerNotices[T] & { readonly format: 1; readonly customer: string };
}

export type Channel = 'email' | 'webhook';

/** One attempt to send a notice. */
export interface ClaimedNotice {
  readonly id: string;
  readonly channel: Channel;
  readonly customer: string;
  readonly document: string;
  /** How many attempts there are, this one included. */
  readonly attempts: number;
  /** Empty where the contact has been removed. */
  readonly target: string;
  /** Of a webhook. */
  readonly sealedSecret: string | null;
  readonly locale: Locale;
}

/**
 * Writes a notice to the outbox, for each way by which the customer is told.
 *
 * @param sql the transaction of what the notice tells.
 * @returns the ways; none for a customer without a security contact.
 */
export type QueueNotice = <T extends NoticeType>(
  sql: Sql,
  customer: string,
  type: T,
  about: CustomerNotices[T],
  now: Date,
) => Promise<readonly Channel[]>;

export interface CustomerNoticeOutbox {
  /** Notices that are due and that nobody sends; they are this process's for `leaseS` seconds. */
  claim(limit: number, leaseS: number, now: Date): Promise<readonly ClaimedNotice[]>;
  /** A delivery is kept in any case; another result if nobody has tried again since. */
  record(notice: ClaimedNotice, result: AttemptResult, now: Date): Promise<void>;
  /** How many notices wait. */
  waiting(): Promise<number>;
}
