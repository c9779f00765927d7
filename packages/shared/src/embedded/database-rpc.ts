/**
 * The `Database` port over a message channel: to PGlite in a worker thread, and to the process
 * that holds an embedded database (see operator-channel.ts). One session per transaction.
 */
import { withArrayLiterals } from '../sql/array-literal.ts';
import {
  type Database,
  DatabaseUnavailable,
  type ListenGap,
  type Sql,
  SqlError,
  type SqlValue,
  type Transaction,
  type TransactionOptions,
} from '../sql/database.ts';
import { rollback, tentativeTransaction } from '../sql/tentative-transaction.ts';

/** Carries structured-cloneable messages, in order, both ways. */
export interface Channel {
  send(message: unknown): void;
  onMessage(handle: (message: unknown) => void): void;
  /** Called once when the other side is gone. */
  onClose(handle: () => void): void;
  close(): void | Promise<void>;
}

type Call =
  | { readonly op: 'query'; sql: string; params: readonly SqlValue[]; transaction?: number }
  | { readonly op: 'execute'; sql: string; transaction?: number }
  | { readonly op: 'begin'; options: TransactionOptions }
  | { readonly op: 'commit'; transaction: number }
  | { readonly op: 'rollback'; transaction: number }
  | { readonly op: 'listen'; channel: string }
  | { readonly op: 'unlisten'; listener: number };

type Request = Call & { readonly id: number };
type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { message: string; code?: string; constraint?: string } }
  | { readonly listener: number; readonly payload: string }
  | { readonly listener: number; readonly gap: ListenGap };

/**
 * Ends a transaction whose client lives but asks nothing more: an embedded database has a single
 * session. A client that is gone is noticed at once. The time that a statement takes, or waits for
 * its turn, is not idle.
 */
const TRANSACTION_IDLE_MS = 5 * 60_000;

/** The client's side. */
export function databaseOver(channel: Channel): Database {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<
    number,
    { onMessage(payload: string): void; onGap(state: ListenGap): void }
  >();
  let lastId = 0;
  let closed = false;

  channel.onMessage((message) => {
    const reply = message as Reply;
    if ('listener' in reply) {
      const listener = listeners.get(reply.listener);
      if ('gap' in reply) listener?.onGap(reply.gap);
      else listener?.onMessage(reply.payload);
      return;
    }
    const caller = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) caller?.reject(toError(reply.error));
    else caller?.resolve(reply.value);
  });
  channel.onClose(() => {
    closed = true;
    const gone = new DatabaseUnavailable('the embedded database has stopped');
    for (const caller of waiting.values()) caller.reject(gone);
    waiting.clear();
    for (const listener of listeners.values()) listener.onGap('lost');
  });

  const call = (request: Call): Promise<unknown> => {
    if (closed) {
      return Promise.reject(new DatabaseUnavailable('the embedded database has stopped'));
    }
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      channel.send({ ...request, id });
    });
  };
  const sqlIn = (transaction?: number): Sql => {
    const where = transaction === undefined ? {} : { transaction };
    return {
      query: <Row>(sql: string, params: readonly SqlValue[] = []) =>
        call({ op: 'query', sql, params: withArrayLiterals(params), ...where }) as Promise<Row[]>,
      execute: async (sql) => {
        await call({ op: 'execute', sql, ...where });
      },
    };
  };

  return {
    ...sqlIn(),
    // A signal cannot be sent to the thread; the owner of the worker acts on it (interruptible.ts).
    async transaction(work, { signal: _, ...options } = {}) {
      const transaction = (await call({ op: 'begin', options })) as number;
      let result: Awaited<ReturnType<typeof work>>;
      try {
        result = await work({ ...sqlIn(transaction), inTransaction: true });
      } catch (error) {
        await call({ op: 'rollback', transaction }).catch(() => undefined);
        throw error;
      }
      await call({ op: 'commit', transaction });
      return result;
    },
    async listen(name, onMessage, onGap) {
      const listener = (await call({ op: 'listen', channel: name })) as number;
      listeners.set(listener, { onMessage, onGap });
      return async () => {
        listeners.delete(listener);
        await call({ op: 'unlisten', listener });
      };
    },
    async close() {
      await channel.close();
    },
  };
}

