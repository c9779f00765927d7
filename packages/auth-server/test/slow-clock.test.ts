import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireServer } from '@cls/testing/engines';
import {
  endWithTests,
  eventually,
  freePort,
  postgresServer,
  temporaryDirectory,
} from '@cls/testing/servers';
import { expect } from 'chai';
import { KEY } from './support/auth-server.ts';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));

/** The process sees a time of day that is a minute behind. */
const SLOW = `const now = Date.now; const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) { if (given.length === 0) super(now() - 60_000); else super(...given); }
    static now() { return now() - 60_000; }
  };`;

describe('a replica whose clock is a minute behind', () => {
  const children: ChildProcess[] = [];
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  const start = async (url: string, args: readonly string[]) => {
    const port = await freePort();
    const env = {
      ...process.env,
      ...{ ISSUER: 'http://localhost:1', AUTH_PORT: `${port}`, AUTH_DATABASE_URL: url },
      ...{ KEY_ENCRYPTION_KEY: KEY, COOKIE_KEY: KEY },
      CLS_DATA_DIR: join(temporaryDirectory('cls-clock-'), 'data'),
    };
    const child = endWithTests(
      spawn(process.execPath, [...args, MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    children.push(child);
    let log = '';
    child.stdout?.on('data', (bytes) => {
      log += bytes;
    });
    return {
      log: () => log,
      ready: async () => {
        const answer = await fetch(`http://localhost:${port}/readyz`);
        const { checks } = (await answer.json()) as { checks: Record<string, string> };
        return { status: answer.status, clock: checks['clock'] };
      },
    };
  };

  it('is not ready, with a line, and the other replica stays ready', async function () {
    const server = await postgresServer();
    requireServer(this, 'PostgreSQL', server);
    const url = await server.createDatabase();
    const right = await start(url, []);
    await eventually(async () => expect((await right.ready()).status).to.equal(200));
    const slow = await start(url, ['--import', `data:text/javascript,${encodeURIComponent(SLOW)}`]);
    await eventually(async () => {
      expect(await slow.ready()).to.deep.equal({ status: 503, clock: 'clock_wrong' });
    });
    expect(await right.ready()).to.deep.equal({ status: 200, clock: 'ok' });
    const about = () =>
      slow
        .log()
        .split('\n')
        .filter((line) => line.includes('the clock of this machine'));
    // Alone with the database it cannot tell which of the two is wrong.
    await eventually(async () => expect(about().length).to.be.within(1, 2));
    expect(about().at(-1))
      .to.include('"log.level":"error"')
      .and.include('ahead_of_s":{"database":-60');
  }).timeout(300_000);
});
