import { connect, type Socket } from 'node:net';
import pg from 'pg';
import type { Secret } from '../secret.ts';
import { withArrayLiterals } from './array-literal.ts';
import {
  Abandoned,
  beginStatement,
  type Database,
  DatabaseUnavailable,
  Overloaded,
  type QueryOptions,
  type Sql,
  SqlError,
  type SqlValue,
  unavailable,
} from './database.ts';
import { type Liveness, liveness, patient } from './liveness.ts';
import { listenOn } from './postgres-listen.ts';
import { postgresSessions } from './postgres-sessions.ts';
import { preparedNames } from './prepared-names.ts';
import { cannotOpen, isUnavailable } from './sqlstate.ts';

export interface PostgresOptions {
  /** May name several hosts (postgres-hosts.ts), and pgbouncer in any of its pooling modes. */
  readonly url: Secret;
  /** Where LISTEN goes; `url` when undefined. A pooler that shares sessions delivers no notices. */
  readonly listenUrl?: Secret;
  /** Limit of connections for statements; `sessionsMax` counts the others. */
  readonly poolSize: number;
  /** Milliseconds after which the server cancels a statement. */
  readonly statementTimeoutMs: number;
  /** Gives up within two seconds where the server stops answering, for callers who wait. */
  readonly failFast?: boolean;
  readonly applicationName: string;
  /** Called for faults of idle connections, which no caller waits for. */
  readonly onError: (error: Error) => void;
  /** Called once when notices cannot be had: a pooler, and no URL that goes round it. */
  readonly onNoNotices?: () => void;
}

/** What a service asks of `postgresForRequests`, beside the sessions of its pool. */
export interface SessionUse {
  /** Whether it uses `besideRequests`. */
  readonly beside: boolean;
  /** How often it calls `listen`: each call keeps a session. */
  readonly listeners: number;
}

/**
 * The most sessions that `postgresForRequests` keeps open on one server. Each of its two databases
 * has one session that asks whether the server answers (liveness.ts). A request to cancel a statement
 * has a connection, but takes none of the server's `max_connections`.
 */
export function sessionsMax(poolSize: number, { beside, listeners }: SessionUse): number {
  const liveness = 1;
  return poolSize + liveness + (beside ? 1 + liveness : 0) + listeners;
}

/** With a further session, which no request has or waits for: `besideRequests`. */
export function postgresForRequests(options: PostgresOptions): Database {
  const database = postgresDatabase(options);
  const beside = postgresDatabase({ ...options, poolSize: 1 });
  return {
    ...database,
    beside,
    async close() {
      await Promise.all([database.close(), beside.close()]);
    },
  };
}

