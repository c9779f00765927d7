import { connect } from 'node:net';
import pg from 'pg';
import type { Secret } from '../secret.ts';
import {
  Abandoned,
  beginStatement,
  type Database,
  DatabaseUnavailable,
  type ListenGap,
  type Sql,
  SqlError,
  type SqlValue,
} from './database.ts';

const OID = { int8: 20, int8Array: 1016, date: 1082, timestamp: 1114, timestamptz: 1184 } as const;
const asText = (text: string): string => text;

/** The database port's value rules, where they differ from the driver's defaults. */
const types = new pg.TypeOverrides();
types.setTypeParser(OID.int8, (text) => BigInt(text));
types.setTypeParser(OID.int8Array, (text) =>
  text === '{}' ? [] : text.slice(1, -1).split(',').map(BigInt),
);
types.setTypeParser(OID.date, asText);
types.setTypeParser(OID.timestamp, asText);
types.setTypeParser(OID.timestamptz, asText);

export interface PostgresOptions {
  readonly url: Secret;
  /** Connections at the most, the one for notices not counted. */
  readonly poolSize: number;
  /** Milliseconds after which the server cancels a statement. */
  readonly statementTimeoutMs: number;
  readonly applicationName: string;
  /** Called for faults of idle connections, which no caller waits for. */
  readonly onError: (error: Error) => void;
}

/** PostgreSQL 15 or newer behind the `Database` port. Connections open on first use. */
export function postgresDatabase(options: PostgresOptions): Database {
  const connection = {
    connectionString: options.url.expose(),
    application_name: options.applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    types,
    options: '-c TimeZone=UTC -c DateStyle=ISO',
  };
  const pool = new pg.Pool({
    ...connection,
    max: options.poolSize,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: 5 * 60_000,
    // The driver's own limit, for a server that is frozen and cannot cancel anything.
    query_timeout: options.statementTimeoutMs + 2_000,
  });
  pool.on('error', options.onError);
  const listeners = new Set<() => Promise<void>>();

  return {
    ...sqlOn(pool),
    async transaction(work, transactionOptions) {
      const signal = transactionOptions?.signal;
      if (signal?.aborted) throw new Abandoned();
      const client = await translated(pool.connect());
      let broken: Error | undefined;
      const cancel = () => {
        // A cancellation may arrive after its statement: nobody else may get this session.
        broken = new Abandoned();
        requestCancellation(client);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        if (signal?.aborted) throw new Abandoned();
        await translated(client.query(beginStatement(transactionOptions)));
        const result = await work({ ...sqlOn(client), inTransaction: true });
        await translated(client.query('COMMIT'));
        return result;
      } catch (error) {
        if (signal?.aborted) throw new Abandoned({ cause: error });
        await client.query('ROLLBACK').catch((rollbackError: Error) => {
          broken = rollbackError; // The session's state is unknown: the pool must drop it.
        });
        throw error;
      } finally {
        signal?.removeEventListener('abort', cancel);
        client.release(broken);
      }
    },
    async listen(channel, onMessage, onGap) {
      const stop = await listenOn(connection, channel, onMessage, onGap);
      listeners.add(stop);
      return async () => {
        listeners.delete(stop);
        await stop();
      };
    },
    async close() {
      await Promise.all([...listeners].map((stop) => stop()));
      await pool.end();
    },
  };
}

const CANCEL_REQUEST = 80_877_102;

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
  socket.end(request);
}

function sqlOn(on: pg.Pool | pg.PoolClient): Sql {
  return {
    async query<Row>(sql: string, params: readonly SqlValue[] = []) {
      const result = await translated(on.query({ text: sql, values: [...params] }));
      return result.rows as Row[];
    },
    async execute(sql) {
      await translated(on.query(sql));
    },
  };
}

const HEARTBEAT_MS = 5_000;

/** A dedicated connection for LISTEN that reconnects by itself and reports each gap. */
async function listenOn(
  connection: pg.ClientConfig,
  channel: string,
  onMessage: (payload: string) => void,
  onGap: (state: ListenGap) => void,
): Promise<() => Promise<void>> {
  let stopped = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({ ...connection, query_timeout: HEARTBEAT_MS });
    let heartbeat: NodeJS.Timeout | undefined;
    const lost = () => {
      clearInterval(heartbeat);
      fresh.removeListener('end', lost);
      fresh.end().catch(() => undefined);
      if (!stopped && client === fresh) {
        client = undefined;
        onGap('lost');
        scheduleRetry();
      }
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', (notice) => onMessage(notice.payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      fresh.end().catch(() => undefined);
      throw error;
    }
    client = fresh;
    // A path that dies silently tells nobody: a connection that only listens must be asked.
    heartbeat = setInterval(() => void fresh.query('SELECT 1').catch(lost), HEARTBEAT_MS);
    heartbeat.unref();
  };
  const scheduleRetry = () => {
    retry = setTimeout(() => {
      connect().then(
        () => onGap('resumed'),
        () => stopped || scheduleRetry(),
      );
    }, 500);
    retry.unref();
  };

  await translated(connect());
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await client?.end().catch(() => undefined);
  };
}

async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translateError(error);
  }
}

function translateError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && error.code !== undefined) {
    // 57P0x: the server shuts down or starts up; 53xxx: out of resources; 57014: timed out.
    return /^(57P0|53|08|57014)/.test(error.code)
      ? new DatabaseUnavailable(`the database refused work (${error.code})`, { cause: error })
      : new SqlError(error.message, error.code, error.constraint, { cause: error });
  }
  return error instanceof Error && !(error instanceof TypeError)
    ? new DatabaseUnavailable('the database cannot be reached', { cause: error })
    : error;
}
