import { silentLog } from '@cls/shared/log';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase, requireServer } from '@cls/testing/engines';
import { redisServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { sqlAccounts } from '../../src/accounts/sql-accounts.ts';
import { digest } from '../../src/crypto/digest.ts';
import { providerAdapter } from '../../src/library/provider-adapter.ts';
import { recordSignIns } from '../../src/library/record-sign-ins.ts';
import { sqlCustomers } from '../../src/organisations/sql-customers.ts';
import { MIGRATIONS } from '../../src/server/migrations.ts';
import type { AccountAccess } from '../../src/sessions/account-access.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { sqlSessionStore } from '../../src/sessions/sql-session-store.ts';
import { accountAccess } from '../../src/sessions/state-account-access.ts';
import { redisStateStore } from '../../src/state/redis-state-store.ts';
import { sqlStateStore } from '../../src/state/sql-state-store.ts';
import type { StateStore } from '../../src/state/state-store.ts';
import { sqlTokenStatus } from '../../src/token-status/sql-token-status.ts';
import {
  type BareProvider,
  CALLBACK,
  startBareProvider,
  VERIFIER,
} from '../support/bare-provider.ts';
import { applicationRecords } from '../support/client-records.ts';
import { Browser } from '../support/relying-party.ts';

/** The writes of a request that gets a code while somebody is signed in, in their order. */
const WRITES = ['store code', 'list grant', 'store session', 'list session'] as const;
type Write = (typeof WRITES)[number];
type Moment = `${'before' | 'after'} ${Write}`;
const MOMENTS = WRITES.flatMap((write): Moment[] => [`before ${write}`, `after ${write}`]);

const PORTAL = {
  ...{ name: 'Portal', firstParty: true, confidential: true, redirectUris: [CALLBACK] },
  ...{ postLogoutRedirectUris: [], backchannelLogoutUri: null, device: false },
  ...{ withoutPkce: false, allowedOrigins: [], scopes: ['openid'] },
};

/** Real stores; what is told to happen at a moment of the next request happens there, once. */
interface World {
  readonly bare: BareProvider;
  readonly records: SessionStore;
  readonly access: AccountAccess;
  readonly state: StateStore;
  readonly writes: string[];
  at(moment: Moment, work: () => Promise<void>): void;
}

for (const redis of [false, true]) {
  const beside = redis ? ', with Redis beside the database' : '';
  describeOnDatabase(`the list of sign-ins that the adapter writes${beside}`, (engine) => {
    let database: Database;
    let connection: Redis | undefined;
    let world: World;
    let accountId = '';
    let portal = '';
    before(async function () {
      const server = redis ? await redisServer() : undefined;
      if (redis) requireServer(this, 'Redis', server);
      database = await engine.open(MIGRATIONS);
      await sqlCustomers(database).create('india', 'India', false);
      const person = {
        email: 'person@india.example',
        customer: 'india',
        permissions: ['cls-deal.view'] as const,
      };
      accountId = await sqlAccounts(database).create(person);
      portal = (await applicationRecords(database).create(PORTAL)).id;
      connection = server === undefined ? undefined : new Redis(server.url);
      const state =
        connection === undefined
          ? sqlStateStore(database, () => undefined)
          : redisStateStore(connection, 0);
      world = await openWorld(database, state, accountId, portal);
    });
    after(async () => {
      world?.bare.stop();
      await world?.state.close();
      await database?.close();
    });

    /** Somebody who is signed in, and known to be. */
    const sessionStore = async () => {
      await world.access.endAll(accountId);
      const browser = new Browser();
      await world.bare.signIn(browser);
      const [session] = await world.access.sessions(accountId);
      if (session === undefined) throw new Error('the session is not listed');
      return { browser, uid: session.uid };
    };
    const tokensFor = (code: string) =>
      world.bare.token({
        ...{ grant_type: 'authorization_code', code, code_verifier: VERIFIER },
        redirect_uri: CALLBACK,
      });
    const isSignedIn = async (browser: Browser) => {
      const { url } = await browser.follow(world.bare.authorizationUrl({ prompt: 'none' }));
      return url.searchParams.has('code');
    };

    it('has the session with its device and address, and the grant of its application', async () => {
      const { browser } = await sessionStore();
      world.writes.length = 0;
      await browser.follow(world.bare.authorizationUrl(), {
        headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0' },
      });
      expect(world.writes).to.deep.equal(WRITES);
      const [session, ...others] = await world.access.sessions(accountId);
      expect(others).to.deep.equal([]);
      expect(session?.device).to.deep.equal({ browser: 'Firefox', system: 'Linux' });
      expect(session?.address).to.equal('127.0.0.1');
      const grants = await world.access.grants(accountId);
      expect(new Set(grants.map((grant) => grant.applicationId))).to.deep.equal(new Set([portal]));
    });

    for (const moment of MOMENTS) {
      for (const what of ['endSession', 'endAll', 'signedOut'] as const) {
        it(`leaves nothing alive after ${what} ${moment}`, async () => {
          const { browser, uid } = await sessionStore();
          world.at(moment, () =>
            what === 'endAll'
              ? world.access.endAll(accountId)
              : what === 'endSession'
                ? world.access.endSession(uid)
                : world.access.signedOut(uid, []),
          );
          const code = await world.bare.signIn(browser);
          expect(await tokensFor(code)).to.have.property('error', 'invalid_grant');
          expect(await isSignedIn(browser)).to.equal(false);
          expect(await world.access.sessions(accountId)).to.deep.equal([]);
          expect(await world.access.grants(accountId)).to.deep.equal([]);
        });
      }

      it(`stays whole where another tab gives the session a new id ${moment}`, async () => {
        const { browser } = await sessionStore();
        world.at(moment, async () => {
          await world.bare.signIn(browser, { prompt: 'login' });
        });
        const code = await world.bare.signIn(browser);
        expect(await tokensFor(code)).to.have.property('access_token');
        expect(await isSignedIn(browser)).to.equal(true);
        expect(await world.access.sessions(accountId)).to.have.length(1);
      });

      it(`stays whole where the session’s old id is removed late, ${moment}`, async () => {
        const { browser } = await sessionStore();
        const id = browser.cookie('_session') ?? '';
        world.at(moment, () => world.state.remove('Session', digest(id)));
        const code = await world.bare.signIn(browser);
        expect(await tokensFor(code)).to.have.property('access_token');
      });
    }
  });
}

async function openWorld(
  database: Database,
  store: StateStore,
  accountId: string,
  clientId: string,
): Promise<World> {
  let [planned, work]: [Moment | undefined, () => Promise<void>] = [
    undefined,
    async () => undefined,
  ];
  const writes: string[] = [];
  const pass = async (moment: Moment) => {
    if (moment !== planned) return;
    planned = undefined;
    await work();
  };
  const around = async <T>(write: Write, act: () => Promise<T>): Promise<T> => {
    await pass(`before ${write}`);
    const done = await act();
    writes.push(write);
    await pass(`after ${write}`);
    return done;
  };
  const KINDS: Readonly<Record<string, Write>> = {
    AuthorizationCode: 'store code',
    Session: 'store session',
  };
  const state: StateStore = {
    ...store,
    put(entry, options) {
      const write = KINDS[entry.kind];
      const put = () => store.put(entry, options);
      return write === undefined ? put() : around(write, put);
    },
  };
  const records = sqlSessionStore(database);
  const access = accountAccess(state, records, sqlTokenStatus(database));
  const deps = {
    sessionStore: {
      ...records,
      recordGrant: (grant) => around('list grant', () => records.recordGrant(grant)),
      recordSession: (session) => around('list session', () => records.recordSession(session)),
    } satisfies SessionStore as SessionStore,
    ...{ access, state, log: silentLog },
  };
  const bare = await startBareProvider({
    clientId,
    store: (kind) => recordSignIns(providerAdapter(state, kind), kind, deps),
  });
  bare.account = accountId;
  return {
    ...{ bare, records, access, state, writes },
    at(moment, then) {
      planned = moment;
      work = then;
    },
  };
}
