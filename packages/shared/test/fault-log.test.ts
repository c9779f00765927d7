import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { faultLog } from '../src/http/fault-log.ts';
import { silentLog } from '../src/log.ts';
import { DatabaseUnavailable } from '../src/sql/database.ts';

describe('the log of faults', () => {
  const lines: { fields: Record<string, unknown>; message: string }[] = [];
  const write = (fields: object, message: string) =>
    void lines.push({ fields: fields as Record<string, unknown>, message });
  const log = { ...silentLog, error: write, info: write };
  beforeEach(() => {
    lines.length = 0;
  });

  it('has one line for an outage, with its reason and no stack, however many requests fail', () => {
    const logFault = faultLog(log);
    const cause = new Error('connect ECONNREFUSED');
    for (let n = 0; n < 100; n += 1) {
      logFault(new DatabaseUnavailable('the database cannot be reached', { cause }), `req_${n}`);
    }
    expect(lines).to.deep.equal([
      {
        fields: {
          reason: 'the database cannot be reached',
          cause: 'connect ECONNREFUSED',
          requestId: 'req_0',
        },
        message: 'a store that is needed does not answer',
      },
    ]);
  });

  it('says once a minute how many requests got no answer, and the latest reason', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const logFault = faultLog(log);
      const fail = (reason: string) => logFault(new DatabaseUnavailable(reason), 'req');
      fail('the database cannot be reached');
      fail('the database cannot be reached');
      fail('the database refused work (53300)');
      mock.timers.tick(60_000);
      expect(lines.at(-1)).to.deep.equal({
        fields: { count: 2, reason: 'the database refused work (53300)' },
        message: 'requests got no answer in the last minute: a store that is needed did not answer',
      });
    } finally {
      mock.timers.reset();
    }
  });

  it('asks the stores while an outage lasts, and says when they answer again', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const pass = async (seconds: number) => {
      for (let n = 0; n < seconds; n += 1) {
        mock.timers.tick(1_000);
        await setImmediate();
      }
    };
    try {
      let isAway = true;
      let asked = 0;
      const check = async () => {
        asked += 1;
        if (isAway) throw new Error('connect ECONNREFUSED');
      };
      const logFault = faultLog(log, [
        { name: 'database', check },
        { name: 'another', check: async () => undefined },
      ]);
      await pass(10);
      expect(asked, 'before an outage').to.equal(0);
      const fail = () => logFault(new DatabaseUnavailable('the database cannot be reached'), 'req');
      for (let n = 0; n < 3; n += 1) fail();
      await pass(25);
      expect(lines).to.have.length(1);
      isAway = false;
      await pass(120);
      expect(lines.map(({ message }) => message)).to.deep.equal([
        'a store that is needed does not answer',
        'the stores that are needed answer again',
      ]);
      expect(lines[1]?.fields).to.include({ count: 2 });
      expect(asked, 'after an outage').to.be.below(40);
      fail();
      await pass(1);
      expect(lines.at(-1)?.message).to.equal('a store that is needed does not answer');
    } finally {
      mock.timers.reset();
    }
  });

  it('has no line for the end of an outage whose stores answer while requests still fail', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const logFault = faultLog(log, [{ name: 'database', check: async () => undefined }]);
      for (let n = 0; n < 50; n += 1) {
        logFault(new DatabaseUnavailable('canceling statement due to statement timeout'), 'req');
        mock.timers.tick(1_000);
        await setImmediate();
      }
      expect(lines).to.have.length(1);
    } finally {
      mock.timers.reset();
    }
  });

  it('has a line with the error for each fault of another kind, during an outage too', () => {
    const logFault = faultLog(log);
    logFault(new DatabaseUnavailable('the database cannot be reached'), 'req_0');
    const errors = [new TypeError('undefined is not a function'), new RangeError('too far')];
    for (const [n, err] of errors.entries()) logFault(err, `req_${n}`);
    expect(lines.slice(1)).to.deep.equal(
      errors.map((err, n) => ({
        fields: { err, requestId: `req_${n}` },
        message: 'request failed',
      })),
    );
  });

  it('gathers faults from the same line of code, whatever their messages say', () => {
    const logFault = faultLog(log);
    for (let n = 0; n < 50; n += 1) logFault(new TypeError(`no deal_${n}`), `req_${n}`);
    expect(lines).to.have.length(1);
    logFault(new TypeError('from here'), 'req_50');
    expect(lines).to.have.length(2);
  });

  it('tells a hundred kinds apart and no more', () => {
    const logFault = faultLog(log);
    for (let n = 0; n < 300; n += 1) {
      logFault(Object.assign(new Error('x'), { name: `Fault${n}` }), 'req');
    }
    expect(lines).to.have.length(101);
  });

  it('says once a minute how often a fault happened again, and then nothing', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const logFault = faultLog(log);
      const fail = () => logFault(new TypeError('x'), 'req');
      for (let n = 0; n < 6; n += 1) fail();
      mock.timers.tick(60_000);
      expect(lines.at(-1)?.message).to.equal('requests failed again');
      expect(lines.at(-1)?.fields).to.include({ count: 5 });
      expect(lines.at(-1)?.fields['reason']).to.match(/^TypeError at .*fault-log/);
      mock.timers.tick(60_000);
      expect(lines).to.have.length(2);
      fail();
      expect(lines.at(-1)?.message, 'after a quiet minute').to.equal('request failed');
    } finally {
      mock.timers.reset();
    }
  });
});
