import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { silentLog } from '@cls/shared/log';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { expect } from 'chai';
import type { Provider } from '../src/library/oidc.ts';
import { deliverLogoutNotifications } from '../src/oauth/logout/logout-delivery.ts';
import type { LogoutNotifications } from '../src/sessions/session-store.ts';

describe('logout notifications that cannot be read', () => {
  let failure: Error | undefined;
  let lines: [string, object][];
  let stop: () => Promise<void>;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    lines = [];
    const write = (fields: object, message: string) => void lines.push([message, fields]);
    const notices = {
      take: async () => {
        if (failure !== undefined) throw failure;
        return [];
      },
    } as unknown as LogoutNotifications;
    const log = { ...silentLog, warn: write, info: write };
    stop = deliverLogoutNotifications(notices, () => ({}) as Provider, log);
  });
  afterEach(async () => {
    await stop();
    mock.timers.reset();
  });
  const pass = async (seconds: number) => {
    for (let n = 0; n < seconds; n += 1) {
      mock.timers.tick(1_000);
      await setImmediate();
    }
  };

  it('have one line without a stack while the database is away, and one when it is back', async () => {
    const cause = new Error('connect ECONNREFUSED');
    failure = new DatabaseUnavailable('the database cannot be reached', { cause });
    await pass(26);
    const why = { reason: 'the database cannot be reached', cause: 'connect ECONNREFUSED' };
    expect(lines).to.deep.equal([['logout notifications cannot be read', why]]);
    failure = undefined;
    await pass(120);
    expect(lines.map(([message]) => message)).to.deep.equal([
      'logout notifications cannot be read',
      'logout notifications are read again',
    ]);
    expect(lines[1]?.[1]).to.include({ count: 12 });
  });

  it('have the whole error where it is another one, and the number of them once a minute', async () => {
    failure = new TypeError('a fault of ours');
    await pass(121);
    expect(lines.map(([message, fields]) => [message, fields])).to.deep.equal([
      ['logout notifications cannot be read', { err: failure }],
      ['logout notifications could not be read in the last minute', { count: 29, err: failure }],
    ]);
  });
});

describe('a logout notification that its application does not accept', () => {
  const lostAfter = async (attempts: number) => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const due = [{ id: 1n, applicationId: 'app', accountId: 'acc', sid: 'sid', attempts }];
    const done: unknown[] = [];
    const notices = {
      take: async () => due.splice(0),
      done: async (id: bigint) => void done.push(id),
    } as unknown as LogoutNotifications;
    const find = async () => Promise.reject(new Error('away'));
    const provider = { Client: { find } } as unknown as Provider;
    let lost = 0;
    const stop = deliverLogoutNotifications(
      notices,
      () => provider,
      silentLog,
      () => {
        lost += 1;
      },
    );
    mock.timers.tick(2_000);
    await stop();
    mock.timers.reset();
    return { lost, given: done.length };
  };

  it('is counted as lost at its sixth attempt, and kept before', async () => {
    expect(await lostAfter(5)).to.deep.equal({ lost: 0, given: 0 });
    expect(await lostAfter(6)).to.deep.equal({ lost: 1, given: 1 });
  });
});
