import type { Clock } from '@cls/shared/clock';
import { developmentSecret } from '@cls/shared/development-secret';
import type { Log } from '@cls/shared/log';
import type { Observation } from '@cls/shared/service/observation';
import { openReadReplica } from '@cls/shared/service/open-database';
import { besideRequests, type Database } from '@cls/shared/sql/database';
import type { CallerBudgets } from './access/caller-budget.ts';
import { readCounter } from './compose-metrics.ts';
import type { ResourceApiConfig } from './config.ts';
import { fairDatabase } from './database/fair-database.ts';
import { type ReadReplica, readsOnReplicas } from './database/read-replicas.ts';
import type { Memories } from './memory/memories.ts';
import { currentLedger } from './questions/ask/current-ledger.ts';
import { cursorCodec } from './questions/ask/cursor.ts';
import { snapshots } from './questions/ask/snapshot.ts';
import { callerReader } from './questions/lists/read-caller.ts';
import { changesReader } from './questions/lists/read-changes.ts';
import { comparedReader } from './questions/lists/read-compared.ts';
import { movementsReader } from './questions/lists/read-movements.ts';
import { seriesReader } from './questions/lists/read-series.ts';
import { balancesReader } from './questions/page/read-balances.ts';
import { dealReader, itemReader } from './questions/page/read-item.ts';
import { sqlBalanceStore } from './questions/sql-balance-store.ts';
import { facetsReader } from './questions/totals/read-facets.ts';
import { groupsReader } from './questions/totals/read-groups.ts';

/** The parts that answer questions about the book. */
export function composeQuestions(
  config: ResourceApiConfig,
  database: Database,
  observed: Observation,
  budgets: CallerBudgets,
  memories: Memories,
  clock: Clock,
  log: Log,
) {
  const { reads, replicas, slots } = openReads(config, database, observed, log);
  const shared = fairDatabase(reads, { slots, budgets });
  const store = sqlBalanceStore(shared, reads, undefined, memories);
  const ledger = currentLedger(store, clock, memories.book);
  const cursors = cursorCodec(
    config.cursorKey ?? developmentSecret(config.dataDir, 'cursor-key'),
    config.previousCursorKey,
  );
  const times = snapshots(store, ledger, memories.book);
  const readBalances = balancesReader(store, times, cursors);
  return {
    ...{ reads, replicas, shared },
    /** What the service itself reads waits for no question. */
    apart: config.readReplicas.length === 0 ? besideRequests(reads) : reads,
    versionDeps: {
      ...{ ledger, cursors, readBalances },
      readChanges: changesReader(store, times, readBalances),
      readCompared: comparedReader(store, times),
      readMovements: movementsReader(store, times, cursors),
      readItem: itemReader(store, times),
      readCaller: callerReader(store, times),
      readGroups: groupsReader(store, times),
      readSeries: seriesReader(store, times),
      readFacets: facetsReader(store, times),
      readDeal: dealReader(store, times, readBalances),
    },
  };
}

interface OpenedReads {
  /** Where questions are read. Closing it closes the primary. */
  readonly reads: Database;
  readonly replicas: readonly ReadReplica[];
  /** Statements that callers may run at once in each database. */
  readonly slots: number;
}

function openReads(
  { database: location, readReplicas }: ResourceApiConfig,
  primary: Database,
  observed: Observation,
  log: Log,
): OpenedReads {
  const recordRead = readCounter(observed.metrics);
  const slots = location.kind === 'postgres' ? sharedOut(location.poolSize) : 1;
  if (location.kind !== 'postgres' || readReplicas.length === 0) {
    return { reads: primary, replicas: [], slots };
  }
  const opened = readReplicas.map((url) =>
    observed.replica(openReadReplica({ ...location, url }, 'cls-resource-api', log)),
  );
  const reads = readsOnReplicas(primary, opened, { log, recordRead });
  return { reads, replicas: reads.replicas, slots };
}

/** What all questions need of the book itself finds a connection that no question has. */
function sharedOut(poolSize: number): number {
  return Math.max(1, poolSize - Math.ceil(poolSize / 5));
}
