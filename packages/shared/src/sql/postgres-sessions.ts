/**
 * Sessions of PostgreSQL: on which of several hosts, and with the settings that every statement
 * relies on, whether a pooler stands between or not.
 *
 * A session gets its settings when it starts. pgbouncer refuses them then, or drops them where its
 * `ignore_startup_parameters` says so, and its transaction mode hands each transaction another
 * session: there the settings go with each transaction.
 */

import pg from 'pg';
import { type ConnectionCounts, DatabaseUnavailable, Overloaded } from './database.ts';
import type { Pulse } from './liveness.ts';
import type { PostgresOptions } from './postgres.ts';
import { postgresHosts } from './postgres-hosts.ts';

const OID = { int8: 20, int8Array: 1016, date: 1082, timestamp: 1114, timestamptz: 1184 } as const;
const asText = (text: string): string => text;

/** The database port's value rules, where they differ from the driver's defaults. */
const types = new pg.TypeOverrides();
types.setTypeParser(OID.int8, (text) => BigInt(text));
types.setTypeParser(OID.int8Array, (text) =>
  text === '{}'
    ? []
    : text
        .slice(1, -1)
        .split(',')
        .map((each) => (each === 'NULL' ? null : BigInt(each))),
);
types.setTypeParser(OID.date, asText);
types.setTypeParser(OID.timestamp, asText);
types.setTypeParser(OID.timestamptz, asText);

/** Requests that wait for a session: at most so many for each, and at least so many in all. */
const WAITING_PER_SESSION = 20;
const WAITING_MIN = 200;
const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_IN_TRANSACTION_MS = 5 * 60_000;
const LISTENER_TIMEOUT_MS = 5_000;

export interface PostgresSessions {
  acquire(): Promise<pg.PoolClient>;
  /** An unconnected client for LISTEN. */
  openListener(): pg.Client;
  /** What BEGIN is followed by; empty where sessions have their settings from the start. */
  readonly localSettings: string;
  readonly pulse: Pulse;
  counts(): ConnectionCounts;
  close(): Promise<void>;
}

const STANDBY = 'the host is a standby';
/** Asked of each new session: whether it has its settings, and whether it takes writes. */
const PROBE = `SELECT (SELECT setting FROM pg_settings WHERE name = 'statement_timeout') AS "limit",
  pg_is_in_recovery() AS standby`;

