import { mock } from 'node:test';
import { expect } from 'chai';
import { silentLog } from '../src/log.ts';
import { type OutageLog, outageLog } from '../src/outage-log.ts';

describe('the log of an outage', () => {
  let lines: [string, Record<string, unknown>][];
  let outage: OutageLog;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    lines = [];
    const write = (fields: object, message: string) =>
      void lines.push([message, fields as Record<string, unknown>]);
    outage = outageLog(
      { ...silentLog, warn: write, info: write },
      { level: 'warn', begins: 'begins', continues: 'continues', ends: 'ends' },
    );
  });
  afterEach(() => mock.timers.reset());
  const messages = () => lines.map(([message]) => message);

  it('has a line for the first failure, and one a minute with the number of the others', () => {
    for (let second = 0; second < 150; second += 1) {
      outage.failed({ reason: `after ${second} s` }, { requestId: 'r' });
      mock.timers.tick(1_000);
    }
    expect(lines).to.deep.equal([
      ['begins', { reason: 'after 0 s', requestId: 'r' }],
      ['continues', { count: 59, reason: 'after 59 s' }],
      ['continues', { count: 60, reason: 'after 119 s' }],
    ]);
  });

  it('has a line for the end, with the failures since the last line, and no later line', () => {
    for (let second = 0; second < 25; second += 1) {
      outage.failed({ reason: 'away' });
      mock.timers.tick(1_000);
    }
    outage.answered();
    mock.timers.tick(300_000);
    expect(messages()).to.deep.equal(['begins', 'ends']);
    expect(lines[1]?.[1]).to.include({ count: 24 });
    expect(lines[1]?.[1]).to.have.property('lastedS').that.is.a('number');
    outage.answered();
    mock.timers.tick(300_000);
    expect(lines, 'of an end that was written').to.have.length(2);
  });

  it('has no line for the end while one of several still fails', () => {
    for (let second = 0; second < 50; second += 1) {
      outage.failed({ reason: 'one node' });
      outage.answered();
      mock.timers.tick(1_000);
    }
    expect(messages()).to.deep.equal(['begins']);
    outage.answered();
    outage.failedUnasked();
    mock.timers.tick(9_000);
    expect(messages()).to.deep.equal(['begins']);
    expect(outage.lasts).to.equal(true);
  });

  it('has two lines a minute for what fails and answers again and again', () => {
    for (let second = 0; second < 180; second += 10) {
      outage.failed({ reason: 'away' });
      outage.answered();
      mock.timers.tick(10_000);
    }
    expect(messages()).to.deep.equal([
      ...['begins', 'ends', 'continues', 'ends', 'continues', 'ends', 'continues', 'ends'],
    ]);
    mock.timers.tick(300_000);
    expect(lines).to.have.length(8);
  });
});
