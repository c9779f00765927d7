import type { Tasks } from '@cls/shared/cli/task-commands';

/** What must run by itself for the ledger. */
export const TASKS: Tasks = {
  // Once a month, in its first days: what has accrued before the month.
  bill: {
    words: (today) => ['bill', '--through', `${today.toISOString().slice(0, 7)}-01`, '--apply'],
  },
  reconcile: { words: () => ['reconcile'] },
  'ledger-head': { words: () => ['ledger', 'head'] },
  backup: {},
};
