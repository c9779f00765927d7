import type { Metrics } from '../metrics/metrics.ts';
import type { TaskRuns } from '../sql/task-runs.ts';

/** @param tasks those of the service. One that was never done has no value, and so no alert. */
export function measureTasks(metrics: Metrics, runs: TaskRuns, tasks: readonly string[]): void {
  metrics.gauge(
    {
      name: 'cls_task_age_seconds',
      help: 'Since a task that must run by itself was last done.',
      labels: { task: tasks },
    },
    async () => {
      const ages = await runs.ages();
      return tasks.flatMap((task) => {
        const value = ages.get(task);
        return value === undefined ? [] : [{ labels: { task }, value }];
      });
    },
  );
}
