import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { expect } from 'chai';

/** A process that has not ended by then never does. */
const HANGS_MS = 60_000;

/** A service without requests, as a process of its own. @param stop its own end. */
function startService(stdout: 'pipe' | number, stop: string, stopMs: number) {
  const source = (name: string) => JSON.stringify(new URL(`../src/${name}.js`, import.meta.url));
  const script = `import { createLog } from ${source('log')};
    import { runService } from ${source('service/run-service')};
    const log = createLog('test', 'info');
    await runService(() => ({ drainDelayMs: 0 }), async () => ({ log, stop: ${stop} }), ${stopMs});
    setInterval(() => log.info({}, 'x'.repeat(100_000)), 5);
    process.stderr.write('runs');`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    ...{ stdio: ['ignore', stdout, 'pipe'], timeout: HANGS_MS, killSignal: 'SIGKILL' },
  });
}

describe('a service ends', () => {
  const ends = async (stdout: 'pipe' | number, stop: string, stopMs = HANGS_MS) => {
    const child = startService(stdout, stop, stopMs);
    await once(child.stderr ?? child, 'data');
    child.kill('SIGTERM');
    return once(child, 'exit');
  };
  const atOnce = 'async () => undefined';

  it('on SIGTERM, where the disk of its log is full', async function () {
    if (!existsSync('/dev/full')) this.skip();
    const full = openSync('/dev/full', 'w');
    expect(await ends(full, atOnce)).to.deep.equal([0, null]);
    closeSync(full);
  });

  it('on SIGTERM, where nobody reads its log', async () => {
    expect(await ends('pipe', atOnce)).to.deep.equal([0, null]);
  });

  it('on SIGTERM, where a part of it never stops', async () => {
    expect(await ends('pipe', '() => new Promise(() => undefined)', 100)).to.deep.equal([1, null]);
  });
});
