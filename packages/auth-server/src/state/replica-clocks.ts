import { hostname } from 'node:os';
import type { ReadClocks } from '@cls/shared/service/clock-watch';
import type { Database } from '@cls/shared/sql/database';
import { databaseClock } from '@cls/shared/sql/database-clock';
import { digest } from '../crypto/digest.ts';
import type { StateStore } from './state-store.ts';

const ENTRY = { kind: 'ReplicaClocks', key: digest('all') };
/** Seconds, by the database's clock, after which a replica that says nothing has ended. */
const GONE_S = 60;

interface ReplicaClock {
  /** Ahead of the database's clock. */
  readonly aheadS: number;
  /** When it was measured, by the database's clock. */
  readonly atS: number;
}

/**
 * The clocks of the other replicas, by what each has found of the database's clock. They tell a
 * replica whose clock is wrong from a database whose clock is. Two that write at once may lose one
 * of their entries until the next look.
 */
export function replicaClocks(state: StateStore, database: Database, port: number): ReadClocks {
  const own = `${hostname()}:${port}`;
  return async () => {
    const measured = await databaseClock(database);
    if (measured === undefined) return [];
    const { aheadS, nowS } = measured;
    const known = ((await state.find(ENTRY.kind, ENTRY.key))?.payload ?? {}) as Readonly<
      Record<string, ReplicaClock>
    >;
    const others = Object.entries(known).filter(
      ([name, { atS }]) => name !== own && nowS - atS < GONE_S,
    );
    const payload = { ...Object.fromEntries(others), [own]: { aheadS, atS: nowS } };
    await state.put({ ...ENTRY, payload, ttlS: 2 * GONE_S });
    return others.map(([, other]) => aheadS - other.aheadS);
  };
}
