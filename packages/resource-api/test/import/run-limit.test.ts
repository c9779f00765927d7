import { type Log, silentLog } from '@cls/shared/log';
import { fieldsOfLine } from '@cls/shared/log-fields';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import type { ClaimedJob, FinishedJob } from '../../src/import/jobs/import-job.ts';
import { ImportStopped, importRunner } from '../../src/import/jobs/import-runner.ts';

describe('a job of an import that does not end', () => {
  it('is failed after the longest time, and the next one is run and logged with its status', async () => {
    const job = (id: string) => ({ id, key: 1n, attempts: 1, parameters: {} }) as ClaimedJob;
    const waiting = [job('endless'), job('next')];
    const ended: [string, FinishedJob][] = [];
    const lines: object[] = [];
    const log: Log = { ...silentLog, info: (fields) => lines.push(fieldsOfLine(fields)) };
    const runner = importRunner({
      ...{ keptDays: 1, log, longestMs: 20 },
      jobs: {
        claim: async () => waiting.shift(),
        renew: async () => true,
        release: async () => undefined,
        sweep: async () => undefined,
        finish: async ({ key: _, ...rest }, result) => {
          ended.push([(rest as { id?: string }).id ?? '', result]);
        },
      },
      start({ id }) {
        let stop = async (): Promise<void> => undefined;
        const result = new Promise<never>((_, reject) => {
          stop = async () => reject(new ImportStopped('stopped'));
        });
        if (id === 'endless') return { result, stop: () => stop() };
        return { result: Promise.resolve({ status: 'checked', report: {} }), stop: () => stop() };
      },
    });
    await eventually(async () => expect(ended).to.have.length(2), 5_000);
    await runner.stop();
    expect(ended.map(([id, { status }]) => [id, status])).to.deep.equal([
      ['endless', 'failed'],
      ['next', 'checked'],
    ]);
    expect(ended[0]?.[1].report['detail']).to.contain('longer than');
    // The status of the job is not an HTTP status.
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ 'cls.import_status': 'checked' });
    expect(lines[0]).not.to.have.property('http.response.status_code');
  });
});

describe('a job of an import during which the database goes away each time', () => {
  it('is failed, and does not blame its process alone', async () => {
    let attempts = 0;
    const ended: FinishedJob[] = [];
    const runner = importRunner({
      ...{ keptDays: 1, log: silentLog },
      jobs: {
        claim: async () => {
          attempts += 1;
          if (ended.length > 0) return undefined;
          return { id: 'job', key: 1n, attempts, parameters: {} } as ClaimedJob;
        },
        renew: async () => true,
        release: async () => undefined,
        sweep: async () => undefined,
        finish: async (_, result) => void ended.push(result),
      },
      start: () => ({
        result: Promise.reject(new DatabaseUnavailable('it is away')),
        stop: async () => undefined,
      }),
    });
    await eventually(async () => expect(ended).to.have.length(1), 5_000);
    await runner.stop();
    expect(ended[0]?.status).to.equal('failed');
    expect(ended[0]?.report['detail']).to.contain('or the database did not answer');
  });
});
