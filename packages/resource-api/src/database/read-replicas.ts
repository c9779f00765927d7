import type { Log } from '@cls/shared/log';
import { type Database, DatabaseUnavailable } from '@cls/shared/sql/database';

export const LEFT_OUT_BECAUSE = ['behind', 'other history', 'not reached'] as const;
export type LeftOutBecause = (typeof LEFT_OUT_BECAUSE)[number];

/** Who answered: a replica, the primary because no replica could, or the primary after a replica failed. */
export const READ_FROM = ['replica', 'primary', 'again'] as const;
export type RecordRead = (from: (typeof READ_FROM)[number]) => void;

export interface ReadReplica {
  /** From 1, in the order of their configuration. */
  readonly number: number;
  readonly database: Database;
  /** Undefined while it is used. */
  readonly leftOutBecause: LeftOutBecause | undefined;
}

/** A database whose reads are shared out to its streaming replicas. */
export interface ReplicatedDatabase extends Database {
  /** The primary's generation of the book. A replica is read only where it has this state. */
  generation(): Promise<string>;
  /** Databases that answer questions now: the replicas in use, or the primary in their place. */
  readonly sources: number;
  readonly replicas: readonly ReadReplica[];
}

export interface ReplicaOptions {
  readonly log: Log;
  /** Once a question. */
  readonly recordRead?: RecordRead;
  /** How long a question waits for a replica to apply what the primary has. */
  readonly waitMs?: number;
  /** Between two looks at a replica that is left out. */
  readonly probeMs?: number;
}

interface BookState {
  readonly generation: bigint;
  readonly changedAt: string;
  /** `EDITION` of both. */
  readonly edition: string;
}

interface Replica extends ReadReplica {
  /** As it was last seen. */
  state: BookState | undefined;
  asking: Promise<void> | undefined;
  leftOutBecause: LeftOutBecause | undefined;
  underWay: number;
}

/** SQL: which state of the book a row `s` of `book_state` is, by its number and when it began. */
export const EDITION = `concat(s.generation, ' ', s.changed_at)`;
const BOOK_STATE = `SELECT s.generation, s.changed_at::text AS "changedAt", ${EDITION} AS edition FROM book_state s`;
const STEP_MS = 5;

/**
 * Read-only transactions go to a replica that has the newest state which was seen on the primary: the
 * same generation, begun at the same instant. So an answer has the same bytes wherever it is read, and
 * a grant that was taken back is gone on every replica. Where no replica has that state, a question
 * waits for a moment and then goes to the primary. A replica that fails, is behind or has another
 * history is left out until it has the primary's state.
 */
export function readsOnReplicas(
  primary: Database,
  databases: readonly Database[],
  { log, recordRead = () => undefined, waitMs = 250, probeMs = 1_000 }: ReplicaOptions,
): ReplicatedDatabase {
  const replicas = databases.map((database, index): Replica => {
    const none = { state: undefined, asking: undefined, leftOutBecause: undefined };
    return { number: index + 1, database, ...none, underWay: 0 };
  });
  const states = bookStates(primary, log);
  const choose = replicaChoice(replicas, states, waitMs);
  const probe = setInterval(() => {
    for (const replica of replicas) {
      if (replica.leftOutBecause !== undefined) void states.takeBack(replica);
    }
  }, probeMs).unref();

  return {
    ...primary,
    generation: async () => (await states.askPrimary()).edition,
    replicas,
    get sources() {
      return Math.max(1, replicas.filter((one) => one.leftOutBecause === undefined).length);
    },
    async transaction(work, options) {
      if (options?.readOnly !== true) return primary.transaction(work, options);
      const replica = await choose();
      if (replica === undefined) {
        recordRead('primary');
        return primary.transaction(work, options);
      }
      replica.underWay += 1;
      try {
        const setup = `${states.requireNewest()}${options.setup ?? ''}`;
        const result = await replica.database.transaction(work, { ...options, setup });
        recordRead('replica');
        return result;
      } catch (error) {
        const because = faultOfReplica(error);
        recordRead(because === undefined ? 'replica' : 'again');
        if (because === undefined) throw error;
        if (because === 'not reached') states.leaveOut(replica, because);
        return primary.transaction(work, options);
      } finally {
        replica.underWay -= 1;
      }
    },
    async close() {
      clearInterval(probe);
      await Promise.all([primary, ...databases].map((database) => database.close()));
    },
  };
}

