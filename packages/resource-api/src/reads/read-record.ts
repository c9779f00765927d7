/** One answer to a caller, for the log of reads. It holds no token. */
export interface ReadRecord {
  /** When the request came in. */
  readonly at: Date;
  readonly requestId: string;
  /** Id of the account or service account. */
  readonly subject: string;
  readonly clientId: string;
  readonly accountType: string;
  readonly customer: string;
  /** Where the request came from. */
  readonly address: string;
  /** The version that answered, such as `v1`. */
  readonly version: string;
  /** Such as `GET /cls/deals/{id}`. */
  readonly operation: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Of a page that a cursor names, the question that the walk began with. */
  readonly question: string;
  readonly status: number;
  /** Items that were sent; undefined where the answer has none, as a 304 or a 404. */
  readonly items: number | undefined;
  /** Whether the caller took all of the answer. */
  readonly complete: boolean;
}

export interface ReadFilter {
  readonly client?: string;
  readonly customer?: string;
  readonly account?: string;
  /** Reads whose path or question names it. */
  readonly deal?: string;
  readonly since: Date;
  readonly until: Date;
}

export interface ReadRecords {
  /** All or nothing. */
  add(records: readonly ReadRecord[]): Promise<void>;
  /** In the order of time, so many at a time, and those of the same millisecond as the last one. */
  list(filter: ReadFilter, atLeast: number): AsyncIterable<readonly ReadRecord[]>;
  /** Makes the tables of the days ahead, and removes days that are older than `keptDays`; 0 removes none. */
  sweep(keptDays: number): Promise<void>;
}