/** PostgreSQL 15 or newer behind the `Database` port. Connections open on first use. */
export function postgresDatabase(options: PostgresOptions): Database {
  const sessions = postgresSessions(options);
  const alive = options.failFast ? liveness(sessions.pulse) : patient;
  const listeners = new Set<() => Promise<void>>();
  const names = preparedNames();
  const on = (client: pg.PoolClient, options: QueryOptions = {}): Sql => {
    // A pooler hands each transaction another session, which has other statements.
    const prepared = options.prepared === true && sessions.localSettings === '';
    return sqlOn(client, alive, prepared ? (text) => names.nameFor(client, text) : undefined);
  };

  const transaction: Database['transaction'] = async (work, transactionOptions) => {
    const signal = transactionOptions?.signal;
    if (signal?.aborted) throw new Abandoned();
    const client = await acquire();
    let broken: Error | undefined;
    let cancelling: NodeJS.Timeout | undefined;
    const cancel = () => {
      // A cancellation may arrive after its statement: nobody else may get this session. Or before
      // one that is on its way, and so would miss it: it is asked for until the work has ended.
      broken = new Abandoned();
      requestCancellation(client);
      cancelling = setInterval(requestCancellation, CANCEL_AGAIN_MS, client);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    const sql = on(client, transactionOptions);
    // Nothing is lost with the end of what only reads, and pgbouncer sees one message at a time.
    const ahead = transactionOptions?.readOnly === true && sessions.localSettings === '';
    try {
      if (signal?.aborted) throw new Abandoned();
      if (ahead) gatherWrites(client);
      const begun = sql.execute(`${beginStatement(transactionOptions)}${sessions.localSettings}`);
      if (!ahead) await begun;
      let ended: Promise<void> | undefined;
      const end = () => {
        ended ??= sql.execute('COMMIT');
        return ended;
      };
      const endAhead = () => void end().catch(() => undefined);
      const inside = { ...sql, inTransaction: true as const, ...(ahead && { endAhead }) };
      const result = await workAfter(begun, () => work(inside));
      if (ahead) endAhead();
      else await end();
      return result;
    } catch (error) {
      if (signal?.aborted) throw new Abandoned({ cause: error });
      await sql.execute('ROLLBACK').catch((rollbackError: Error) => {
        broken = rollbackError; // The session's state is unknown: the pool must drop it.
      });
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      clearInterval(cancelling);
      client.release(broken);
    }
  };

  /** A session of the pool. Who gives up waiting for one leaves it to the next. */
  const acquire = async (): Promise<pg.PoolClient> => {
    const waiting = sessions.acquire();
    try {
      return await alive.guard(() => waiting);
    } catch (error) {
      waiting.then(
        (client) => client.release(),
        () => undefined,
      );
      throw translateError(error, cannotOpen);
    }
  };

  /** By itself, or in a transaction where settings must come with it. */
  const alone = async <T>(work: (sql: Sql) => Promise<T>, options?: QueryOptions): Promise<T> => {
    const client = await acquire();
    if (sessions.localSettings !== '') {
      client.release();
      return transaction(work);
    }
    let broken: Error | undefined;
    try {
      return await work(on(client, options));
    } catch (error) {
      if (error instanceof DatabaseUnavailable) broken = error;
      throw error;
    } finally {
      client.release(broken);
    }
  };

  return {
    query: (sql, params, options) => alone((session) => session.query(sql, params), options),
    execute: (sql) => alone((session) => session.execute(sql)),
    transaction,
    async listen(channel, onMessage, onGap) {
      // The first session shows whether there is a pooler in between.
      (await acquire()).release();
      if (sessions.localSettings !== '' && options.listenUrl === undefined) {
        options.onNoNotices?.();
        onGap('lost');
        return async () => undefined;
      }
      const stop = await translated(
        listenOn(sessions.openListener, channel, onMessage, onGap),
        cannotOpen,
      );
      listeners.add(stop);
      return async () => {
        listeners.delete(stop);
        await stop();
      };
    },
    connections: () => sessions.counts(),
    async close() {
      alive.stop();
      await Promise.all([...listeners].map((stop) => stop()));
      await sessions.close();
    },
  };
}

/** BEGIN goes out with the statement that follows it: what is written in this turn is one packet. */
function gatherWrites(client: pg.PoolClient): void {
  const { stream } = (client as pg.PoolClient & { readonly connection: { stream: Socket } })
    .connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Work whose statements may be sent before the answer to BEGIN, and fail where that failed. */
async function workAfter<T>(begun: Promise<void>, work: () => Promise<T>): Promise<T> {
  const [result] = await Promise.allSettled([work(), begun]);
  await begun;
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

const CANCEL_REQUEST = 80_877_102;
const CANCEL_AGAIN_MS = 500;

/**
 * PostgreSQL's own request to cancel what a session does, on a connection of its own. It works
 * through pgbouncer, where a process id would name another session.
 */
function requestCancellation(client: pg.PoolClient): void {
  const { host, port, processID, secretKey } = client as pg.PoolClient & {
    readonly host: string;
    readonly port: number;
    readonly processID: number;
    readonly secretKey: number;
  };
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST, processID, secretKey].forEach((value, index) => {
    request.writeInt32BE(value, index * 4);
  });
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // When it does not get there, the statement ends at its limit.
  socket.on('error', () => undefined);
  socket.setTimeout(CANCEL_AGAIN_MS, () => socket.destroy());
  socket.end(request);
}

function sqlOn(client: pg.PoolClient, alive: Liveness, nameOf?: (text: string) => string): Sql {
  return {
    async query<Row>(text: string, params: readonly SqlValue[] = []) {
      try {
        const { rows } = await alive.guard(() => {
          const name = nameOf && { name: nameOf(text) };
          return client.query({ text, values: withArrayLiterals(params), ...name });
        });
        return rows as Row[];
      } catch (error) {
        throw translateError(error, isUnavailable);
      }
    },
    async execute(sql) {
      await translated(alive.guard(() => client.query(sql)));
    },
  };
}

async function translated<T>(work: Promise<T>, isPassing = isUnavailable): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translateError(error, isPassing);
  }
}

/** @param isPassing of a SQLSTATE: whether the same may succeed later. */
function translateError(error: unknown, isPassing: (code: string) => boolean): unknown {
  if (error instanceof Overloaded) return error;
  if (error instanceof pg.DatabaseError && error.code !== undefined) {
    return isPassing(error.code)
      ? unavailable(error.code, error)
      : new SqlError(error.message, error.code, error.constraint, { cause: error });
  }
  return error instanceof Error && !(error instanceof TypeError)
    ? new DatabaseUnavailable('the database cannot be reached', { cause: error })
    : error;
}
