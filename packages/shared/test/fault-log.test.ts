import { mock } from 'node:test';
import { expect } from 'chai';
import { faultLog } from '../src/http/fault-log.ts';
import { silentLog } from '../src/log.ts';
import { DatabaseUnavailable } from '../src/sql/database.ts';

describe('the log of faults', () => {
  const lines: { fields: Record<string, unknown>; message: string }[] = [];
  const log = {
    ...silentLog,
    error: (fields: object, message: string) =>
      void lines.push({ fields: fields as Record<string, unknown>, message }),
  };
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

  it('says once a minute why an outage goes on, which may be for another reason by then', () => {
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
        message: 'a store that is needed still does not answer',
      });
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
