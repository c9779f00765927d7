import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '@cls/shared/clock';
import { type Log, silentLog } from '@cls/shared/log';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { pglite } from '@cls/testing/engines';
import { expect } from 'chai';
import type { KeySource } from '../src/access/key-source.ts';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { rememberVerified } from '../src/access/verified-tokens.ts';
import { productVersions } from '../src/compose.ts';
import { sqlVersionUsage } from '../src/usage/sql-version-usage.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { importWorldBank, postPrincipal, statement } from './support/book.ts';
import { testClock, timesOf } from './versions/support.ts';
import { withV2 } from './versions/v2/index.ts';

const BALANCES = '/api/v1/cls/balances';
const APP = 'https://app.example';
const LOANS = Array.from({ length: 12 }, (_, n) => ({
  'Loan Number': `L${n}`,
  'Disbursed Amount': '100',
  'Original Principal Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
}));

type Asked = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Whether it is an answer that was sent before: the long way begins with the request's id. */
  readonly again: boolean;
}

function ask(url: string, headers: Asked, method = 'GET'): Promise<Answer> {
  return new Promise((done, failed) => {
    const asked = request(url, { headers, method }, async (response) => {
      done({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: (await buffer(response)).toString('base64'),
        again: response.rawHeaders[0]?.toLowerCase() !== 'x-request-id',
      });
    });
    asked.once('error', failed).end();
  });
}

/** The answer at the third time: the first two make and keep it. */
async function askAgain(url: string, headers: Asked): Promise<Answer> {
  await ask(url, headers);
  await ask(url, headers);
  return ask(url, headers);
}

describe('an answer that is sent again', () => {
  const clock = testClock('2026-12-01T10:00:00Z');
  const lines: object[] = [];
  const log: Log = { ...silentLog, info: (fields) => void lines.push(fields) };
  let api: TestApi;
  let token: string;
  before(async () => {
    api = await start(clock, { CORS_ORIGINS: APP, RATE_LIMIT_PER_MINUTE: '100000' }, log);
    token = await api.token(timesOf(clock));
  });
  after(() => api?.stop());

  it('is what the long way answers, in every header and every byte', async () => {
    const etag = `${(await ask(`${api.baseUrl}${BALANCES}`, bearer(token))).headers['etag']}`;
    for (const [path, headers] of [
      [BALANCES, {}],
      [BALANCES, { 'accept-encoding': 'gzip' }],
      [BALANCES, { 'accept-encoding': 'br' }],
      [BALANCES, { 'if-none-match': etag }],
      [BALANCES, { 'if-none-match': etag, 'accept-encoding': 'gzip' }],
      [BALANCES, { 'if-none-match': '"another"' }],
      [BALANCES, { origin: APP }],
      [BALANCES, { origin: 'https://elsewhere.example' }],
      [BALANCES, { 'x-request-id': 'mine' }],
      [BALANCES, { accept: 'application/json, text/csv;q=0.5' }],
      [`${BALANCES}?limit=3&include=none`, {}],
      [`${BALANCES}/principal?limit=3`, {}],
      [`${BALANCES}/principal/movements?limit=3`, {}],
      ['/api/latest/cls/balances?limit=3', {}],
    ] as const) {
      const url = `${api.baseUrl}${path}`;
      const sent = { ...headers, ...bearer(token) };
      const again = await askAgain(url, sent);
      // The scheme's name has no case (RFC 9110 §11.1), and only the usual one is looked for.
      const long = await ask(url, { ...sent, authorization: `bearer ${token}` });
      expect([again.again, long.again], path).to.deep.equal([true, false]);
      expect(told(again), path).to.deep.equal(told(long));
      expect(again.headers['x-request-id']).to.match(/^(req_|mine$)/);
    }
  });

  it('is counted and logged like any other', async () => {
    const url = `${api.baseUrl}${BALANCES}?limit=7`;
    const left = ({ headers }: Answer) => Number(/r=(\d+)/.exec(`${headers['ratelimit']}`)?.[1]);
    const claims = { ...timesOf(clock), customer: 'counted' };
    const own = bearer(await api.token(claims));
    lines.length = 0;
    const answers = [await ask(url, own), await ask(url, own), await ask(url, own)];
    expect(answers.map(({ again }) => again)).to.deep.equal([false, true, true]);
    expect(answers.map((one) => left(answers[0] as Answer) - left(one))).to.deep.equal([0, 1, 2]);
    const caller = {
      ...{ clientId: 'svc_00000000000000000000000001', customer: 'counted' },
      ...{ subject: 'svc_00000000000000000000000001', address: '127.0.0.1' },
    };
    const logged = answers.map(({ headers }) => {
      const requestId = headers['x-request-id'];
      return { requestId, method: 'GET', path: BALANCES, status: 200, durationMs: 0, ...caller };
    });
    expect(lines.map((line) => ({ ...line, durationMs: 0 }))).to.deep.equal(logged);
    // The same answer to another caller of the customer, in its own name.
    const another = 'svc_00000000000000000000000002';
    const its = await api.token({ ...claims, sub: another, client_id: another });
    await ask(`${url}&include=none`, bearer(its));
    lines.length = 0;
    expect((await ask(url, bearer(its))).again).to.equal(true);
    expect(lines.map((line) => (line as { subject: string }).subject)).to.deep.equal([another]);
    await api.stopService();
    const database = await openDatabaseAsOperator(api.location, 'test', silentLog);
    const used = await sqlVersionUsage(database).since('2020-01-01');
    await database.close();
    const counted = used.filter(({ customer }) => customer === 'counted');
    expect(counted.map(({ subject, requests }) => [subject, requests])).to.deep.equal([
      [caller.subject, 3],
      [another, 2],
    ]);
  });
});

