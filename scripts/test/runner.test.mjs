// What `npm test` makes of test files: counts, failures, processes that die or do not end.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { eventually } from '../../packages/testing/dist/src/servers.js';
import { compiledName, testFiles } from '../test-runner/files.mjs';
import { runFiles } from '../test-runner/queue.mjs';
import { summaryOf } from '../test-runner/summary.mjs';
import { readWords } from '../test-runner/words.mjs';

const root = resolve(import.meta.dirname, '..', '..');

describe('the runner of the tests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cls-runner-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = (name, body) => {
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(path, `describe('${name}', () => {\n${body}\n});\n`);
    return path;
  };
  const run = async (files, options = {}) => {
    let output = '';
    const print = (text) => {
      output += text;
    };
    return { ...(await runFiles(files, { workers: 2, print, ...options })), output: () => output };
  };

  it('counts the tests of all files, and names each that failed', async () => {
    const outcome = await run([
      file('good', "it('holds', () => {}); it('is for later');"),
      file('bad', "it('breaks', () => { throw new Error('broken'); });"),
    ]);
    const { passed, failed, skipped, failures } = outcome;
    expect([passed, failed, skipped]).to.deep.equal([1, 1, 1]);
    expect(failures).to.deep.equal([`${join(folder, 'bad.test.mjs')}: bad breaks`]);
    const lines = summaryOf(outcome, false).trimEnd().split('\n');
    expect(lines.at(-1)).to.equal('1 passed, 1 failed, 1 skipped');
    expect(lines.at(-2)).to.match(/^FAILED .* bad breaks$/);
  });

  it('prints what a file wrote in one piece, when it has ended', async () => {
    const slow =
      "it('writes', async () => { for (const n of [1, 2, 3]) { console.log(this.name, n); await new Promise((r) => setTimeout(r, 30)); } });";
    const named = (name) => file(name, slow.replaceAll('this.name', `'${name}'`));
    const { output } = await run([named('one'), named('two')]);
    for (const name of ['one', 'two'])
      expect(output()).to.include(`${name} 1\n${name} 2\n${name} 3`);
  });

  it('fails a file whose process dies, and runs the rest in another', async () => {
    const { passed, failed, failures } = await run(
      [
        file('dying', "it('ends the process', () => process.exit(0));"),
        file('throwing', "throw new Error('while it loads');"),
        file('next', "it('still runs', () => {});"),
      ],
      { workers: 1 },
    );
    expect([passed, failed]).to.deep.equal([1, 2]);
    expect(failures.join()).to.match(/dying.*process ended.*throwing.*does not load/);
  });

  it('finds what a file imports by a symbolic link, whatever the file before it looked at last', async () => {
    const real = join(folder, 'store', 'real');
    const needed = join(folder, 'store', 'node_modules', 'needed');
    mkdirSync(real, { recursive: true });
    mkdirSync(needed, { recursive: true });
    writeFileSync(join(needed, 'index.js'), 'export const found = true;');
    writeFileSync(join(needed, 'package.json'), '{"type":"module"}');
    writeFileSync(join(real, 'package.mjs'), "export * from 'needed';");
    symlinkSync(real, join(folder, 'linked'));
    const looks = `
      it('looks at a socket', async () => {
        const { createServer } = await import('node:net');
        const { statSync } = await import('node:fs');
        const server = createServer().listen('${join(folder, 'socket')}');
        await new Promise((listening) => server.once('listening', listening));
        after(() => {
          statSync('${join(folder, 'socket')}');
          server.close();
        });
      });`;
    const imports = join(folder, 'imports.test.mjs');
    writeFileSync(
      imports,
      `import { found } from './linked/package.mjs';\nit('imports', () => found);\n`,
    );
    const { passed, failures } = await run([file('looks', looks), imports], { workers: 1 });
    expect({ passed, failures }).to.deep.equal({ passed: 2, failures: [] });
  });

  it('goes on in another process when one has grown too large', async () => {
    const pid = (name) => file(name, "it('runs', () => console.log('by ' + process.pid));");
    const files = [pid('large'), pid('larger')];
    const { passed, failed, output } = await run(files, { workers: 1, roomBytes: 1 });
    expect([passed, failed]).to.deep.equal([2, 0]);
    expect(new Set(output().match(/by \d+/g)).size).to.equal(2);
  });

  it('fails a rejection that nobody handles', async () => {
    const { failed } = await run([
      file(
        'rejecting',
        "it('leaves one', async () => { Promise.reject(new Error('left')); await new Promise((r) => setTimeout(r, 100)); });",
      ),
    ]);
    expect(failed).to.equal(1);
  });

  it('says at the end what tests left open, and after which files', async () => {
    const timer = file('leaking', "it('waits', () => { setInterval(() => {}, 1000); });");
    const server = file(
      'serving',
      "it('listens', async () => { (await import('node:net')).createServer().listen(0); });",
    );
    const outcome = await run([timer, server], { endMs: 200, workers: 1 });
    expect([outcome.passed, outcome.failed]).to.deep.equal([2, 0]);
    const [said = ''] = summaryOf(outcome, false).match(/^LEFT OPEN .*$/m) ?? [];
    expect(said).to.match(/after the last file of .*leaking.*serving/);
    expect(said).to.match(/left something open: .*Timeout.*Server \{.*"port":\d+/);
  });

  it('says at the end why a process broke off after its files', async () => {
    const late = file(
      'late',
      "it('holds', () => { setTimeout(() => { throw new Error('too late'); }, 300); });",
    );
    const { failures } = await run([late]);
    expect(failures.join()).to.match(/late.*process ended \(\d+\).*too late/s);
  });

  it('ends the tests, and what they started, with the run', async () => {
    const pids = join(folder, 'pids');
    const servers = pathToFileURL(join(root, 'packages/testing/dist/src/servers.js')).href;
    const hanging = join(folder, 'hanging.test.mjs');
    writeFileSync(
      hanging,
      `import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      import { endWithTests } from '${servers}';
      it('hangs', () => {
        const child = endWithTests(spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']));
        writeFileSync('${pids}', process.pid + ' ' + child.pid);
        return new Promise((_) => setInterval(() => {}, 1000));
      });`,
    );
    const queue = pathToFileURL(join(root, 'scripts/test-runner/queue.mjs')).href;
    const script = `import { runFiles } from '${queue}'; await runFiles(['${hanging}'], { workers: 1 });`;
    const runner = spawn(process.execPath, ['--input-type=module', '-e', script]);
    const left = await eventually(async () => {
      const found = readFileSync(pids, 'utf8').split(' ').map(Number);
      expect(found.length).to.equal(2);
      return found;
    });
    runner.kill('SIGKILL');
    await eventually(async () => {
      for (const pid of left) expect(() => process.kill(pid, 0), `${pid}`).to.throw('ESRCH');
    });
  });

  it('removes the folders of a file after it, and those that files share after what uses them', async () => {
    const testing = (name) =>
      pathToFileURL(join(root, `packages/testing/dist/src/${name}.js`)).href;
    const [places, users] = [join(folder, 'places'), join(folder, 'users')];
    const making = join(folder, 'making.test.mjs');
    writeFileSync(
      making,
      `import { existsSync, writeFileSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { atEndOfTests, sharedByFiles } from '${testing('end-of-tests')}';
      import { temporaryDirectory } from '${testing('servers')}';
      it('makes folders', async () => {
        const own = temporaryDirectory('cls-runner-');
        const shared = await sharedByFiles(async () => temporaryDirectory('cls-runner-'));
        writeFileSync('${places}', own + ' ' + shared);
        atEndOfTests(async () => {
          await sleep(100);
          writeFileSync('${users}', 'its folder is there: ' + existsSync(shared));
        });
      });`,
    );
    const looking = file(
      'looking',
      `it('looks', async () => {
        const { existsSync, readFileSync } = await import('node:fs');
        const there = readFileSync('${places}', 'utf8').split(' ').map((place) => existsSync(place));
        if (there.join() !== 'false,true') throw new Error(there.join());
      });`,
    );
    const { passed, output } = await run([making, looking], { workers: 1 });
    expect(passed, output()).to.equal(2);
    for (const place of readFileSync(places, 'utf8').split(' '))
      expect(existsSync(place)).to.equal(false);
    expect(readFileSync(users, 'utf8')).to.equal('its folder is there: true');
  });

  it('runs only what --grep matches', async () => {
    const two = file('two', "it('first', () => {}); it('second', () => {});");
    expect(await run([two], { filter: { grep: 'second' } })).to.include({ passed: 1, failed: 0 });
  });

  it('runs a suite on the engine that ENGINES names, and knows no other', async () => {
    const engines = pathToFileURL(join(root, 'packages/testing/dist/src/engines.js')).href;
    const path = join(folder, 'engines.test.mjs');
    writeFileSync(
      path,
      `import { describeOnDatabase, describeOnEngines } from '${engines}';
      for (const onSome of [describeOnDatabase, describeOnEngines])
        onSome('a suite', ({ name }) => it('runs', () => console.log('on ' + name)));`,
    );
    const one = await run([path], { env: { ENGINES: 'pglite' } });
    expect([one.passed, one.failed, one.skipped]).to.deep.equal([2, 0, 0]);
    expect(one.output()).to.include('on PGlite');
    const none = await run([path], { env: { ENGINES: 'sqlite' } });
    expect([none.passed, none.failed]).to.deep.equal([0, 1]);
    expect(none.output()).to.include('ENGINES: sqlite is not one of all, pglite, postgres');
  });

  it('knows the tests of every package and of the scripts, and where each is compiled to', () => {
    const files = testFiles();
    expect(files).to.include(join('scripts', 'test', 'runner.test.mjs'));
    expect(files).to.include(compiledName('packages/shared/test/environment.test.ts'));
    expect(compiledName(join(root, 'packages/shared/test/environment.test.ts'))).to.equal(
      'packages/shared/dist/test/environment.test.js',
    );
    expect(new Set(files).size).to.equal(files.length);
    const short = testFiles({ place: 'node', isShort: true });
    expect(files).to.include.members(short);
    expect(short.length).to.be.within(files.length / 2, files.length - 10);
  });

  it('refuses words that it does not know, and says which there are', () => {
    expect(readWords(['--grep', 'token', 'a.test.ts'])).to.deep.include({
      files: ['a.test.ts'],
      filter: { grep: 'token' },
    });
    expect(() => readWords(['--gerp', 'token'])).to.throw('--gerp');
    expect(() => readWords(['token'])).to.throw('token is not a test file');
    expect(() => readWords(['--workers', '0'])).to.throw('--workers');
    for (const [script, says] of [
      ['test.mjs', 'Unknown option'],
      ['test-one.mjs', 'npm run test:one FILE'],
    ]) {
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(root, 'scripts', script), '-x'],
        { encoding: 'utf8' },
      );
      expect([status, stderr.includes(says)], stderr).to.deep.equal([1, true]);
    }
  });
});
