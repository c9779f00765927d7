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

  it('has a line with the error for each fault of another kind, during an outage too', () => {
    const logFault = faultLog(log);
    logFault(new DatabaseUnavailable('the database cannot be reached'), 'req_0');
    const err = new TypeError('undefined is not a function');
    logFault(err, 'req_1');
    logFault(err, 'req_2');
    expect(lines.slice(1)).to.deep.equal([
      { fields: { err, requestId: 'req_1' }, message: 'request failed' },
      { fields: { err, requestId: 'req_2' }, message: 'request failed' },
    ]);
  });
});
