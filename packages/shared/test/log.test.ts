import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';

/** A process that has not ended by then never does. */
const HANGS_MS = 60_000;

/** Lines go to the standard output of a process. */
function linesOf(statements: string): Record<string, unknown>[] {
  const { stdout } = spawnSync(process.execPath, scriptOf(statements), { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function scriptOf(statements: string): string[] {
  const log = new URL('../src/log.js', import.meta.url);
  const script = `import { createLog } from ${JSON.stringify(log.href)};
    const log = createLog('test', 'info'); ${statements}`;
  return ['--input-type=module', '--eval', script];
}

describe('a log whose output is a pipe', () => {
  it('leaves packages that are imported later where their links lead', () => {
    const folder = temporaryDirectory('cls-links-');
    for (const name of ['first', 'second']) {
      mkdirSync(join(folder, 'store', name), { recursive: true });
      writeFileSync(join(folder, 'store', name, 'index.js'), 'module.exports = __filename;');
      mkdirSync(join(folder, 'node_modules'), { recursive: true });
      symlinkSync(join(folder, 'store', name), join(folder, 'node_modules', name));
    }
    const [line] = linesOf(`
      import { createRequire } from 'node:module';
      const require = createRequire(${JSON.stringify(join(folder, 'main.js'))});
      require('first');
      const other = createLog('other', 'info');
      other.info({ place: require('second') }, 'imported');`);
    expect(line?.['cls.place']).to.equal(join(realpathSync(folder), 'store', 'second', 'index.js'));
  });
});

describe('a line of the log', () => {
  it('cuts a secret out that was passed by mistake, at the top and one level below', () => {
    const lines = linesOf(`
      log.info({ password: 'x1', requestId: 'r' }, 'at the top');
      log.warn({ request: { cookie: 'x2', path: '/' } }, 'below');
      log.error({ err: Object.assign(new Error('failed'), { token: 'x3' }) }, 'of an error');`);
    expect(JSON.stringify(lines)).not.to.match(/x[123]/);
    expect(lines[0]).to.include({
      'cls.password': '[redacted]',
      'http.request.id': 'r',
      message: 'at the top',
    });
    expect(lines[1]?.['cls.request']).to.deep.equal({ cookie: '[redacted]', path: '/' });
  });

  it('cuts a secret out in any spelling and at any depth, of lists and of errors too', () => {
    const names = [
      ...['client_secret', 'clientSecret', 'Client-Secret', 'Authorization', 'Set-Cookie'],
      ...['refresh_token', 'accessToken', 'id_token', 'logout_token', 'mfa_token', 'code_verifier'],
      ...['totpSecret', 'passwordHash', 'recovery_code', 'code', 'OTP'],
    ];
    const fields = Object.fromEntries(names.map((name) => [name, 'hidden-word']));
    const text = JSON.stringify(fields);
    const lines = linesOf(`
      log.info(${text}, 'top');
      log.info({ a: [{ b: { c: ${text} } }] }, 'deep');
      log.info({ a: { b: { c: { d: { e: { f: { g: 'hidden-word' } } } } } } }, 'too deep');
      const cause = Object.assign(new Error('why'), ${text});
      log.error({ err: Object.assign(new Error('failed', { cause }), ${text}) }, 'error');
      log.error({ nested: { err: cause } }, 'nested error');
      log.info({ n: 5n, at: new Date(0), none: undefined, nothing: null }, 'values');`);
    expect(lines).to.have.length(6);
    expect(JSON.stringify(lines)).not.to.contain('hidden-word');
    expect(lines[5]).to.include({ 'cls.n': '5', 'cls.at': '1970-01-01T00:00:00.000Z' });
  });

  it('names its fields as the Elastic Common Schema does, and its own below cls', () => {
    const [line, failure, unread] = linesOf(`
      log.info({ method: 'GET', path: '/a', status: 404, durationMs: 1.5, reason: 'not_found',
        requestId: 'r', clientId: 'c' }, 'request answered');
      const cause = Object.assign(new Error('ECONNREFUSED'), { code: 'E1' });
      log.error({ err: new TypeError('failed', { cause }) }, 'fault');
      log.warn({ refused: { 408: 1 } }, 'requests were refused unread');`);
    expect(line).to.include({
      ...{ 'http.request.method': 'GET', 'url.path': '/a', 'http.response.status_code': 404 },
      ...{ 'event.duration': 1_500_000, 'event.reason': 'not_found', 'http.request.id': 'r' },
      'cls.client_id': 'c',
    });
    expect(line?.['@timestamp']).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(failure).to.include({
      ...{ 'log.level': 'error', 'error.type': 'TypeError' },
      'error.message': 'failed: ECONNREFUSED',
    });
    expect(failure?.['error.stack_trace']).to.match(/at .*\n.*caused by: /s);
    // A search store takes one type for a field, and the reason is a text.
    expect(unread).to.have.deep.property('cls.refused', { 408: 1 });
    expect(unread).not.to.have.property('event.reason');
  });

  it('has the same members with and without something to cut out', () => {
    const [plain, cut] = linesOf(`
      log.info({ status: 200 }, 'one');
      log.info({ status: 200, otp: '1' }, 'one');`);
    const { 'cls.otp': _, '@timestamp': __, ...members } = cut ?? {};
    const { '@timestamp': ___, ...others } = plain ?? {};
    expect(members).to.deep.equal(others);
    expect(others).to.deep.equal({
      ...{ 'log.level': 'info', 'service.name': 'test', 'ecs.version': '8.11.0' },
      ...{ 'http.response.status_code': 200, message: 'one' },
    });
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
      expect(lines.map((line) => line['cls.n'])).to.deep.equal([1, 2, 3, 4]);
    });
  }

  it('is left out below the level', () => {
    expect(linesOf(`log.debug({ password: 'x' }, 'm'); log.debug({}, 'm');`)).to.deep.equal([]);
  });

  it('ends no process where its disk is full', function () {
    if (!existsSync('/dev/full')) this.skip();
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(
      process.execPath,
      scriptOf(`for (let n = 0; n < 20; n += 1) {
        log.info({ n }, 'x'.repeat(1_000_000));
        await new Promise((done) => setTimeout(done, 30));
      }
      process.stderr.write('goes on');
      process.kill(process.pid, 'SIGKILL');`),
      { encoding: 'utf8', stdio: ['ignore', full, 'pipe'] },
    );
    closeSync(full);
    expect({ status, stderr }).to.deep.equal({ status: null, stderr: 'goes on' });
  });

  for (const [end, statement, code] of [
    ['process.exit', 'process.exit(0);', 0],
    ['an uncaught error', 'throw new Error();', 1],
    ['nothing more to do', '', 0],
  ] as const) {
    const lines = `for (let n = 0; n < 4; n += 1) {
      log.info({ n }, 'x'.repeat(1_000_000));
      await new Promise((done) => setTimeout(done, 50));
    }
    process.stderr.write('wrote');`;

    it(`lets a process end by ${end} where its disk is full`, function () {
      if (!existsSync('/dev/full')) this.skip();
      const full = openSync('/dev/full', 'w');
      const { status, signal } = spawnSync(process.execPath, scriptOf(`${lines} ${statement}`), {
        ...{ stdio: ['ignore', full, 'ignore'], timeout: HANGS_MS, killSignal: 'SIGKILL' },
      });
      closeSync(full);
      expect({ status, signal }).to.deep.equal({ status: code, signal: null });
    });

    it(`lets a process end by ${end} where nobody reads`, async () => {
      const child = spawn(process.execPath, scriptOf(`${lines} ${statement}`), {
        ...{ stdio: ['ignore', 'pipe', 'ignore'], timeout: HANGS_MS, killSignal: 'SIGKILL' },
      });
      expect(await once(child, 'exit')).to.deep.equal([code, null]);
    });
  }

  it('is written late where nobody reads, and says how many lines were lost', async () => {
    const child = spawn(
      process.execPath,
      scriptOf(`for (let n = 0; n < 8; n += 1) {
        log.info({ n }, 'x'.repeat(1_000_000));
        await new Promise((done) => setTimeout(done, 30));
      }
      process.stderr.write('wrote');
      setInterval(() => log.info({ n: -1 }, 'later'), 50);`),
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    await once(child.stderr, 'data');
    const seen = new Set<number>();
    let loss = 0;
    for await (const line of createInterface(child.stdout)) {
      const { 'cls.n': n, 'cls.lines': lines } = JSON.parse(line) as Record<
        string,
        number | undefined
      >;
      if (n !== undefined) seen.add(n);
      loss += lines ?? 0;
      if (loss > 0 && seen.has(-1)) break;
    }
    child.kill('SIGKILL');
    seen.delete(-1);
    expect(seen.size + loss).to.be.at.least(8);
    expect(loss).to.be.above(0);
  });
});