/** @throws {DatabaseUnavailable} when the URL cannot be read. */
export function postgresSessions(options: PostgresOptions): PostgresSessions {
  const hosts = hostsOf(options.url.expose());
  const settings = {
    statement_timeout: `${options.statementTimeoutMs}`,
    idle_in_transaction_session_timeout: `${IDLE_IN_TRANSACTION_MS}`,
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    // Plans that may not scan, and those made while tables are empty, look dear: each execution would be
    // compiled, which takes longer than running it.
    jit: 'off',
  };
  let host = 0;
  let pooled = false;
  let pulse: pg.Client | undefined;
  /** Those among which the pulse is being found. */
  let candidates: readonly pg.Client[] = [];

  const urlOf = (index: number) => hosts.urls[index] ?? '';
  /** Unless somebody has found a better one meanwhile. */
  const leaveHost = (tried: number) => {
    if (host === tried) host = (host + 1) % hosts.urls.length;
  };
  /** The driver takes one host, and not all of the settings. */
  class Session extends pg.Client {
    constructor(config: pg.ClientConfig, index = host) {
      super({ ...config, connectionString: urlOf(index) });
    }

    getStartupConf(): Record<string, string> {
      const { getStartupConf } = pg.Client.prototype as pg.Client & {
        getStartupConf(this: pg.Client): Record<string, string>;
      };
      return { ...getStartupConf.call(this), ...(pooled ? {} : settings) };
    }
  }
  const common = {
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types,
  };
  const pool = new pg.Pool({
    ...common,
    Client: Session,
    max: options.poolSize,
    // Statements are sent when they are given, not when the one before was answered.
    pipeline: true,
    // The driver's own limit, for a server that is frozen and cannot cancel anything.
    query_timeout: options.statementTimeoutMs + 2_000,
  } as object as pg.PoolConfig);
  pool.on('error', options.onError);
  // The failed statement reports a lost session to its user; the event alone would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const waitingMax = Math.max(WAITING_MIN, options.poolSize * WAITING_PER_SESSION);
  const isFull = () => pool.totalCount >= options.poolSize && pool.idleCount === 0;
  /** A session of the pool: at once, or when another request gives one back. */
  const next = (): Promise<pg.PoolClient> => {
    if (pool.waitingCount >= waitingMax) throw overloaded();
    if (!isFull()) return pool.connect();
    // The time to connect is also the time to wait for a session that others have.
    return pool.connect().catch((error) => {
      throw isFull() ? overloaded(error) : error;
    });
  };
  const fit = new WeakSet<pg.PoolClient>();
  const busy = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => busy.add(client));
  pool.on('release', (_, client) => busy.delete(client));

  /**
   * Asks a new session once. The pool's own `verify` would lose a session whose user gave up while the
   * server was asked: nobody would give it back.
   */
  const verify = async (client: pg.PoolClient): Promise<void> => {
    try {
      const {
        rows: [row],
      } = await client.query(PROBE);
      if (!pooled && row.limit !== `${options.statementTimeoutMs}`) pooled = true;
      if (hosts.needsWrites && row.standby === true) {
        throw new DatabaseUnavailable(STANDBY);
      }
      fit.add(client);
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  };
  const closePulse = () => {
    for (const client of [pulse, ...candidates]) destroy(client);
    pulse = undefined;
    candidates = [];
  };
  /**
   * Asks all hosts at once. Where writes are needed, the answer of a standby says nothing about a
   * primary that is frozen: there is no answer until all have answered, or one that takes writes.
   */
  const findPulse = async (): Promise<void> => {
    // Who asks sets the time: a limit here would end with it, and look like a refusal.
    const config = { ...common, connectionTimeoutMillis: 0 };
    const asked = hosts.urls.map((_, index) => new Session(config, index));
    candidates = asked;
    const answers = asked.map(async (client, index) => {
      client.on('error', () => undefined);
      await client.connect();
      const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby');
      if (hosts.needsWrites && rows[0].standby) throw new DatabaseUnavailable(STANDBY);
      return index;
    });
    let keep: pg.Client | undefined;
    try {
      const index = await Promise.any(answers);
      keep = asked[index];
      pulse = keep;
      host = index;
      keep?.on('error', closePulse);
    } finally {
      if (candidates === asked) candidates = [];
      for (const client of asked) if (client !== keep) destroy(client);
    }
  };
  return {
    async acquire() {
      // Every host once, and once more when the first was found to be a pooler.
      for (let tries = hosts.urls.length; ; tries -= 1) {
        const [tried, sentSettings] = [host, !pooled];
        try {
          const client = await next();
          if (!fit.has(client)) await verify(client);
          return client;
        } catch (error) {
          if (error instanceof Overloaded) throw error;
          if (sentSettings && isUnsupportedSetting(error)) pooled = true;
          else {
            leaveHost(tried);
            if (tries <= 1 || !mayBeBetterElsewhere(error)) throw error;
          }
        }
      }
    },
    openListener() {
      const url = options.listenUrl?.expose() ?? urlOf(host);
      const config = { ...common, query_timeout: LISTENER_TIMEOUT_MS };
      return new pg.Client({ ...config, connectionString: hostsOf(url).urls[0] });
    },
    get localSettings() {
      if (!pooled) return '';
      const each = Object.entries(settings);
      return each.map(([name, value]) => `SET LOCAL ${name} = '${value}';`).join('');
    },
    pulse: {
      get connected() {
        return pulse !== undefined;
      },
      async ask() {
        if (pulse === undefined) await findPulse();
        else await pulse.query('SELECT 1');
      },
      abandon: closePulse,
      onSilence() {
        for (const client of busy) destroy(client);
        leaveHost(host);
      },
    },
    counts: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      limit: options.poolSize,
    }),
    async close() {
      closePulse();
      await pool.end();
    },
  };
}

function hostsOf(url: string) {
  const hosts = postgresHosts(url);
  if (hosts === undefined) throw new DatabaseUnavailable('the database URL cannot be read');
  return hosts;
}

/** Cuts the connection: nothing that is sent on it afterwards arrives. */
function destroy(client: pg.Client | pg.PoolClient | undefined): void {
  const { connection } = (client ?? {}) as { connection?: { stream: { destroy(): void } } };
  connection?.stream.destroy();
}

function overloaded(cause?: unknown): Overloaded {
  return new Overloaded('too many requests wait for the database', { cause });
}

function isUnsupportedSetting(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  return code === '08P01' && message.includes('unsupported startup parameter');
}

/** A host that is down, starting, or a standby; a wrong password is wrong everywhere. */
function mayBeBetterElsewhere(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return !/^(28|3D)/.test(code);
}
