import type { Metrics } from '../metrics/metrics.ts';
import type { TaskRuns } from '../sql/task-runs.ts';

/**
 * A task that was never done is as old as the store, so that a timer that nobody set up is noticed.
 *
 * @param tasks those of the service.
 * @param optional those that some installations do without: never done, they have no value.
 */
export function measureTasks(
  metrics: Metrics,
  runs: TaskRuns,
  tasks: readonly string[],
  optional: readonly string[] = [],
): void {
  metrics.gauge(
    {
      name: 'cls_task_age_seconds',
      help: 'Since a task that must run by itself was last done.',
      labels: { task: tasks },
    },
    async () => {
      const [ages, storeAge] = await Promise.all([runs.ages(), runs.storeAge()]);
      return tasks.flatMap((task) => {
        const value = ages.get(task) ?? (optional.includes(task) ? undefined : storeAge);
        return value === undefined ? [] : [{ labels: { task }, value }];
      });
    },
  );
}
