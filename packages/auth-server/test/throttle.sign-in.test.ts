import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@cls/shared/clock';
import { silentLog } from '@cls/shared/log';
import { describeOnDatabase } from '@cls/testing/engines';
import { endWithTests, eventually, freePort, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { startAuthServer } from '../src/compose.ts';
import type { AuthServerConfig } from '../src/config.ts';
import { addressSubject } from '../src/throttle/guess.ts';
import { THROTTLE_POLICIES } from '../src/throttle/policy.ts';
import { sqlThrottle } from '../src/throttle/sql-throttle.ts';
import {
  createPerson,
  KEY,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
} from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';
import { sendTo } from './support/send.ts';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const FREE = THROTTLE_POLICIES['account-password'].free;
const WAIT = /There were too many attempts\. Try again in [1-9]\d* (second|minute|hour)s?\./;

describeOnDatabase('guessing through the sign-in form', (engine) => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  let running: { stop(): Promise<void> };
  let n = 0;
  before(async () => {
    server = await startTestAuthServer(engine, { TRUSTED_PROXY_HOPS: '1' });
    running = server;
    portal = await relyingParty(server);
  });
  after(() => running?.stop());

  const freshAddress = () => {
    n += 1;
    return `10.0.${n >> 8}.${n & 255}`;
  };
  /** A browser behind the proxy, which tells its address. */
  const browserAt = (address = freshAddress(), port = server.config.port) =>
    new Browser(sendTo(port, { 'x-forwarded-for': address }));
  const newPerson = async () => {
    const email = `person-${freshAddress()}@india.example`;
    await createPerson(server.database, email);
    return email;
  };
  const signIn = async (email: string, password: string, browser = browserAt()) => {
    const flow = await authorizationUrl(portal, { prompt: 'login' });
    return browser.submit(await browser.follow(flow.url), { email, password });
  };
  const guesses = async (times: number, email: string, from?: () => Browser) => {
    const statuses: number[] = [];
    for (let tries = 0; tries < times; tries += 1) {
      const { response } = await signIn(email, `guess ${tries}`, from?.());
      statuses.push(response.status);
    }
    return statuses;
  };
  const isIn = ({ url }: { url: URL }) => url.searchParams.has('code');
  const expectSlowed = async ({ response }: { response: Response }) => {
    expect(response.status).to.equal(429);
    expect(Number(response.headers.get('retry-after'))).to.be.at.least(1);
    expect(await response.text()).to.match(WAIT);
  };
  /** Why tries were refused, as the audit has it. */
  const recorded = async (subject: string) => {
    const last = await newPerson();
    await signIn(last, 'wrong'); // Events are written in their order.
    return eventually(async () => {
      const events = await server.database.query<{ subject: string; reason: string }>(
        `SELECT subject, reason FROM audit_event
         WHERE type LIKE '%.refused' AND subject = ANY ($1) ORDER BY id`,
        [[subject, last]],
      );
      if (events.at(-1)?.subject !== last) throw new Error('the last is not written yet');
      return events.slice(0, -1).map(({ reason }) => reason);
    });
  };

  it('records each guess, and of those behind a block the first, at whichever door', async () => {
    const email = await newPerson();
    await guesses(FREE + 3, email);
    const guess = { email, password: 'wrong' };
    const answer = await server.postJson(guess, { 'x-forwarded-for': freshAddress() });
    expect(answer.status).to.equal(429);
    const compared = Array(FREE).fill('wrong_password');
    expect(await recorded(email)).to.deep.equal([...compared, 'throttled']);
    await sqlThrottle(server.database, systemClock).succeeded([
      { kind: 'account-password', id: email },
    ]);
    await Promise.all(
      Array.from({ length: FREE + 5 }, () =>
        server.postJson(guess, { 'x-forwarded-for': freshAddress() }),
      ),
    );
    const reasons = (await recorded(email)).slice(FREE + 1);
    expect(reasons.filter((reason) => reason === 'wrong_password')).to.have.length(FREE);
    expect(reasons.filter((reason) => reason === 'too_many_attempts')).to.have.length(1);
  });

  it('slows the account down, wherever the guesses come from, and says how long', async () => {
    const email = await newPerson();
    expect(await guesses(FREE, email)).to.deep.equal(Array(FREE).fill(422));
    await expectSlowed(await signIn(email, 'one more'));
    await expectSlowed(await signIn(email, PASSWORD));
    await expectSlowed(await signIn(email.toUpperCase(), PASSWORD));
    expect(isIn(await signIn(await newPerson(), PASSWORD)), 'nobody else is slowed').to.equal(true);
  });

  it('slows an address down that does not exist just as one that does', async () => {
    const email = 'nobody@india.example';
    expect(await guesses(FREE, email)).to.deep.equal(Array(FREE).fill(422));
    await expectSlowed(await signIn(email, PASSWORD));
  });

  it('counts guesses at the form and at the token endpoint together', async () => {
    const email = await newPerson();
    await guesses(FREE - 2, email);
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': freshAddress() };
    const body = JSON.stringify({ email, password: 'wrong' });
    for (const status of [400, 400, 429]) {
      expect((await server.post(body, headers)).status).to.equal(status);
    }
    await expectSlowed(await signIn(email, PASSWORD));
  });

  it('lets the person in where they are known while others spray, even from one address', async () => {
    const email = await newPerson();
    const office = freshAddress();
    const known = browserAt(office);
    expect(isIn(await signIn(email, PASSWORD, known))).to.equal(true);
    const spray = await guesses(FREE + 3, email, () => browserAt(office));
    expect(spray.slice(-3)).to.deep.equal([429, 429, 429]);
    await expectSlowed(await signIn(email, PASSWORD, browserAt(office)));
    expect(isIn(await signIn(email, PASSWORD, known))).to.equal(true);
    await expectSlowed(await signIn(email, PASSWORD, browserAt(office)));
    const thief = browserAt();
    thief.plant('cls_device', known.cookie('cls_device') ?? '');
    const other = await newPerson();
    await guesses(FREE, other);
    await expectSlowed(await signIn(other, PASSWORD, thief));
  });

  it('counts codes apart from passwords, and at both doors together', async () => {
    const { email, totpSecret } = server.guarded;
    const browser = browserAt();
    let page = await signIn(email, PASSWORD, browser);
    const { free } = THROTTLE_POLICIES['account-otp'];
    for (let tries = 0; tries < free - 1; tries += 1) {
      page = await browser.submit(page, { code: '000000' });
      expect(page.response.status).to.equal(422);
    }
    const headers = { 'x-forwarded-for': freshAddress() };
    const guess = { email, password: PASSWORD, otp: '000000' };
    expect((await server.postJson(guess, headers)).status).to.equal(400);
    page = await browser.submit(page, { code: totpCode(totpSecret) });
    expect(page.response.status).to.equal(429);
    const text = await page.response.text();
    expect(text).to.match(WAIT);
    await expectSlowed(await browser.submit({ ...page, text }, { code: totpCode(totpSecret) }));
    const blocked = (await recorded(server.guarded.id)).filter((reason) => reason === 'throttled');
    expect(blocked, 'recorded once').to.have.length(1);
    const again = await signIn(email, PASSWORD);
    expect(again.response.status, 'the password still counts').to.equal(200);
    expect(await again.response.text()).to.include('name="code"');
  });

  /**
   * One try at each of many accounts, from an address that adds something new each time. Most are
   * counted without a request: a slow machine would forget the first before the last is sent.
   */
  const spray = async (times: number, from: string) => {
    const sent = 5;
    const throttle = sqlThrottle(server.database, systemClock);
    for (let tries = sent; tries < times; tries += 1) await throttle.admit([addressSubject(from)]);
    for (let tries = 0; tries < sent; tries += 1) {
      const headers = { 'x-forwarded-for': `${freshAddress()}, ${from}` };
      const body = { email: `victim-${tries}@${from}.example`, password: 'Summer2026!' };
      expect((await server.postJson(body, headers)).status).to.equal(400);
    }
  };

  it('slows an address down that tries many accounts, whatever it says of itself', async () => {
    const sprayer = freshAddress();
    await spray(THROTTLE_POLICIES.address.free, sprayer);
    const email = await newPerson();
    await expectSlowed(await signIn(email, PASSWORD, browserAt(sprayer)));
    await expectSlowed(await signIn(email, PASSWORD, browserAt(`${freshAddress()}, ${sprayer}`)));
    expect(isIn(await signIn(email, PASSWORD)), 'from elsewhere').to.equal(true);
  });

  it('slows an address down that tries codes of second devices', async () => {
    const tool = await relyingParty(server, {
      ...{ redirectUris: [], device: true, confidential: false },
    });
    const begun = await client.initiateDeviceAuthorization(tool.config, { scope: 'openid' });
    const guesser = freshAddress();
    await spray(THROTTLE_POLICIES.address.free - 2, guesser);
    const browser = browserAt(guesser);
    const open = () => browser.follow(begun.verification_uri);
    const { user_code } = begun;
    for (let tries = 0; tries < 3; tries += 1) {
      const { response } = await browser.submit(await open(), { user_code });
      expect(response.status, 'the right code is no guess').to.equal(200);
    }
    // Failures are forgotten with time: on a busy machine it takes more of them.
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 20) {
      const { response } = await browser.submit(await open(), { user_code: 'BBBB-BBBB' });
      statuses.push(response.status);
    }
    expect(statuses.slice(0, 2)).to.deep.equal([422, 422]);
    expect(statuses.at(-1)).to.equal(429);
    const refused = await browser.submit(await open(), { user_code });
    expect(refused.response.status).to.equal(429);
    expect(Number(refused.response.headers.get('retry-after'))).to.be.within(1, 60);
    expect(await refused.response.text()).to.match(/in [1-9]\d* (second|minute)s?/);
    const elsewhere = browserAt();
    const page = await elsewhere.follow(begun.verification_uri);
    expect((await elsewhere.submit(page, { user_code })).response.status).to.equal(200);
  });

  if (engine.name === 'PostgreSQL') {
    it('slows in a second process on the same database, which knows the same browsers', async () => {
      const second = await startProcess(server.config);
      try {
        const email = await newPerson();
        const known = browserAt();
        await signIn(email, PASSWORD, known);
        await guesses(FREE, email);
        await expectSlowed(await signIn(email, PASSWORD, browserAt(freshAddress(), second.port)));
        const there = browserAt(freshAddress(), second.port);
        there.plant('cls_device', known.cookie('cls_device') ?? '');
        expect(isIn(await signIn(email, PASSWORD, there))).to.equal(true);
      } finally {
        second.child.kill('SIGKILL');
      }
    });
  }

  it('goes on slowing after a restart', async () => {
    const email = await newPerson();
    await guesses(FREE, email);
    // However long it takes.
    await server.database.query(
      `UPDATE throttle SET blocked_until = blocked_until + interval '1 hour'
       WHERE kind = 'account-password' AND blocked_until > '-infinity'`,
    );
    await running.stop();
    running = await startAuthServer(server.config, silentLog);
    await expectSlowed(await signIn(email, PASSWORD));
  });
});

/** Another process of the same service. */
async function startProcess({ issuer, database }: AuthServerConfig) {
  if (database.kind !== 'postgres') throw new Error('an embedded database has a single process');
  const port = await freePort();
  const env = {
    ...process.env,
    ISSUER: issuer,
    AUTH_PORT: `${port}`,
    AUTH_DATABASE_URL: database.url.expose(),
    KEY_ENCRYPTION_KEY: KEY,
    COOKIE_KEY: KEY,
    TRUSTED_PROXY_HOPS: '1',
    CLS_DATA_DIR: join(temporaryDirectory('cls-second-'), 'data'),
  };
  const child = endWithTests(spawn(process.execPath, [MAIN], { env, stdio: 'ignore' }));
  await eventually(async () => {
    if (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok) throw new Error('not ready');
  });
  return { port, child };
}
