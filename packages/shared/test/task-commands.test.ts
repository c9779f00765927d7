import { readFileSync } from 'node:fs';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import { Command } from 'commander';
import { CommandRefused } from '../src/cli/command-line.ts';
import { addTaskCommands } from '../src/cli/task-commands.ts';
import type { Database } from '../src/sql/database.ts';
import { sqlTaskRuns } from '../src/sql/task-runs.ts';

const MIGRATION = new URL('../../../auth-server/migrations/0028-task-runs.sql', import.meta.url);

describeOnEngines('tasks that must run by themselves', (engine) => {
  let database: Database;
  let ran: string[] = [];
  before(async () => {
    database = await engine.open();
    await database.execute(readFileSync(MIGRATION, 'utf8'));
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
