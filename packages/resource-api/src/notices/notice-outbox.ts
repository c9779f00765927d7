import type { AttemptResult } from '@cls/shared/send-attempt';
import type { DueNotice, NoticeEvent, NoticeStage, NoticeSubject } from './notice-stage.ts';

export type Channel = 'email' | 'webhook';

export const NOTICE_STATES = ['pending', 'sending', 'delivered', 'failed', 'replaced'] as const;
/** `replaced`: a later stage became due before this notice could be delivered. */
export type NoticeState = (typeof NOTICE_STATES)[number];

/** Where a customer is told. */
export interface Contact {
  readonly customer: string;
  readonly channel: Channel;
  /** An e-mail address, or the URL of a webhook. */
  readonly target: string;
}

export interface NewNotice extends Contact {
  readonly id: string;
  readonly document: string;
}

/** A notice that this process is to send now. */
export interface ClaimedNotice extends NewNotice {
  readonly stage: NoticeStage;
  /** How many attempts there are, this one included. */
  readonly attempts: number;
  /** Of a webhook. */
  readonly sealedSecret: string | null;
}

/** A line of the evidence. Instants are RFC 3339 in UTC. */
export interface NoticeRecord extends Contact {
  readonly id: string;
  readonly event: NoticeEvent;
  readonly version: string;
  readonly happensAt: string;
  readonly stage: NoticeStage;
  readonly state: NoticeState;
  readonly attempts: number;
  readonly answer: string | null;
  readonly createdAt: string;
  readonly attemptedAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly deliveredAt: string | null;
}

export interface NoticeFilter {
  readonly customer?: string | undefined;
  readonly version?: string | undefined;
  readonly state?: NoticeState | undefined;
}

export interface Lease {
  readonly id: string;
  readonly until: Date;
}

/** Every notice once: a row for each event, stage and contact. */
export interface NoticeOutbox {
  /** Of the contacts of these customers, those without a notice of this stage or a later one. */
  missing(due: DueNotice, customers: readonly string[]): Promise<readonly Contact[]>;
  /** Adds what no other replica has added; nothing where a later stage has begun. */
  add(due: DueNotice, notices: readonly NewNotice[], now: Date): Promise<void>;
  /** Ends the notices of earlier stages that wait. */
  replaceEarlier(due: DueNotice, now: Date): Promise<void>;
  /** The next notice of these stages whose contact is there still, and that nobody sends. */
  claim(due: readonly DueNotice[], lease: Lease, now: Date): Promise<ClaimedNotice | undefined>;
  /** A delivery is kept whoever has the lease; another result by who has it alone. */
  record(id: string, lease: string, result: AttemptResult, now: Date): Promise<void>;
  list(filter: NoticeFilter): Promise<readonly NoticeRecord[]>;
  /** Gives those that failed further attempts. @returns how many that are. */
  retryFailed(filter: NoticeFilter, now: Date): Promise<number>;
  /** The customers to whom a notice of the event was delivered, at whatever stage. */
  toldOf(subject: NoticeSubject): Promise<ReadonlySet<string>>;
}

export interface ContactRecord extends Contact {
  readonly createdAt: string;
}

/** Whom to tell, as the operator has set it. */
export interface NoticeContacts {
  list(customer?: string): Promise<readonly ContactRecord[]>;
  /** False where the contact was there already; then nothing is changed. */
  add(contact: Contact, sealedSecret: string | null, now: Date): Promise<boolean>;
  /** False where there was none. */
  remove(contact: Contact): Promise<boolean>;
}

/** What the secret of a webhook is bound to while it is sealed. */
export function secretContext({ customer, target }: Pick<Contact, 'customer' | 'target'>): string {
  return `notice_contact:${customer}:${target}`;
}