/** Where the primary stood last, and which replicas stand there too. */
function bookStates(primary: Database, log: Log) {
  let newest: BookState | undefined;
  const askPrimary = async (): Promise<BookState> => {
    const [state] = await primary.query<BookState>(BOOK_STATE, [], { prepared: true });
    if (state === undefined) throw new Error('book_state has no row');
    newest = state;
    return state;
  };
  /** Single flight. */
  const ask = (replica: Replica): Promise<void> => {
    replica.asking ??= replica.database
      .query<BookState>(BOOK_STATE, [], { prepared: true })
      .then(([state]) => {
        replica.state = state;
      })
      .finally(() => {
        replica.asking = undefined;
      });
    return replica.asking;
  };
  /** Whether it is worth waiting for. @throws where it cannot be read */
  const catchUp = async (replica: Replica): Promise<boolean> => {
    await ask(replica);
    const { state } = replica;
    if (state === undefined || newest === undefined) return false;
    // It may have heard of a change before we did.
    if (state.generation > newest.generation) await askPrimary();
    return hasState(replica, newest);
  };
  const leaveOut = (replica: Replica, because: LeftOutBecause): void => {
    if (replica.leftOutBecause === undefined) {
      log.warn({ replica: replica.number, because }, 'a read replica is left out');
    }
    replica.leftOutBecause = because;
  };
  const leaveOutBehind = (replica: Replica): void =>
    leaveOut(replica, isOtherHistory(replica.state, newest) ? 'other history' : 'behind');
  return {
    askPrimary,
    catchUp,
    leaveOut,
    leaveOutBehind,
    isKnown: () => newest !== undefined,
    requireNewest: () => requireState(newest),
    isCurrent: (replica: Replica) => hasState(replica, newest),
    takeBack: (replica: Replica) =>
      catchUp(replica).then(
        (caughtUp) => {
          if (!caughtUp) return leaveOutBehind(replica);
          log.info({ replica: replica.number }, 'a read replica is used again');
          replica.leftOutBecause = undefined;
        },
        () => leaveOut(replica, 'not reached'),
      ),
  };
}

/** The replica that has the newest state and the least to do, if need be after a moment. */
function replicaChoice(
  replicas: readonly Replica[],
  { catchUp, leaveOut, leaveOutBehind, isKnown, isCurrent }: ReturnType<typeof bookStates>,
  waitMs: number,
): () => Promise<Replica | undefined> {
  const untilCaughtUp = async (replica: Replica): Promise<Replica | undefined> => {
    const deadline = performance.now() + waitMs;
    try {
      while (!(await catchUp(replica))) {
        if (performance.now() > deadline) {
          leaveOutBehind(replica);
          return undefined;
        }
        await new Promise((resolve) => setTimeout(resolve, STEP_MS));
      }
      return replica;
    } catch {
      leaveOut(replica, 'not reached');
      return undefined;
    }
  };
  const waits = new WeakMap<Replica, Promise<Replica | undefined>>();
  const waitFor = (replica: Replica): Promise<Replica | undefined> => {
    const waiting =
      waits.get(replica) ?? untilCaughtUp(replica).finally(() => waits.delete(replica));
    waits.set(replica, waiting);
    return waiting;
  };
  const inUse = () => replicas.filter((one) => one.leftOutBecause === undefined);
  const current = (): Replica | undefined =>
    inUse()
      .filter(isCurrent)
      .sort((a, b) => a.underWay - b.underWay)[0];
  return async () => {
    if (!isKnown()) return undefined;
    const waiting = inUse()
      .filter((one) => !isCurrent(one))
      .map(waitFor);
    // Who has it need not wait for the others.
    if (current() === undefined) await firstOf(waiting);
    return current();
  };
}

const CONFLICT_WITH_RECOVERY = '40001';

/**
 * SQL with which a read begins: it checks the state again. One address may lead to several servers, and this one may
 * not be the one that was asked; and a server that crashed may have less than it had.
 */
function requireState(wanted: BookState | undefined): string {
  if (wanted === undefined) return '';
  const { generation, changedAt } = wanted;
  return `DO $$ BEGIN IF NOT EXISTS (SELECT FROM book_state WHERE generation > ${generation}
    OR generation = ${generation} AND changed_at = '${changedAt}')
  THEN RAISE SQLSTATE '${CONFLICT_WITH_RECOVERY}'; END IF; END $$;`;
}

function hasState({ state }: Replica, wanted: BookState | undefined): boolean {
  return state?.generation === wanted?.generation && state?.changedAt === wanted?.changedAt;
}

/** The same generation of something else, or one that the primary does not have. */
function isOtherHistory(state: BookState | undefined, newest: BookState | undefined): boolean {
  return state !== undefined && newest !== undefined && state.generation >= newest.generation;
}

const STATEMENT_TIMEOUT = '57014';

/** What the primary may answer; a statement that takes too long takes as long there. */
function faultOfReplica(error: unknown): 'not reached' | 'conflict' | undefined {
  if (!(error instanceof DatabaseUnavailable)) return undefined;
  const { code } = (error.cause ?? {}) as { code?: string };
  if (code === CONFLICT_WITH_RECOVERY) return 'conflict';
  return code === STATEMENT_TIMEOUT ? undefined : 'not reached';
}

/** Once one of them gives a value, or all have ended. */
function firstOf<T>(works: readonly Promise<T | undefined>[]): Promise<void> {
  return new Promise((resolve) => {
    let left = works.length;
    if (left === 0) resolve();
    for (const work of works) {
      void work.then((value) => {
        left -= 1;
        if (value !== undefined || left === 0) resolve();
      });
    }
  });
}
