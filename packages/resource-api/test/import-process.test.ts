import { existsSync, readFileSync } from 'node:fs';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { importProcess } from '../src/import/process/start-import-process.ts';

const JOB = {
  ...{ key: 1n, id: 'job_1', runner: 'run_1', attempts: 1, document: undefined },
  poster: { customer: 'bank', subject: 'svc_1' },
  parameters: { kind: 'journals', apply: false, accept: {}, expected: { sums: {} } },
} as const;

const CHILDREN = `/proc/${process.pid}/task/${process.pid}/children`;

describe('the process of an import', () => {
  before(function () {
    if (!existsSync(CHILDREN)) this.skip();
  });
  const start = () => {
    const directory = temporaryDirectory('cls-no-store-');
    const started = importProcess({ kind: 'embedded', directory })(JOB);
    return { ...started, pid: newestChild() };
  };

  for (const signal of ['SIGABRT', 'SIGTRAP'] as const) {
    it(`fails its file where V8 ends it (${signal}), and ends nothing else`, async () => {
      const { result, pid } = start();
      process.kill(pid, signal);
      const error = await result.catch((reason: Error) => reason);
      expect(error).to.have.property('name', 'ImportFailed');
      expect(error).to.have.property('message').that.contains('more memory than an import');
    });
  }

  it('may be begun again where it was killed, or stopped', async () => {
    const killed = start();
    process.kill(killed.pid, 'SIGKILL');
    const stopped = start();
    await stopped.stop();
    for (const { result } of [killed, stopped]) {
      const error = await result.catch((reason: Error) => reason);
      expect(error).to.have.property('name', 'ImportStopped');
    }
  });
});

function newestChild(): number {
  return Number(readFileSync(CHILDREN, 'utf8').trim().split(' ').at(-1));
}
