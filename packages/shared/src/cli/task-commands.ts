import type { Command } from 'commander';
import type { TaskRuns } from '../sql/task-runs.ts';
import { CommandRefused, printer, UsageError } from './command-line.ts';
import { addListCommand } from './list-command.ts';

/** What must run by itself, by a timer of systemd or a CronJob of Kubernetes (deploy/). */
export interface Task {
  /**
   * The command to run, without the program's name; undefined where another program does it, such as
   * a backup, and only its success is recorded.
   *
   * @param folder for what the task writes.
   */
  readonly words?: (today: Date, folder: string | undefined) => readonly string[];
}

export type Tasks = Readonly<Record<string, Task>>;

type WithTaskRuns = <T>(work: (runs: TaskRuns) => Promise<T>) => Promise<T>;

/** `<tool> tasks …`. */
export function addTaskCommands(program: Command, tasks: Tasks, withRuns: WithTaskRuns): void {
  const commands = program.command('tasks').description('what must run by itself, by a timer');
  const known = (name: string): Task => {
    const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
    if (task !== undefined) return task;
    throw new UsageError(`there is no task ${name}; there are ${Object.keys(tasks).join(', ')}`);
  };
  const own = Object.keys(tasks).filter((name) => tasks[name]?.words !== undefined);

  commands
    .command('run <task>')
    .description(`run one of ${own.join(', ')}, and record that it was done`)
    .option('--folder <folder>', 'where the task writes a file')
    .action(async (name: string, { folder }: { folder?: string }, command: Command) => {
      const { words } = known(name);
      if (words === undefined) {
        throw new CommandRefused(`another program does ${name}; afterwards: tasks done ${name}`);
      }
      const json = printer(command).json ? ['--json'] : [];
      await program.parseAsync([...words(new Date(), folder), ...json], { from: 'user' });
      await withRuns((runs) => runs.done(name));
    });

  commands
    .command('done <task>')
    .description('record that another program has done a task, such as a backup')
    .action(async (name: string, _: unknown, command: Command) => {
      known(name);
      await withRuns((runs) => runs.done(name));
      printer(command).result({ task: name, done: true }, `recorded that ${name} was done`);
    });

  addListCommand(commands, {
    description: 'list the tasks, and how long ago each was last done',
    load: async () => {
      const ages = await withRuns((runs) => runs.ages());
      return Object.keys(tasks).map((task) => {
        const age = ages.get(task);
        return { task, secondsAgo: age === undefined ? null : Math.round(age) };
      });
    },
    columns: ['task', ['last done', ({ secondsAgo }) => agoText(secondsAgo)]],
  });
}

function agoText(secondsAgo: number | null): string {
  return secondsAgo === null ? 'never' : `${(secondsAgo / 3_600).toFixed(1)} hours ago`;
}
