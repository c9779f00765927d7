import { createHash } from 'node:crypto';

/** The events of a calendar month in UTC, or of all time before a moment. */
export interface AuditPeriod {
  /** `2026-05` or `before-2027-01`. */
  readonly name: string;
  /** Undefined: since ever. */
  readonly from: Date | undefined;
  readonly until: Date;
}

/** A partition of the audit, or a table that was one. */
export interface AuditMonth {
  /** As of a period; `other` for the partition that takes all other times. */
  readonly month: string;
  readonly from: Date | undefined;
  readonly until: Date | undefined;
  /** By the clock of the database. */
  readonly over: boolean;
  /** What the database estimates, or counted; undefined where it does not know. */
  readonly events: bigint | undefined;
  readonly bytes: bigint;
  /** A detached month is a table of its own, which nothing here reads or drops. */
  readonly state: 'attached' | 'detached';
}

/** What a file of exported events ends with. */
export interface ExportSummary {
  readonly object: 'summary';
  readonly month: string;
  readonly events: number;
  /** Of all bytes before this line. */
  readonly sha256: string;
}

/** The same, of the events about a customer, its people and its clients. */
export interface CustomerExportSummary extends Omit<ExportSummary, 'month'> {
  readonly customer: string;
}

/**
 * Which events these are. An event never changes, but that the erasure of a person takes the person
 * out of it.
 */
export interface EventSet {
  readonly events: bigint;
  readonly ids: bigint;
  readonly eventIds: bigint;
}

/** The events of a file, and the checksum of its summary. */
export interface ExportedMonth extends EventSet {
  readonly month: string;
  readonly sha256: string;
}

export type DropOutcome =
  | { readonly outcome: 'dropped'; readonly events: bigint }
  | { readonly outcome: 'would_drop'; readonly events: bigint }
  | { readonly outcome: 'differs'; readonly events: bigint }
  | { readonly outcome: 'busy' }
  | { readonly outcome: 'gone' };

export interface AuditArchive {
  /** In the order of time. @param count reads every event; otherwise events are an estimate. */
  months(options: { readonly count: boolean }): Promise<readonly AuditMonth[]>;
  /** Writes the events of the period as of one moment, in the order of their ids, and a summary. */
  export(period: AuditPeriod, write: (text: string) => Promise<void>): Promise<ExportSummary>;
  /** Events about the customer, its people, service accounts and providers, of any time. */
  countOf(customer: string): Promise<bigint>;
  /** Writes them, as `export` does. */
  exportOf(
    customer: string,
    write: (text: string) => Promise<void>,
  ): Promise<CustomerExportSummary>;
  /**
   * Drops the partition that is exactly this period, and records that in the same transaction.
   *
   * @param file nothing is dropped unless these are its events.
   * @param apply false: says what would be done.
   */
  drop(
    period: AuditPeriod,
    options: { readonly file: ExportedMonth | undefined; readonly apply: boolean },
  ): Promise<DropOutcome>;
}

/** The file is no export of audit events, is cut, or was changed. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
}

/**
 * Reads what `export` wrote.
 *
 * @throws {ExportRefused}
 */
export async function readExport(lines: AsyncIterable<string>): Promise<ExportedMonth> {
  const digest = createHash('sha256');
  let events = 0n;
  let ids = 0n;
  let eventIds = 0n;
  let summary: Partial<ExportSummary> | undefined;
  for await (const line of lines) {
    if (summary !== undefined) throw new ExportRefused('something follows its summary');
    const parsed = parseLine(line);
    if (parsed['object'] === 'summary') {
      summary = parsed;
      continue;
    }
    digest.update(`${line}\n`);
    events += 1n;
    ids += wholeNumber(parsed['id']);
    eventIds += firstBits(parsed['eventId']);
  }
  if (summary === undefined) throw new ExportRefused('it is cut: it has no summary');
  const { month, sha256 } = summary;
  if (sha256 !== digest.digest('hex')) {
    throw new ExportRefused('its checksum is wrong: it was changed or damaged');
  }
  if (typeof month !== 'string') {
    throw new ExportRefused('it has the events of a customer, not of a month');
  }
  return { month, sha256, events, ids, eventIds };
}

function parseLine(line: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === 'object' && parsed !== null) return { ...parsed };
  } catch {}
  throw new ExportRefused('a line is no JSON object');
}

function wholeNumber(text: unknown): bigint {
  if (typeof text !== 'string' || !/^\d+$/.test(text))
    throw new ExportRefused('an event has no id');
  return BigInt(text);
}

/** The first 32 bits. Events of very old builds have no id of their own. */
function firstBits(uuid: unknown): bigint {
  return typeof uuid === 'string' ? BigInt(Number.parseInt(uuid.slice(0, 8), 16)) : 0n;
}
