import { setTimeout as sleep } from 'node:timers/promises';
import { type Log, silentLog } from '@cls/shared/log';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { anyEngine, describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { sqlSessionStore } from '../src/sessions/sql-session-store.ts';
import { accountAccess } from '../src/sessions/state-account-access.ts';
import { sqlStateStore } from '../src/state/sql-state-store.ts';
import { sqlTokenStatus } from '../src/token-status/sql-token-status.ts';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { type Portal, startPortal } from './support/portal.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

describe('telling applications of sessions that were ended elsewhere', () => {
  let server: TestAuthServer;
  let portal: Portal;
  let party: RelyingParty;
  const failed: (string | undefined)[] = [];
  const log: Log = {
    ...silentLog,
    info: ({ clientId }: { clientId?: string }, message) => {
      if (message === 'a logout notification failed; trying again') failed.push(clientId);
    },
  };

  before(async () => {
    server = await startTestAuthServer(anyEngine, {}, undefined, log);
    portal = await startPortal('Portal');
    party = await relyingParty(server, { backchannelLogoutUri: `${portal.origin}/backchannel` });
  });
  after(async () => {
    await server?.stop();
    await portal?.stop();
  });

  const signIn = async (browser = new Browser()) => {
    const flow = await authorizationUrl(party);
    const page = await browser.follow(flow.url);
    const { email } = server.person;
    const { url } = await browser.submit(page, { email, password: PASSWORD });
    return exchange(party, flow, url);
  };
  const received = () =>
    portal.received
      .filter(({ path }) => path === '/backchannel')
      .map(({ body }) => body.get('logout_token') ?? '');
  const told = async (count: number) => {
    return eventually(async () => {
      const tokens = received();
      if (tokens.length < count) throw new Error(`${tokens.length} of ${count} were told`);
      return tokens;
    });
  };
  /** As the operator's tool does it, from another process. */
  const endAll = async () => {
    const state = sqlStateStore(server.database, () => undefined);
    const [{ id } = { id: '' }] = await server.database.query<{ id: string }>(
      'SELECT id FROM account WHERE email = $1',
      [server.person.email],
    );
    await accountAccess(
      state,
      sqlSessionStore(server.database),
      sqlTokenStatus(server.database),
    ).endAll(id);
    await state.close();
  };

  it('sends a logout token that names the session, whatever process ended it', async () => {
    const tokens = await signIn();
    await endAll();
    const [token = ''] = await told(1);
    const keys = createRemoteJWKSet(new URL(`${server.issuer}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(token, keys, {
      issuer: server.issuer,
      audience: party.id,
      typ: 'logout+jwt',
    });
    expect(payload['sid']).to.equal(tokens.claims()?.['sid']);
    const refused = await client
      .refreshTokenGrant(party.config, tokens.refresh_token ?? '')
      .catch((error: { error?: string }) => error.error);
    expect(refused).to.equal('invalid_grant');
  });

  it('tries again when the application does not answer well, and the log names it', async () => {
    const before = received().length;
    let answers = 0;
    portal.answer('/backchannel', (response) => {
      answers += 1;
      response.writeHead(answers === 1 ? 503 : 204).end();
    });
    const tokens = await signIn();
    await endAll();
    await told(before + 1);
    const kept = await server.database.query('SELECT attempts FROM logout_notice');
    expect(kept).to.deep.equal([{ attempts: 1 }]);
    await eventually(async () => expect(failed).to.deep.equal([party.id]));
    await server.database.query('UPDATE logout_notice SET due_at = now()');
    const [, again = ''] = (await told(before + 2)).slice(before);
    expect(decodeJwt(again)['sid']).to.equal(tokens.claims()?.['sid']);
    const open = () => server.database.query('SELECT 1 FROM logout_notice');
    await eventually(async () => expect(await open()).to.deep.equal([]));
  });

  it('tries again after a sign-out in the browser, too', async () => {
    const before = received().length;
    let answers = 0;
    portal.answer('/backchannel', (response) => {
      answers += 1;
      response.writeHead(answers === 1 ? 503 : 204).end();
    });
    const browser = new Browser();
    const tokens = await signIn(browser);
    await browser.submit(await browser.follow(`${server.issuer}/oauth/logout`), { logout: 'yes' });
    expect(received().length).to.equal(before + 1);
    const kept = await eventually(async () => {
      const rows = await server.database.query<{ waits: boolean }>(
        'SELECT attempts, due_at > now() AS waits FROM logout_notice',
      );
      if (rows.length === 0) throw new Error('no notice yet');
      return rows;
    });
    expect(kept).to.deep.equal([{ attempts: 1, waits: true }]);
    await server.database.query('UPDATE logout_notice SET due_at = now()');
    const [, again = ''] = (await told(before + 2)).slice(before);
    expect(decodeJwt(again)['sid']).to.equal(tokens.claims()?.['sid']);
  });

  it('tells each application of a sign-out, also of those that signed in at the same time', async () => {
    portal.answer('/backchannel', (response) => void response.writeHead(204).end());
    const before = received().length;
    const browser = new Browser();
    await signIn(browser);
    const backchannelLogoutUri = `${portal.origin}/backchannel`;
    const names = ['One', 'Two', 'Three', 'Four'];
    const others = await Promise.all(
      names.map((name) => relyingParty(server, { name, backchannelLogoutUri })),
    );
    const flows = await Promise.all(others.map((other) => authorizationUrl(other)));
    await Promise.all(flows.map(({ url }) => browser.follow(url)));
    await browser.submit(await browser.follow(`${server.issuer}/oauth/logout`), { logout: 'yes' });
    const tokens = (await told(before + 5)).slice(before);
    expect(tokens.map((token) => decodeJwt(token).aud)).to.have.members(
      [party, ...others].map(({ id }) => id),
    );
  });

  it('tells nobody twice: an application of a session that has ended is not told again', async () => {
    const before = received().length;
    await endAll();
    await sleep(2_500);
    expect(received().length).to.equal(before);
  });
});

describeOnDatabase('telling several applications of which one never answers', (engine) => {
  let server: TestAuthServer;
  let hanging: Portal;
  let healthy: Portal;

  before(async () => {
    server = await startTestAuthServer(engine);
    hanging = await startPortal('Hanging');
    hanging.answer('/backchannel', () => undefined);
    healthy = await startPortal('Healthy');
    const party = ({ origin }: Portal) =>
      relyingParty(server, { backchannelLogoutUri: `${origin}/backchannel` });
    await server.database.query(
      `INSERT INTO logout_notice (application_id, account_id, sid, due_at)
       SELECT $1, $3, 'hanging ' || n, now() - interval '1 minute' FROM generate_series(1, 800) AS n
       UNION ALL SELECT $2, $3, 'healthy', now()`,
      [(await party(hanging)).id, (await party(healthy)).id, server.guarded.id],
    );
  });
  after(async () => {
    await hanging?.stop();
    await healthy?.stop();
  });

  it('tells the others, though hundreds of notices have waited longer for that one', () =>
    eventually(async () => expect(healthy.received).to.have.length(1)));

  it('takes up no more than one round once it is stopped', async () => {
    const attempts = async (database: Database) => {
      const [row] = await database.query<{ n: number }>(
        `SELECT sum(attempts)::integer AS n FROM logout_notice WHERE sid <> 'healthy'`,
      );
      return row?.n ?? 0;
    };
    await eventually(async () => expect(hanging.received).not.to.have.length(0));
    const before = await attempts(server.database);
    await server.stop();
    const database = await openDatabaseAsOperator(server.config.database, 'test', silentLog);
    expect(await attempts(database)).to.be.within(before, before + 20);
    await database.close();
  });
});
