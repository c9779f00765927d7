import { spawnSync } from 'node:child_process';
import { expect } from 'chai';

/** Lines go to the standard output of a process. */
function linesOf(statements: string): Record<string, unknown>[] {
  const log = new URL('../src/log.js', import.meta.url);
  const script = `import { createLog } from ${JSON.stringify(log.href)};
    const log = createLog('test', 'info'); ${statements}`;
  const words = ['--input-type=module', '--eval', script];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a line of the log', () => {
  it('cuts a secret out that was passed by mistake, at the top and one level below', () => {
    const lines = linesOf(`
      log.info({ password: 'x1', requestId: 'r' }, 'at the top');
      log.warn({ request: { cookie: 'x2', path: '/' } }, 'below');
      log.error({ err: Object.assign(new Error('failed'), { token: 'x3' }) }, 'of an error');`);
    expect(JSON.stringify(lines)).not.to.match(/x[123]/);
    expect(lines[0]).to.include({ password: '[redacted]', requestId: 'r', msg: 'at the top' });
    expect(lines[1]?.['request']).to.deep.equal({ cookie: '[redacted]', path: '/' });
  });

  it('has the same members with and without something to cut out', () => {
    const [plain, cut] = linesOf(`
      log.info({ status: 200 }, 'one');
      log.info({ status: 200, otp: '1' }, 'one');`);
    const { otp: _, time: __, ...members } = cut ?? {};
    const { time: ___, ...others } = plain ?? {};
    expect(members).to.deep.equal(others);
    expect(others).to.deep.equal({ level: 'info', service: 'test', status: 200, msg: 'one' });
  });

  for (const [end, statement] of [
    ['process.exit', 'process.exit(0);'],
    ['an uncaught error', 'throw new Error();'],
    ['a promise that nobody handles', 'await Promise.reject(new Error());'],
  ]) {
    it(`is written when the process ends by ${end}, in order`, () => {
      const lines = linesOf(`
        log.info({ n: 1 }, 'm');
        await new Promise((done) => setTimeout(done, 100));
        for (const n of [2, 3, 4]) log.info({ n }, 'x'.repeat(20_000));
        ${statement}`);
      expect(lines.map(({ n }) => n)).to.deep.equal([1, 2, 3, 4]);
    });
  }

  it('is left out below the level', () => {
    expect(linesOf(`log.debug({ password: 'x' }, 'm'); log.debug({}, 'm');`)).to.deep.equal([]);
  });
});
