import { join } from 'node:path';
import type { Tasks } from '@cls/shared/cli/task-commands';

/** What must run by itself for accounts and their audit. */
export const TASKS: Tasks = {
  // Once a month, in its first days: the events of the month before.
  'audit-export': {
    words: (today, folder = '.') => {
      const month = monthBefore(today);
      const file = join(folder, `audit-${month}.ndjson`);
      // A run that was killed may have left the whole file, and no record of its success.
      return ['audit', 'export', month, file, '--unless-done'];
    },
  },
  backup: {},
};

/** `2026-05`, in UTC. */
function monthBefore(today: Date): string {
  const first = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1);
  return new Date(first).toISOString().slice(0, 7);
}
