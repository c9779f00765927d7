import type { Database } from './database.ts';

/** When what must run by itself was last done: tools write it, and the service's metrics show it. */
export interface TaskRuns {
  done(task: string): Promise<void>;
  /** Seconds since each task was last done; one that never was is not there. */
  ages(): Promise<ReadonlyMap<string, number>>;
  /** Seconds since the store was made. */
  storeAge(): Promise<number>;
}

/** In the table `task_run`, to which rows are only added: some a day. */
export function sqlTaskRuns(database: Database): TaskRuns {
  return {
    async done(task) {
      await database.query('INSERT INTO task_run (task) VALUES ($1)', [task]);
    },
    async ages() {
      const rows = await database.query<{ task: string; age: number }>(
        `SELECT task, extract(epoch FROM clock_timestamp() - max(succeeded_at))::float8 AS age
         FROM task_run GROUP BY task ORDER BY task`,
      );
      return new Map(rows.map(({ task, age }) => [task, age]));
    },
    async storeAge() {
      const [row] = await database.query<{ age: number }>(
        `SELECT extract(epoch FROM clock_timestamp() - min(applied_at))::float8 AS age
         FROM schema_migration`,
      );
      return row?.age ?? 0;
    },
  };
}
