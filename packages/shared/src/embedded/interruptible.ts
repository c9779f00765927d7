/**
 * An embedded database whose reads can be ended. Its one session computes without a pause in a
 * thread of its own and hears nothing meanwhile, so a read that takes too long is ended with its
 * thread, and a fresh one goes on from what is on disk: as after a crash of the process, all that
 * was committed is there. Only one piece of work is in the thread at a time, so nothing else ends
 * with it; a write is never ended.
 */
import {
  Abandoned,
  type Database,
  DatabaseUnavailable,
  type ListenGap,
  type Sql,
} from '../sql/database.ts';

/** A thread that holds the database. */
export interface Holder {
  readonly database: Database;
  /** Ends it at once, in the middle of whatever it does. */
  terminate(): Promise<void>;
}

export interface InterruptOptions {
  /** Milliseconds that a statement of a read-only transaction may take; undefined: no limit. */
  readonly statementTimeoutMs: number | undefined;
  /** Milliseconds that a statement which nobody waits for may go on: less than a new thread costs. */
  readonly abandonedMs: number;
}

interface Listener {
  readonly channel: string;
  readonly onMessage: (payload: string) => void;
  readonly onGap: (state: ListenGap) => void;
  stop: () => Promise<void>;
}

/** Opens with `open`, and again with it whenever a read was ended. */
export async function interruptibleDatabase(
  open: () => Promise<Holder>,
  { statementTimeoutMs, abandonedMs }: InterruptOptions,
): Promise<Database> {
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
  const inTurn = <T>(work: (holder: Holder) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const mine = turn.then(async () => {
      if (signal?.aborted) throw new Abandoned();
      return work(await held());
    });
    turn = mine.catch(() => undefined);
    return mine;
  };

  return {
    query: (sql, params) => inTurn(({ database }) => database.query(sql, params)),
    execute: (sql) => inTurn(({ database }) => database.execute(sql)),
    transaction: (work, options = {}) =>
      inTurn(async (current) => {
        if (options.readOnly !== true) return current.database.transaction(work, options);
        let ended: { readonly why: Error; readonly done: Promise<void> } | undefined;
        const end = (why: Error) => {
          ended ??= { why, done: current.terminate() };
          if (holder === current) holder = undefined;
        };
        const watched = watch(options.signal, { statementTimeoutMs, abandonedMs }, end);
        try {
          return await current.database.transaction(
            (inside) => work({ ...watched(inside), inTransaction: true }),
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
  };
}

/** Calls `end` for a statement that takes too long, for whoever waits or because nobody does. */
function watch(
  signal: AbortSignal | undefined,
  { statementTimeoutMs, abandonedMs }: InterruptOptions,
  end: (why: Error) => void,
): (sql: Sql) => Sql {
  const watched = async <T>(statement: () => Promise<T>): Promise<T> => {
    if (signal?.aborted) throw new Abandoned();
    const timers: NodeJS.Timeout[] = [];
    const after = (ms: number, why: Error) => {
      timers.push(setTimeout(() => end(why), ms));
    };
    const abandoned = () => after(abandonedMs, new Abandoned());
    signal?.addEventListener('abort', abandoned, { once: true });
    if (statementTimeoutMs !== undefined) {
      const seconds = statementTimeoutMs / 1_000;
      after(
        statementTimeoutMs,
        new DatabaseUnavailable(`a statement took longer than ${seconds} s and was ended`),
      );
    }
    try {
      return await statement();
    } finally {
      signal?.removeEventListener('abort', abandoned);
      for (const timer of timers) clearTimeout(timer);
    }
  };
  return (sql) => ({
    query: (text, params) => watched(() => sql.query(text, params)),
    execute: (text) => watched(() => sql.execute(text)),
  });
}