describe('an answer that was sent', () => {
  const clock = testClock('2026-12-01T10:00:00Z');
  let api: TestApi;
  before(async () => {
    api = await start(clock, {});
  });
  after(() => api?.stop());

  /** What the next answer must not be an old one of. */
  const changed = async (url: string, headers: Asked, change: () => Promise<unknown> | unknown) => {
    const before = await askAgain(url, headers);
    expect(before.again).to.equal(true);
    await change();
    const after = await ask(url, headers);
    expect(after.again).to.equal(false);
    return { before, after };
  };
  const asNow = async (claims = {}) => bearer(await api.token({ ...timesOf(clock), ...claims }));
  const url = () => `${api.baseUrl}${BALANCES}?limit=2`;

  it('is not sent again once a journal is posted', async () => {
    const { before, after } = await changed(url(), await asNow(), () =>
      postPrincipal(api.database, 'L1', 'advance', '2025-01-31', 100n),
    );
    expect(after.status).to.equal(200);
    expect(after.body).not.to.equal(before.body);
  });

  it('is not sent again once the caller loses its grant', async () => {
    const grants = sqlEntitlements(api.database);
    const granted = await grants.grant({
      ...{ customer: 'bank', role: 'agent', lenderId: undefined },
      deals: { allDeals: true },
    });
    const { after } = await changed(url(), await asNow(viewer('bank')), () =>
      grants.revoke(granted?.rule ?? ''),
    );
    expect(JSON.parse(Buffer.from(after.body, 'base64').toString()).data).to.deep.equal([]);
  });

  it('is not sent again on the next day', async () => {
    clock.set('2026-12-01T23:59:59Z');
    const headers = await asNow();
    await changed(url(), headers, () => clock.set('2026-12-02T00:00:00Z'));
  });

  it('is not sent again once the token has ended', async () => {
    const { after } = await changed(url(), await asNow(), () => clock.set('2026-12-02T01:00:31Z'));
    expect(after.status).to.equal(403);
  });

  it('is not sent to a caller of the same customer without the permission', async () => {
    await askAgain(url(), await asNow());
    const answer = await askAgain(url(), await asNow({ scope: '' }));
    expect([answer.status, answer.again]).to.deep.equal([403, false]);
  });

  it('is not sent to HEAD, to another method or to two tokens', async () => {
    const headers = await asNow();
    await askAgain(url(), headers);
    const head = await ask(url(), headers, 'HEAD');
    expect([head.status, head.body, head.again]).to.deep.equal([200, '', false]);
    expect((await ask(url(), headers, 'POST')).status).to.equal(405);
    const twice = ['Authorization', `${headers['authorization']}`, 'Authorization', 'Bearer x'];
    expect((await ask(url(), [...twice, 'Host', 'x'] as never)).status).to.equal(403);
  });
});

