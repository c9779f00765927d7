import { type Log, silentLog } from '@cls/shared/log';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { pglite } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { newClientSecret } from '../src/clients/client-secret.ts';
import { type AuthServer, startAuthServer } from '../src/compose.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import {
  basic,
  createCallers,
  PASSWORD,
  type TestAuthServer,
  testConfig,
  totpCode,
  VIEW,
} from './support/auth-server.ts';
import { serviceAccountRecords } from './support/client-records.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';

const CLIENT_CREDENTIALS = 'grant_type=client_credentials';

describe('the line that the log has of a refused request', () => {
  let server: AuthServer;
  let database: Database;
  let issuer: string;
  let callers: Awaited<ReturnType<typeof createCallers>>;
  const lines: Record<string, unknown>[] = [];
  const log: Log = { ...silentLog, info: (fields) => void lines.push({ ...fields }) };
  before(async () => {
    const location = await pglite.createLocation(MIGRATIONS);
    const config = await testConfig(location);
    ({ issuer } = config);
    server = await startAuthServer(config, log);
    database = await openDatabaseAsOperator(location, 'test', silentLog);
    callers = await createCallers(database);
    const accounts = sqlAccounts(database);
    for (const name of ['off', 'invited']) {
      const email = `${name}@india.example`;
      await accounts.create({ email, customer: 'india', permissions: ['cls-deal.view'] });
    }
    await database.query(
      `UPDATE account SET disabled_at = now(),
         password_hash = (SELECT password_hash FROM account WHERE email = $1)
       WHERE email = 'off@india.example'`,
      [callers.person.email],
    );
  });
  after(async () => {
    await database?.close();
    await server?.stop();
  });

  /** What the log says of the request whose answer this is. */
  const refusedOf = (response: Response) => {
    const id = response.headers.get('x-request-id');
    const line = lines.find(({ requestId }) => requestId === id);
    return line?.['reason'];
  };
  const json = (body: object) =>
    fetch(`${issuer}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('and the audit have nothing of a password that was typed as an e-mail address', async () => {
    const party = await relyingParty({ issuer, database } as TestAuthServer);
    for (const typed of [PASSWORD, 'Tr0ub4dor@3!', 'p@ssw0rd']) {
      await json({ email: typed, password: 'x' });
      const browser = new Browser();
      const page = await browser.follow((await authorizationUrl(party)).url);
      await browser.submit(page, { email: typed, password: 'x' });
    }
    await json({ email: 'Spelt@India.Example', password: 'x' });
    const kept = await eventually(async () => {
      const rows = await database.query<{ subject: string }>('SELECT subject FROM audit_event');
      const subjects = rows.map(({ subject }) => subject);
      if (!subjects.includes('spelt@india.example')) throw new Error('not written yet');
      return JSON.stringify([subjects, lines]).toLowerCase();
    });
    for (const typed of [PASSWORD, 'tr0ub4dor@3!', 'p@ssw0rd']) expect(kept).not.to.include(typed);
  });

  it('keeps the whole address where an account has it, however unusual it is', async () => {
    const email = 'asha@bank_house';
    const made = { email, customer: 'india', permissions: [VIEW] } as const;
    await sqlAccounts(database).create(made);
    await json({ email, password: PASSWORD });
    await json({ email: 'ravi@bank_house', password: PASSWORD });
    const subjects = await eventually(async () => {
      const rows = await database.query<{ subject: string }>(
        `SELECT subject FROM audit_event WHERE type = 'token.refused' ORDER BY id DESC LIMIT 2`,
      );
      if (rows[1]?.subject !== email) throw new Error('not stored yet');
      return rows.map(({ subject }) => subject);
    });
    expect(subjects).to.deep.equal(['unknown', email]);
  });

  for (const [who, email, password, kind] of [
    ['an unknown e-mail', 'nobody@india.example', PASSWORD, 'unknown_email'],
    ['a wrong password', 'person@india.example', 'Tr0ub4dor-and-3', 'wrong_password'],
    ['a disabled account', 'off@india.example', PASSWORD, 'account_disabled'],
    ['somebody who was invited', 'invited@india.example', PASSWORD, 'no_password'],
  ] as const) {
    it(`says ${kind} of ${who}, which the caller is not told`, async () => {
      const response = await json({ email, password });
      expect(response.status).to.equal(400);
      expect(await response.json()).to.deep.equal({
        error: 'invalid_grant',
        error_description: 'e-mail, password or one-time code is not right',
      });
      expect(refusedOf(response)).to.equal(kind);
    });
  }

  it('says that a code was wrong, or used before', async () => {
    const { email, password, totpSecret } = callers.guarded;
    const otp = totpCode(totpSecret);
    expect((await json({ email, password, otp })).status).to.equal(200);
    expect(refusedOf(await json({ email, password, otp }))).to.equal('code_used');
    const wrong = otp === '000000' ? '000001' : '000000';
    expect(refusedOf(await json({ email, password, otp: wrong }))).to.equal('code_wrong');
  });

  it('says why the form refused, where the person reads one sentence for all', async () => {
    const portal = await relyingParty({ issuer, database } as TestAuthServer);
    const browser = new Browser();
    const begun = await authorizationUrl(portal);
    const text = (email: string) =>
      browser
        .follow(begun.url)
        .then((page) => browser.submit(page, { email, password: 'Tr0ub4dor-and-3' }));
    const unknown = await text('nobody@india.example');
    const wrong = await text('person@india.example');
    expect(refusedOf(unknown.response)).to.equal('unknown_email');
    expect(refusedOf(wrong.response)).to.equal('wrong_password');
    expect(await wrong.response.text()).to.include('The e-mail address or the password is wrong');
  });

  it('tells an unknown client, a wrong secret and a disabled client apart', async () => {
    const ask = (id: string, secret: string) => {
      const init = { method: 'POST', headers: basic(id, secret), body: CLIENT_CREDENTIALS };
      return fetch(`${issuer}/oauth/token`, init);
    };
    const { id, secret } = callers.client;
    const wrong = await ask(id, newClientSecret().expose());
    const unknown = await ask('svc_00000000000000000000000000', secret);
    expect(await wrong.text()).to.equal(await unknown.text());
    expect(refusedOf(wrong)).to.equal('invalid_client: invalid secret provided');
    expect(refusedOf(unknown)).to.equal('invalid_client: client not found');
    await serviceAccountRecords(database).setDisabled(id, true);
    expect(refusedOf(await ask(id, secret))).to.equal('invalid_client: client not found');
    await serviceAccountRecords(database).setDisabled(id, false);
    expect(refusedOf(await ask(id, secret)), 'nothing where it is not refused').to.equal(undefined);
  });

  it('says of each secret that was never made here that it was not, also where the audit has the first', async () => {
    const init = {
      method: 'POST',
      headers: basic(callers.client.id, 'cls_cut'),
      body: CLIENT_CREDENTIALS,
    };
    for (let n = 1; n <= 3; n += 1) {
      const response = await fetch(`${issuer}/oauth/token`, init);
      expect(response.status).to.equal(401);
      expect(refusedOf(response), `${n}`).to.match(/^invalid_client: /);
    }
  });

  for (const path of ['revoke', 'introspect', 'par', 'device']) {
    it(`says why a client was refused at /oauth/${path}`, async () => {
      const headers = basic(callers.client.id, newClientSecret().expose());
      const init = { method: 'POST', headers, body: new URLSearchParams({ token: 'x' }) };
      const response = await fetch(`${issuer}/oauth/${path}`, init);
      expect(response.status).to.equal(401);
      expect(refusedOf(response)).to.equal('invalid_client: invalid secret provided');
    });
  }

  it('says nothing where an access token is asked about and revoked, and why where it is not', async () => {
    const { id, secret } = callers.client;
    const send = (path: string, body: Record<string, string>) =>
      fetch(`${issuer}/oauth/${path}`, {
        method: 'POST',
        headers: basic(id, secret),
        body: new URLSearchParams(body),
      });
    const given = await send('token', { grant_type: 'client_credentials' });
    const { access_token: token = '' } = (await given.json()) as Record<string, string>;
    for (const path of ['introspect', 'revoke']) {
      const response = await send(path, { token });
      expect([response.status, refusedOf(response)], path).to.deep.equal([200, undefined]);
    }
    const others = await (await json(callers.person)).text();
    const refused = await send('revoke', { token: others });
    expect(refused.status).to.equal(400);
    expect(refusedOf(refused)).to.equal('invalid_request: the token was not issued to this client');
  });

  it('says what was wrong with an application’s request, by the reference on the page', async () => {
    const url = `${issuer}/oauth/authorize?client_id=app_none&redirect_uri=https://x.example`;
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect(await page.text()).to.include(page.headers.get('x-request-id') ?? 'none');
    expect(refusedOf(page)).to.match(/^invalid_client: /);
  });

  it('says the code of a refusal of the administrators’ API', async () => {
    expect(refusedOf(await fetch(`${issuer}/admin/v1/accounts`))).to.equal('missing_token');
  });

  it('holds no password, code or secret', () => {
    const text = JSON.stringify(lines);
    expect(lines.length).to.be.greaterThan(10);
    for (const secret of [PASSWORD, 'Tr0ub4dor-and-3', callers.client.secret, 'nobody@india']) {
      expect(text).not.to.include(secret);
    }
  });
});