/** The server's side: answers calls from `channel` on `database` until the channel closes. */
export function serveDatabase(
  database: Database,
  channel: Channel,
  idleMs = TRANSACTION_IDLE_MS,
): void {
  const transactions = new Map<number, OpenTransaction>();
  const listeners = new Map<number, () => Promise<void>>();
  // The client is gone: end a read that still runs.
  const client = new AbortController();
  let lastNumber = 0;

  const run = <T>(transaction: number | undefined, statement: (sql: Sql) => Promise<T>) => {
    if (transaction === undefined) return statement(database);
    const open = transactions.get(transaction);
    if (open === undefined) throw new SqlError('the transaction has ended', '25P01');
    return open.run(statement);
  };
  const handlers = {
    query: (call) => run(call.transaction, (sql) => sql.query(call.sql, call.params)),
    execute: (call) => run(call.transaction, (sql) => sql.execute(call.sql)),
    begin: async (call) => {
      lastNumber += 1;
      const number = lastNumber;
      const options = { ...call.options, signal: client.signal };
      const open = await openTransaction(database, options, idleMs);
      // Its client may have gone while BEGIN waited: nobody would ever end it.
      if (client.signal.aborted) await open.finish('rollback');
      else transactions.set(number, open);
      return number;
    },
    commit: (call) => finish(call.transaction, 'commit'),
    rollback: (call) => finish(call.transaction, 'rollback'),
    listen: async (call) => {
      lastNumber += 1;
      const listener = lastNumber;
      const stop = await database.listen(
        call.channel,
        (payload) => channel.send({ listener, payload }),
        (gap) => channel.send({ listener, gap }),
      );
      if (client.signal.aborted) await stop();
      else listeners.set(listener, stop);
      return listener;
    },
    unlisten: async (call) => {
      await listeners.get(call.listener)?.();
      listeners.delete(call.listener);
    },
  } satisfies { [Op in Call['op']]: (call: Extract<Call, { op: Op }>) => Promise<unknown> };

  const finish = async (transaction: number, how: 'commit' | 'rollback'): Promise<void> => {
    const open = transactions.get(transaction);
    if (open === undefined) throw new SqlError('the transaction has ended', '25P01');
    transactions.delete(transaction);
    await open.finish(how);
  };

  channel.onMessage((message) => {
    const request = message as Request;
    const handle = handlers[request.op] as (call: Call) => Promise<unknown>;
    // `then` keeps a handler's synchronous throw inside the promise.
    Promise.resolve()
      .then(() => handle(request))
      .then(
        (value) => channel.send({ id: request.id, value }),
        (error: unknown) => channel.send({ id: request.id, error: fromError(error) }),
      );
  });
  channel.onClose(() => {
    client.abort();
    for (const open of transactions.values()) open.finish('rollback').catch(() => undefined);
    for (const stop of listeners.values()) stop().catch(() => undefined);
    transactions.clear();
    listeners.clear();
  });
}

interface OpenTransaction {
  /** Runs a statement; the transaction is idle again when none runs. */
  run<T>(statement: (sql: Sql) => Promise<T>): Promise<T>;
  finish(how: 'commit' | 'rollback'): Promise<void>;
}

/** Turns the port's callback into begin and end, which come as separate messages here. */
async function openTransaction(
  database: Database,
  options: TransactionOptions,
  idleMs: number,
): Promise<OpenTransaction> {
  const ending = deferred<'commit' | 'rollback'>();
  const started = deferred<Transaction>();
  let running = 0;
  let idle: NodeJS.Timeout | undefined;
  let ended: SqlError | undefined;
  const startIdling = () => {
    idle = setTimeout(() => {
      ended = new SqlError(`the transaction was idle for ${idleMs} ms and is rolled back`, '25P03');
      ending.reject(ended);
    }, idleMs);
    idle.unref();
  };
  const work = async (transaction: Transaction) => {
    started.resolve(transaction);
    return (await ending.promise) === 'commit' ? undefined : rollback(undefined);
  };
  const settled = tentativeTransaction<void>(database, work, options).finally(() =>
    clearTimeout(idle),
  );
  settled.catch(started.reject); // When BEGIN itself fails; later rejections change nothing.
  const sql = await started.promise;
  startIdling();
  return {
    async run(statement) {
      if (ended !== undefined) throw ended;
      clearTimeout(idle);
      running += 1;
      try {
        return await statement(sql);
      } finally {
        running -= 1;
        if (running === 0) startIdling();
      }
    },
    finish(how) {
      ending.resolve(how);
      return settled;
    },
  };
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((res, rej) => {
    resolve = res;
    reject = rej;
  });
  promise.catch(() => undefined); // Rejected before anyone awaits it: not an unhandled fault.
  return { promise, resolve, reject };
}

function fromError(error: unknown): { message: string; code?: string; constraint?: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof SqlError)) return { message };
  const { code, constraint } = error;
  return { message, code, ...(constraint === undefined ? {} : { constraint }) };
}

function toError(error: { message: string; code?: string; constraint?: string }): Error {
  return error.code === undefined
    ? new DatabaseUnavailable(error.message)
    : new SqlError(error.message, error.code, error.constraint);
}
