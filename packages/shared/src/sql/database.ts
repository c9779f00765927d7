/**
 * The database port. One dialect, PostgreSQL's, with three adapters: a PostgreSQL server, PGlite
 * in this process's worker thread, and PGlite held by another process of the same operator.
 *
 * All adapters give the same JavaScript values: `int2`/`int4`/`float` number, `int8` bigint,
 * `numeric`, `date`, `timestamp` and `timestamptz` the server's text (sessions run in UTC and
 * ISO), `json`/`jsonb` parsed, arrays as arrays, SQL NULL null.
 */

export type SqlValue = string | number | bigint | boolean | null | readonly SqlValue[];

export interface Sql {
  /**
   * One statement with `$1…` parameters.
   *
   * @param options of a statement by itself; one in a transaction follows those of the transaction
   * @throws {SqlError}
   */
  query<Row = Record<string, unknown>>(
    sql: string,
    params?: readonly SqlValue[],
    options?: QueryOptions,
  ): Promise<Row[]>;
  /** Several statements without parameters, as a migration has them. @throws {SqlError} */
  execute(sql: string): Promise<void>;
}

/** Statements run in the order in which they are given, also those that do not wait for each other. */
export interface Transaction extends Sql {
  /**
   * Marks that only `Transaction`s may be handed to code which must not commit by itself. Never
   * query the `Database` inside a transaction's callback: an embedded database has one session
   * and would wait for itself for ever.
   */
  readonly inTransaction: true;
  /**
   * Says that no statement follows those that were given, so that the end of a read can be sent with
   * them. Absent where that saves nothing.
   */
  endAhead?(): void;
}

export interface Database extends Sql {
  /** Commits when `work` resolves, rolls back when it throws. READ COMMITTED unless stated. */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /**
   * Calls `onMessage` with the payload of each NOTIFY on `channel`, from any process that uses
   * the same database. Calls `onGap` when the connection is lost and when it is back: a cache
   * that relies on notices drops what it holds both times, and keeps nothing in between.
   */
  listen(
    channel: string,
    onMessage: (payload: string) => void,
    onGap: (state: ListenGap) => void,
  ): Promise<() => Promise<void>>;
  /** Of the pool; absent where there is none. */
  connections?(): ConnectionCounts;
  /** See `besideRequests`. */
  readonly beside?: Database;
  close(): Promise<void>;
}

export interface ConnectionCounts {
  readonly open: number;
  /** Open, and used by nobody. */
  readonly idle: number;
  /** How many wait for one. */
  readonly waiting: number;
  readonly limit: number;
}

/**
 * The same database for what a service does by itself, such as its health: on a session of its own,
 * which no request has or waits for. An embedded database has one session for all.
 */
export function besideRequests(database: Database): Database {
  return database.beside ?? database;
}

/** Notices are not heard from `lost` on; they are again from `resumed` on. */
export type ListenGap = 'lost' | 'resumed';

export interface QueryOptions {
  /**
   * Each session plans a statement text once, for any parameters, and keeps the plan. For texts
   * that are asked often and whose best plan does not depend on their parameters.
   */
  readonly prepared?: boolean;
}

export interface TransactionOptions extends QueryOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  /**
   * Statements that run with BEGIN, without a round trip of their own: `SET LOCAL …;`. Sent as
   * they are, so whatever a caller chose in them must have been validated.
   */
  readonly setup?: string;
  /**
   * Ends the work when nobody waits for it any more: a statement that runs is cancelled, and the
   * promise rejects with `Abandoned`. For reads alone; an embedded database ends none but
   * read-only transactions.
   */
  readonly signal?: AbortSignal | undefined;
}

const MESSAGE_MAX_CHARS = 300;

/** A statement that the database refused. `code` is the SQLSTATE; parameters are not quoted. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly code: string;
  readonly constraint: string | undefined;

  constructor(message: string, code: string, constraint?: string, options?: ErrorOptions) {
    // Some messages quote a whole parameter.
    super(message.slice(0, MESSAGE_MAX_CHARS), options);
    this.code = code;
    this.constraint = constraint;
  }
}

const INSUFFICIENT_PRIVILEGE = '42501';

/** Whether the database refused a statement because the role may not do that. */
export function isPrivilegeMissing(error: unknown): error is SqlError {
  return error instanceof SqlError && error.code === INSUFFICIENT_PRIVILEGE;
}

/** The database cannot be reached or did not answer in time: nothing is known of the data. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** PostgreSQL ended the transaction because it and another one waited for each other. */
export class Deadlocked extends DatabaseUnavailable {}

/**
 * More is asked at once than can be answered soon: the request is refused before anything was done
 * for it, so that those under way are answered.
 */
export class Overloaded extends DatabaseUnavailable {
  readonly overloaded = true;
}

/** The client is gone, and the work was ended or never begun. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';

  constructor(options?: ErrorOptions) {
    super('nobody waits for the answer any more', options);
  }
}

/** A row that another one refers to was to be deleted. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof SqlError && error.code === '23503';
}

/** A statement, or a new session, was refused with a SQLSTATE that passes (sqlstate.ts). */
export function unavailable(code: string, cause: unknown): DatabaseUnavailable {
  const message =
    code === '25006'
      ? 'the database is read-only, so nothing was written; try again once it takes writes'
      : `the database refused work (${code})`;
  return new (code === '40P01' ? Deadlocked : DatabaseUnavailable)(message, { cause });
}

/** SQLSTATE 23505. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return (
    error instanceof SqlError &&
    error.code === '23505' &&
    (constraint === undefined || error.constraint === constraint)
  );
}

/** A plan that is kept fits all parameters from its first use on, and is not made anew for five. */
export const ONE_PLAN = 'SET LOCAL plan_cache_mode = force_generic_plan;';

export function beginStatement(options: TransactionOptions = {}): string {
  const isolation = options.isolation ? ` ISOLATION LEVEL ${options.isolation.toUpperCase()}` : '';
  const plans = options.prepared ? ONE_PLAN : '';
  return `BEGIN${isolation}${options.readOnly ? ' READ ONLY' : ''};${plans}${options.setup ?? ''}`;
}

/** SQL for the milliseconds since 1970 of a moment: `recordOf` makes a Date of them. */
export function epochMs(moment: string): string {
  return `(extract(epoch FROM ${moment}) * 1000)::float8`;
}

/** A row as what it stands for: a member that is NULL is absent, and `times` (`epochMs`) are Dates. */
export function recordOf<T extends object>(row: object, ...times: readonly (keyof T)[]): T {
  const members = Object.entries(row)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, times.includes(name as keyof T) ? new Date(value) : value]);
  return Object.fromEntries(members) as T;
}
