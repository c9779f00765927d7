/**
 * An embedded database whose reads can be ended. Its one session computes without a pause in a
 * thread of its own and hears nothing meanwhile, so a read that takes too long is ended with its
 * thread, and a fresh one continues from what is on disk: as after a crash of the process, all
 * that was committed is there. Only one piece of work is in the thread at a time, so nothing else ends
 * with it; a write is never ended.
 */
import {
  Abandoned,
  type Database,
  DatabaseUnavailable,
  type ListenGap,
  Overloaded,
  type Sql,
} from '../sql/database.ts';

/** A thread that holds the database. */
export interface Holder {
  readonly database: Database;
  /** Ends it at once, also in the middle of a statement. */
  terminate(): Promise<void>;
}

export interface InterruptOptions {
  /** Milliseconds that a statement of a read-only transaction may take; undefined: no limit. */
  readonly statementTimeoutMs: number | undefined;
  /** Milliseconds that a statement may still run when nobody waits for it: less than a new thread costs. */
  readonly abandonedMs: number;
  /** Milliseconds that an operator's work may keep the service waiting; undefined: no limit. */
  readonly patienceMs: number | undefined;
}

/** Two ways into one session. */
export interface SharedSession {
  /** Its statements have a limit, and it does not wait long behind an operator's work. */
  readonly service: Database;
  /** Its statements take as long as they take; they end with the tool that asked. */
  readonly operator: Database;
}

interface Listener {
  readonly channel: string;
  readonly onMessage: (payload: string) => void;
  readonly onGap: (state: ListenGap) => void;
  stop: () => Promise<void>;
}

/** How one side takes its turn: the service is turned away where an operator's work takes long. */
type TakeTurn = <T>(work: (holder: Holder) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** What may wait for the session; further work is refused. */
const WAITING_MAX = 200;

/** Opens with `open`, and again with it whenever a read was ended. */
export async function interruptibleDatabase(
  open: () => Promise<Holder>,
  { statementTimeoutMs, abandonedMs, patienceMs }: InterruptOptions,
): Promise<SharedSession> {
  let holder: Holder | undefined = await open();
  let turn: Promise<unknown> = Promise.resolve();
  const listeners = new Set<Listener>();

  let opening: Promise<Holder> | undefined;
  let closed = false;

  const held = async (): Promise<Holder> => {
    if (closed) throw new DatabaseUnavailable('the embedded database has stopped');
    if (holder !== undefined) return holder;
    opening = open();
    const fresh = await opening;
    holder = fresh;
    for (const listener of listeners) {
      const { channel, onMessage, onGap } = listener;
      listener.stop = await fresh.database.listen(channel, onMessage, onGap);
      onGap('resumed');
    }
    return fresh;
  };
  /** One after the other; who gave up waiting is passed over. */
  const inTurn: TakeTurn = (work, signal) => {
    const mine = turn.then(async () => {
      if (signal?.aborted) throw new Abandoned();
      return work(await held());
    });
    turn = mine.catch(() => undefined);
    return mine;
  };

  const sideOf = (take: TakeTurn, limitMs: number | undefined): Database => ({
    query: (sql, params) => take(({ database }) => database.query(sql, params)),
    execute: (sql) => take(({ database }) => database.execute(sql)),
    transaction: (work, options = {}) =>
      take(async (current) => {
        if (options.readOnly !== true) return current.database.transaction(work, options);
        let ended: { readonly why: Error; readonly done: Promise<void> } | undefined;
        const end = (why: Error) => {
          ended ??= { why, done: current.terminate() };
          if (holder === current) holder = undefined;
        };
        const limits = { statementTimeoutMs: limitMs, abandonedMs };
        try {
          return await current.database.transaction(
            (inside) =>
              work({ ...watched(inside, options.signal, limits, end), inTransaction: true }),
            options,
          );
        } catch (error) {
          await ended?.done;
          throw ended?.why ?? error;
        }
      }, options.signal),
    listen: (channel, onMessage, onGap) =>
      inTurn(async ({ database }) => {
        const stop = await database.listen(channel, onMessage, onGap);
        const listener: Listener = { channel, onMessage, onGap, stop };
        listeners.add(listener);
        return async () => {
          listeners.delete(listener);
          await inTurn(() => listener.stop());
        };
      }),
    close: async () => {
      if (closed) return;
      closed = true;
      const last = holder ?? (await opening?.catch(() => undefined));
      await last?.database.close();
    },
  });
  const turns = patientTurns(inTurn, patienceMs);
  return {
    service: sideOf(turns.service, statementTimeoutMs),
    operator: sideOf(turns.operator, undefined),
  };
}

/**
 * Turns the service away while an operator's work takes longer than a caller should wait: those who
 * wait at that moment, and those who come until it is done.
 */
function patientTurns(
  inTurn: TakeTurn,
  patienceMs: number | undefined,
): { readonly service: TakeTurn; readonly operator: TakeTurn } {
  const waiting = new Set<(error: Error) => void>();
  let exhausted = false;
  const turnedAway = () =>
    new DatabaseUnavailable(
      'an operator’s command is using the embedded database, which has a single session',
    );
  const exhaust = () => {
    exhausted = true;
    for (const giveUp of waiting) giveUp(turnedAway());
    waiting.clear();
  };
  return {
    service: (work, signal) =>
      new Promise((resolve, giveUp) => {
        if (exhausted) throw turnedAway();
        if (waiting.size >= WAITING_MAX) {
          throw new Overloaded('too many requests wait for the database');
        }
        waiting.add(giveUp);
        inTurn((current) => {
          if (!waiting.delete(giveUp)) throw turnedAway();
          return work(current);
        }, signal)
          .then(resolve, giveUp)
          .finally(() => waiting.delete(giveUp));
      }),
    operator: (work, signal) =>
      inTurn(async (current) => {
        const timer = patienceMs === undefined ? undefined : setTimeout(exhaust, patienceMs);
        try {
          return await work(current);
        } finally {
          clearTimeout(timer);
          exhausted = false;
        }
      }, signal),
  };
}

/** Calls `end` for a statement that takes too long, or that nobody waits for any more. */
function watched(
  sql: Sql,
  signal: AbortSignal | undefined,
  { statementTimeoutMs, abandonedMs }: Omit<InterruptOptions, 'patienceMs'>,
  end: (why: Error) => void,
): Sql {
  const watch = async <T>(statement: () => Promise<T>): Promise<T> => {
    if (signal?.aborted) throw new Abandoned();
    const timers: NodeJS.Timeout[] = [];
    const abandoned = () => {
      timers.push(setTimeout(() => end(new Abandoned()), abandonedMs));
    };
    signal?.addEventListener('abort', abandoned, { once: true });
    if (statementTimeoutMs !== undefined) {
      const late = () => {
        const seconds = statementTimeoutMs / 1_000;
        end(new DatabaseUnavailable(`a statement took longer than ${seconds} s and was ended`));
      };
      timers.push(setTimeout(late, statementTimeoutMs));
    }
    try {
      return await statement();
    } finally {
      signal?.removeEventListener('abort', abandoned);
      for (const timer of timers) clearTimeout(timer);
    }
  };
  return {
    query: (text, params) => watch(() => sql.query(text, params)),
    execute: (text) => watch(() => sql.execute(text)),
  };
}
