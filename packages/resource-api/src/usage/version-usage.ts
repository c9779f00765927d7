/** Whose requests are counted together, a day at a time. */
export interface UsageSubject {
  /** UTC, such as `2026-11-22`. */
  readonly day: string;
  readonly customer: string;
  readonly clientId: string;
  /** Id of the account or service account. */
  readonly subject: string;
  /** As the path has it: `v1` or `latest`. */
  readonly requested: string;
  /** The version that answered, or that was retired. */
  readonly served: string;
  /** Such as `GET /cls/balances`. */
  readonly operation: string;
}

export interface UsageCount extends UsageSubject {
  readonly requests: number;
}

/** Counts that one process sends at once; the next batch of the process has a higher number. */
export interface UsageBatch {
  readonly source: string;
  readonly number: number;
  readonly counts: readonly UsageCount[];
}

export interface UsageStore {
  /** A batch that is sent again adds nothing. */
  add(batch: UsageBatch): Promise<void>;
  /** Of this day and later ones. */
  since(day: string): Promise<readonly UsageCount[]>;
}

/** What one caller asked of an operation of a version, over many days. */
export interface CallerUse extends Omit<UsageSubject, 'day' | 'served'> {
  readonly requests: number;
  readonly lastDay: string;
}

/** A small answer about much use: as many lines as there are callers and operations. */
export interface UsageSummaries {
  /** Of this day and later ones, where one of these was asked for. */
  summarize(firstDay: string, requested: readonly string[]): Promise<readonly CallerUse[]>;
}

/** What the callers of one client asked on a day. */
export type ClientUse = Omit<UsageCount, 'customer' | 'subject'>;

export interface CustomerUsage {
  /** From the first day to the last one, in any order. */
  ofCustomer(customer: string, firstDay: string, lastDay: string): Promise<readonly ClientUse[]>;
}

/** Adds up what the same callers asked, in the order of their text. */
export function callerUses() {
  const sums = new Map<string, CallerUse>();
  return {
    add({ customer, clientId, subject, requested, operation, requests, lastDay }: CallerUse): void {
      const key = JSON.stringify([customer, clientId, subject, requested, operation]);
      const before = sums.get(key);
      sums.set(key, {
        ...{ customer, clientId, subject, requested, operation },
        requests: requests + (before?.requests ?? 0),
        lastDay: before !== undefined && before.lastDay > lastDay ? before.lastDay : lastDay,
      });
    },
    list: (): readonly CallerUse[] =>
      [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use),
  };
}

/** The same subjects of several stores, added up; in the order of their text. */
export function addUsage(...lists: readonly (readonly UsageCount[])[]): readonly UsageCount[] {
  const sums = new Map<string, UsageCount>();
  for (const { requests, ...subject } of lists.flat()) {
    const key = subjectKey(subject);
    sums.set(key, { ...subject, requests: (sums.get(key)?.requests ?? 0) + requests });
  }
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

/** In the order of the store's columns. */
export const SUBJECT_FIELDS = [
  ...(['day', 'customer', 'clientId', 'subject', 'requested', 'served', 'operation'] as const),
];

/** One text for a subject, in one order of its fields. */
export function subjectKey(subject: UsageSubject): string {
  return JSON.stringify(SUBJECT_FIELDS.map((name) => subject[name]));
}

export function subjectOf(key: string): UsageSubject {
  const [day, customer, clientId, subject, requested, served, operation] = JSON.parse(key);
  return { day, customer, clientId, subject, requested, served, operation };
}