describe('an answer that was sent, of a version that changes', () => {
  const ENDS = [
    ['2027-05-31T23:59:59Z', '2027-06-01T00:00:00Z', 200],
    ['2028-10-03T08:59:59Z', '2028-10-03T09:00:00Z', 410],
    ['2028-11-30T23:59:59Z', '2028-12-01T00:00:00Z', 410],
  ] as const;
  for (const [from, to, status] of ENDS) {
    it(`is not sent again from ${to} on`, async () => {
      const clock = testClock(from);
      const api = await start(clock, {}, silentLog, withV2());
      try {
        const headers = bearer(await api.token(timesOf(clock)));
        expect((await askAgain(`${api.baseUrl}${BALANCES}`, headers)).again).to.equal(true);
        clock.set(to);
        const after = await ask(`${api.baseUrl}${BALANCES}`, headers);
        expect([after.status, after.again]).to.deep.equal([status, false]);
      } finally {
        await api.stop();
      }
    });
  }

  it('is sent again where a newer version’s code made it', async () => {
    const clock = testClock('2027-05-01T00:00:00Z');
    const api = await start(clock, {}, silentLog, withV2());
    try {
      const headers = bearer(await api.token(timesOf(clock)));
      const again = await askAgain(`${api.baseUrl}${BALANCES}`, headers);
      const authorization = `${headers['authorization']}`.replace('Bearer', 'bearer');
      const long = await ask(`${api.baseUrl}${BALANCES}`, { authorization });
      expect([again.again, told(again)]).to.deep.equal([true, told(long)]);
    } finally {
      await api.stop();
    }
  });
});

describe('an answer that was sent, to a caller with limits', () => {
  const clock = testClock('2026-12-01T10:00:00Z');

  it('is refused beyond the rate', async () => {
    const api = await start(clock, { RATE_LIMIT_PER_MINUTE: '200' });
    const headers = bearer(await api.token(timesOf(clock)));
    const answers: Answer[] = [];
    while (answers.length < 205) answers.push(await ask(`${api.baseUrl}${BALANCES}`, headers));
    await api.stop();
    expect(answers.filter(({ status }) => status === 200).length).to.equal(200);
    expect(answers.filter(({ again }) => again).length).to.be.greaterThan(80);
    expect(answers.slice(200).map(({ status }) => status)).to.deep.equal([429, 429, 429, 429, 429]);
  });

  it('is refused beyond the requests at once', async () => {
    const api = await start(clock, { CALLER_REQUESTS_AT_ONCE: '2' });
    const headers = bearer(await api.token(timesOf(clock)));
    expect((await askAgain(`${api.baseUrl}${BALANCES}`, headers)).again).to.equal(true);
    const asked: Promise<Answer>[] = [];
    // While this transaction is open, the embedded database tells nobody where the book stands.
    await api.database.transaction(async () => {
      while (asked.length < 3) asked.push(ask(`${api.baseUrl}${BALANCES}`, headers));
      expect((await Promise.race(asked)).status).to.equal(429);
    });
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.sort()).to.deep.equal([200, 200, 429]);
    const later = await ask(`${api.baseUrl}${BALANCES}`, headers);
    expect([later.status, later.again]).to.deep.equal([200, true]);
    await api.stop();
  });
});

describe('a token that was verified', () => {
  it('is not known any more once its key was removed', async () => {
    let removed: ((kids: ReadonlySet<string>) => void) | undefined;
    const keys = {
      onRemoved(listener: typeof removed) {
        removed = listener;
      },
    } as unknown as KeySource;
    const verified = {
      ...{ caller: {} as never, binding: {}, kid: 'old', expiresAtS: 2_000_000_000 },
      status: undefined,
    };
    const noStatus = { isGood: () => true, assertGood: async () => undefined };
    const tokens = rememberVerified(
      async () => verified,
      keys,
      noStatus,
      testClock('2026-12-01T10:00:00Z'),
    );
    expect(tokens.known('a.b.c')).to.equal(undefined);
    await tokens.verify('a.b.c');
    expect(tokens.known('a.b.c')).to.equal(verified);
    removed?.(new Set(['other']));
    expect(tokens.known('a.b.c')).to.equal(verified);
    removed?.(new Set(['old']));
    expect(tokens.known('a.b.c')).to.equal(undefined);
  });
});

async function start(
  clock: Clock,
  env: Record<string, string>,
  log: Log = silentLog,
  versionsOf = productVersions,
): Promise<TestApi> {
  const api = await startTestApi(pglite, env, clock, versionsOf, log);
  await importWorldBank(api.database, statement('01/31/2025', LOANS));
  return api;
}

function bearer(token: string): Asked {
  return { authorization: `Bearer ${token}` };
}

/** What must be the same by both ways; each request has an id of its own, and counts. */
function told({ status, headers, body }: Answer) {
  const { date: _, 'x-request-id': __, ratelimit: ___, ...others } = headers;
  return { status, headers: others, body };
}
