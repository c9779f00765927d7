import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import { Command } from 'commander';
import { CommandRefused } from '../src/cli/command-line.ts';
import { addTaskCommands } from '../src/cli/task-commands.ts';
import { type Metrics, noMetrics } from '../src/metrics/metrics.ts';
import { measureTasks } from '../src/service/task-ages.ts';
import type { Database } from '../src/sql/database.ts';
import { sqlTaskRuns } from '../src/sql/task-runs.ts';

/** A schema that has the table. */
const MIGRATIONS = new URL('../../../auth-server/migrations/', import.meta.url);

describeOnEngines('tasks that must run by themselves', (engine) => {
  let database: Database;
  let ran: string[] = [];
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  beforeEach(() => {
    ran = [];
  });
  after(() => database?.close());

  const run = async (...words: string[]) => {
    const program = new Command('tool').option('--json').exitOverride();
    program.command('count <what> [file]').action((what: string, file: string | undefined) => {
      ran.push([what, file].join(' '));
      if (what === 'nothing') throw new CommandRefused('there is nothing');
    });
    const tasks = {
      'count-day': {
        words: (today: Date, folder?: string) => [
          'count',
          today.toISOString().slice(0, 4),
          `${folder}`,
        ],
      },
      'count-nothing': { words: () => ['count', 'nothing'] },
      backup: {},
    };
    addTaskCommands(program, tasks, (work) => work(sqlTaskRuns(database)));
    await program.parseAsync(['tasks', ...words], { from: 'user' });
  };
  const done = async () => [...(await sqlTaskRuns(database).ages()).keys()];

  it('run their command, and are recorded once it has succeeded', async () => {
    await run('run', 'count-day', '--folder', '/x');
    expect(ran).to.deep.equal([`${new Date().getUTCFullYear()} /x`]);
    expect(await done()).to.deep.equal(['count-day']);
    const refused = await run('run', 'count-nothing').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(CommandRefused);
    expect(await done()).to.deep.equal(['count-day']);
  });

  it('are as old as the store where they were never done, but for those that some do without', async () => {
    const aged = new Map<string, number>();
    const metrics: Metrics = {
      ...noMetrics,
      gauge(_, read) {
        reading = async () => {
          for (const { labels, value } of await read()) {
            aged.set(Object.values<string>(labels).join(), value);
          }
        };
      },
    };
    let reading: () => Promise<void> = async () => undefined;
    await database.execute(`UPDATE schema_migration SET applied_at = now() - interval '3 days'`);
    measureTasks(metrics, sqlTaskRuns(database), ['backup', 'count-day', 'bill'], ['bill']);
    await reading();
    expect([...aged.keys()]).to.deep.equal(['backup', 'count-day']);
    expect(aged.get('backup')).to.be.within(3 * 86_400, 3 * 86_400 + 600);
    expect(aged.get('count-day')).to.be.within(0, 600);
  });

  it('are recorded for another program, which the tool cannot run itself', async () => {
    const refused = await run('run', 'backup').catch((error: unknown) => error);
    expect((refused as Error).message).to.include('tasks done backup');
    await run('done', 'backup');
    expect(await done()).to.deep.equal(['backup', 'count-day']);
  });

  it('are refused under another name, with those that there are', async () => {
    for (const word of ['run', 'done']) {
      const refused = await run(word, 'bakcup').catch((error: unknown) => error);
      expect((refused as Error).message).to.include('count-day, count-nothing, backup');
    }
  });

  it('are as old as their newest success', async () => {
    await database.execute(
      `INSERT INTO task_run VALUES ('old', now() - interval '2 days'), ('old', now() - interval '1 hour')`,
    );
    expect((await sqlTaskRuns(database).ages()).get('old')).to.be.within(3_599, 3_900);
  });
});
