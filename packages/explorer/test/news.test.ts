import { expect } from 'chai';
import { sealer } from '../src/crypto/seal.ts';
import { keepSessions } from '../src/sessions/keep-sessions.ts';
import type { Session } from '../src/sessions/session.ts';
import type { NewSession, SessionStore } from '../src/sessions/session-store.ts';
import { problem } from './support/between.ts';
import type { Person } from './support/person.ts';
import {
  aLoan,
  aParty,
  FULL,
  KEY,
  type Loan,
  posting,
  type Services,
  sharedServices,
} from './support/services.ts';

describe('the news of an open page', () => {
  let services: Services;
  let person: Person;
  let loan: Loan;
  let address: string;
  before(async () => {
    services = await sharedServices();
    const borrower = aParty('Borrower of the news');
    loan = aLoan(borrower, []);
    await services.post([borrower, ...loan.all, draw('1.00')]);
    person = await services.person(FULL);
    const { html } = await person.signIn('/deals');
    address = /data-news="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
  });
  afterEach(() => {
    services.between.fault = undefined;
  });
  const draw = (amount: string) => posting(loan, '2025-01-31', [[undefined, amount]]);

  it('are none until something is posted, and cost no answer while they are the same', async () => {
    const first = await person.send(address);
    expect(await first.json()).to.deep.equal({ newer: false });
    const etag = first.headers.get('etag') ?? '';
    const again = await person.send(address, { headers: { 'if-none-match': etag } });
    expect(again.status).to.equal(304);
    await services.post([draw('2.00')]);
    const changed = await person.send(address, { headers: { 'if-none-match': etag } });
    expect(changed.status).to.equal(200);
    expect(await changed.json()).to.deep.equal({ newer: true });
  });

  it('are no page, and lead nowhere: signed out is an answer', async () => {
    const stranger = person.another();
    const response = await stranger.send(address);
    expect(response.status).to.equal(401);
    expect(response.headers.get('location')).to.equal(null);
    expect(await response.text()).to.equal('');
  });

  it('pass on that there were too many requests, and for how long', async () => {
    services.between.fault = problem(429, 'rate_limited', { 'retry-after': '17' });
    const response = await person.send(address);
    expect(response.status).to.equal(429);
    expect(response.headers.get('retry-after')).to.equal('17');
  });

  it('are refused as signed out where the API refuses the token, and the session stays', async () => {
    services.between.fault = problem(403, 'token_expired');
    expect((await person.send(address)).status).to.equal(401);
    services.between.fault = undefined;
    expect((await person.send(address)).status).to.equal(200);
  });

  it('renew no token: a page that nobody reads keeps no session alive', async () => {
    let now = new Date('2025-01-31T10:00:00Z');
    const kept: NewSession[] = [];
    const store = {
      create: async (session: NewSession) => void kept.push(session),
      find: async () => kept[0]?.sealed,
    } as Partial<SessionStore> as SessionStore;
    const sessions = keepSessions({
      store,
      sealer: sealer({ expose: () => KEY } as Parameters<typeof sealer>[0]),
      clock: { now: () => now } as Parameters<typeof keepSessions>[0]['clock'],
      renew: () => {
        throw new Error('renewed');
      },
    });
    const session = { sid: 's', refreshToken: 'r', accessExpiresAt: now.getTime() + 30_000 };
    const identifier = await sessions.begin(session as unknown as Session);
    expect((await sessions.peek(identifier))?.refreshToken).to.equal('r');
    now = new Date(now.getTime() + 30_000);
    expect(await sessions.peek(identifier)).to.equal(undefined);
  });
});
