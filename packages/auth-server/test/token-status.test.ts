import { setTimeout as sleep } from 'node:timers/promises';
import {
  STATUS_LIST_LENGTH,
  type StatusReference,
  statusIndex,
} from '@cls/shared/access/status-list';
import type { Database, Sql } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { getListFromStatusListJWT, getStatusListFromJWT } from '@sd-jwt/jwt-status-list';
import { expect } from 'chai';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { sqlCompromisedClients } from '../src/clients/sql-compromised-clients.ts';
import { sqlAfterRestore } from '../src/installation/sql-after-restore.ts';
import { sqlCustomers } from '../src/organisations/sql-customers.ts';
import { sqlTokenStatus, sweepTokenStatus } from '../src/token-status/sql-token-status.ts';
import { tokenIndices } from '../src/token-status/token-indices.ts';
import type { TokenStatusRecords } from '../src/token-status/token-status.ts';
import {
  basic,
  claimsOf,
  FULL,
  startTestAuthServer,
  type TestAuthServer,
  VIEW,
} from './support/auth-server.ts';
import { clientSecrets, serviceAccountRecords } from './support/client-records.ts';
import { quickHash } from './support/quick-hash.ts';

const GRANT = 'grant_type=client_credentials';

const within = async () => undefined;

/** Asks as a resource server does that is none of ours. */
async function isRevoked(issuer: string, token: string): Promise<boolean> {
  const { idx, uri } = getStatusListFromJWT(token);
  const answer = await fetch(uri, { headers: { accept: 'application/statuslist+jwt' } });
  expect(answer.headers.get('content-type')).to.equal('application/statuslist+jwt');
  const text = await answer.text();
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  const { payload } = await jwtVerify(text, keys, { typ: 'statuslist+jwt', subject: uri, issuer });
  expect(payload).to.include.keys('iat', 'exp', 'ttl');
  return getListFromStatusListJWT(text).getStatus(idx) === 1;
}

describeOnDatabase('the status list of access tokens', (engine) => {
  let server: TestAuthServer;
  let tokens: TokenStatusRecords;
  let secrets: ReturnType<typeof clientSecrets>;
  before(async () => {
    server = await startTestAuthServer(engine, { EXPLORER_URL: 'https://balances.example' });
    tokens = sqlTokenStatus(server.database);
    secrets = clientSecrets(server.database);
  });
  after(() => server?.stop());

  const compromised = (id: string) =>
    sqlCompromisedClients(server.database, secrets.add).answer(id, { newSecret: true }, within);
  const newAccount = async (customer = 'india') => {
    const name = `account ${Math.random()}`;
    const made = await serviceAccountRecords(server.database).create({
      name,
      customer,
      permissions: [VIEW],
    });
    return { id: made.id, secret: made.secret.expose() };
  };
  const tokenOf = async ({ id, secret }: { id: string; secret: string }): Promise<string> => {
    const answer = await server.post(GRANT, basic(id, secret));
    const body = (await answer.json()) as { access_token: string };
    expect(answer.status, JSON.stringify(body)).to.equal(200);
    return body.access_token;
  };
  const revoked = (token: string) => isRevoked(server.issuer, token);

  it('has a bit for each token, which a foreign library reads', async () => {
    const account = await newAccount();
    const first = await tokenOf(account);
    const second = await tokenOf(account);
    expect(claimsOf(first)['status']).to.not.deep.equal(claimsOf(second)['status']);
    expect([await revoked(first), await revoked(second)]).to.deep.equal([false, false]);
    const answer = await server.post(`${GRANT}&scope=x`, basic(account.id, account.secret));
    expect(answer.status).to.equal(400);
  });

  it('answers 304 while nothing changes, and another list within one request of a change', async () => {
    const account = await newAccount();
    const { uri } = getStatusListFromJWT(await tokenOf(account));
    const etag = (await fetch(uri)).headers.get('etag') ?? '';
    const same = () => fetch(uri, { headers: { 'if-none-match': etag } });
    expect((await same()).status).to.equal(304);
    await tokens.revoke({ subject: account.id }, 'access_ended');
    expect((await same()).status).to.equal(200);
    for (const none of ['1', '9999999999', '99999999999']) {
      expect((await fetch(`${server.issuer}/status-lists/${none}`)).status, none).to.equal(404);
    }
    expect((await fetch(uri, { method: 'POST' })).status).to.equal(405);
  });

  it('revokes what one secret got when the secret is revoked, and no other token', async () => {
    const account = await newAccount();
    const other = await secrets.create(account.id, {});
    const mine = await tokenOf(account);
    const others = await tokenOf({ id: account.id, secret: other.secret.expose() });
    await secrets.revoke({ id: other.id, clientId: account.id });
    expect([await revoked(mine), await revoked(others)]).to.deep.equal([false, true]);
  });

  it('revokes nothing when a secret is replaced, and everything when it leaked', async () => {
    const account = await newAccount();
    const first = await tokenOf(account);
    const { secret } = await secrets.replace({ clientId: account.id }, 0, {});
    expect(await revoked(first)).to.equal(false);
    const second = await tokenOf({ id: account.id, secret: secret.expose() });
    const answer = await compromised(account.id);
    expect([await revoked(first), await revoked(second)]).to.deep.equal([true, true]);
    expect((await server.post(GRANT, basic(account.id, secret.expose()))).status).to.equal(401);
    const third = await tokenOf({
      id: account.id,
      secret: answer?.newSecret?.secret.expose() ?? '',
    });
    expect(await revoked(third)).to.equal(false);
  });

  it('revokes all of a service account that is disabled or loses a permission', async () => {
    const account = await newAccount();
    const records = serviceAccountRecords(server.database);
    const token = await tokenOf(account);
    await records.update(account.id, { name: `renamed ${Math.random()}` });
    await records.update(account.id, { permissions: [VIEW, 'external-api.fullcontrol'] });
    expect(await revoked(token)).to.equal(false);
    await records.update(account.id, { permissions: ['external-api.fullcontrol'] });
    expect(await revoked(token)).to.equal(true);
    const next = await tokenOf(account);
    await records.setDisabled(account.id, true);
    expect(await revoked(next)).to.equal(true);
    await records.setDisabled(account.id, false);
    expect(await revoked(await tokenOf(account)), 'a new one after it was enabled').to.equal(false);
  });

  it('gives no token with a permission that was taken, also where nobody was told of that', async () => {
    const records = serviceAccountRecords(server.database);
    const account = await newAccount();
    await records.update(account.id, { permissions: [VIEW, FULL] });
    const token = await tokenOf(account);
    await server.database.query('ALTER TABLE service_account DISABLE TRIGGER USER');
    await records.update(account.id, { permissions: [VIEW] });
    await server.database.query('ALTER TABLE service_account ENABLE TRIGGER USER');
    expect(await revoked(token)).to.equal(true);
    const answer = await server.post(GRANT, basic(account.id, account.secret));
    const { access_token: slow } = (await answer.json()) as { access_token?: string };
    // A record is kept for five seconds. Where they were over, it was read anew: a token without the permission.
    if (slow === undefined) expect(answer.status).to.equal(401);
    else expect(String(claimsOf(slow)['scope'])).to.not.include(FULL);
    await server.database.query('UPDATE service_account SET name = name');
    // Until the change is heard of, the kept record is refused.
    const narrower = await eventually(() => tokenOf(account));
    expect(String(claimsOf(narrower)['scope'])).to.not.include(FULL);
    expect(await revoked(narrower)).to.equal(false);
  });

  it('revokes all of a customer, its people’s too, and of no other customer', async () => {
    const customers = sqlCustomers(server.database);
    await customers.create('nepal', 'Nepal', false);
    const account = await newAccount('nepal');
    const token = await tokenOf(account);
    const stranger = await tokenOf(await newAccount());
    await customers.setDisabled('nepal', true);
    expect([await revoked(token), await revoked(stranger)]).to.deep.equal([true, false]);
  });

  it('revokes one token for its client, and for no other (RFC 7009)', async () => {
    const account = await newAccount();
    const one = await tokenOf(account);
    const another = await tokenOf(account);
    const revoke = (token: string, by = account) =>
      fetch(`${server.issuer}/oauth/revoke`, {
        method: 'POST',
        headers: basic(by.id, by.secret),
        body: new URLSearchParams({ token }),
      });
    const foreign = await revoke(one, await newAccount());
    expect(foreign.status).to.equal(400);
    expect(await revoked(one)).to.equal(false);
    for (let n = 0; n < 2; n += 1) expect((await revoke(one)).status, `${n}`).to.equal(200);
    expect([await revoked(one), await revoked(another)]).to.deep.equal([true, false]);
    const changed = `${one.slice(0, -4)}AAAA`;
    expect((await revoke(changed)).status, 'none of ours').to.equal(200);
    expect((await revoke(one, { ...account, secret: 'x'.repeat(43) })).status).to.equal(401);
  });

  it('tells a client of its own tokens, and who may ask of all (RFC 7662)', async () => {
    const account = await newAccount();
    const token = await tokenOf(account);
    const asker = await serviceAccountRecords(server.database).create({
      ...{ name: 'Resource server', customer: 'india', permissions: ['cls-token.introspect'] },
    });
    const introspect = async (by: { id: string; secret: string }) => {
      const answer = await fetch(`${server.issuer}/oauth/introspect`, {
        method: 'POST',
        headers: basic(by.id, by.secret),
        body: new URLSearchParams({ token }),
      });
      return (await answer.json()) as Record<string, unknown>;
    };
    const all = { id: asker.id, secret: asker.secret.expose() };
    for (const by of [account, all]) {
      expect(await introspect(by)).to.include({ active: true, sub: account.id, customer: 'india' });
    }
    expect(await introspect(await newAccount())).to.deep.equal({ active: false });
    await tokens.revoke({ client: account.id }, 'compromised');
    expect(await introspect(all)).to.deep.equal({ active: false });
    expect(await introspect({ ...all, secret: 'x'.repeat(43) })).to.have.property(
      'error',
      'invalid_client',
    );
  });

  it('revokes a person’s tokens when the sessions end', async () => {
    const { email, password } = server.person;
    const signIn = async () => await (await server.postJson({ email, password })).text();
    const token = await signIn();
    expect(await revoked(token)).to.equal(false);
    await tokens.revoke({ subject: String(claimsOf(token)['sub']) }, 'access_ended');
    expect(await revoked(token)).to.equal(true);
    expect(await revoked(await signIn()), 'a new one').to.equal(false);
  });

  it('gives no token that works for a password that is replaced while it is compared', async () => {
    const { email, password } = server.person;
    const { database } = server;
    const [{ id = '', hash = '' } = {}] = await database.query<{ id: string; hash: string }>(
      'SELECT id, password_hash AS hash FROM account WHERE email = $1',
      [email],
    );
    const setHash = (sql: Sql, to: string) =>
      sql.query('UPDATE account SET password_hash = $2 WHERE id = $1', [id, to]);
    const answer = await database.transaction(async (transaction) => {
      await setHash(transaction, await quickHash('another long passphrase'));
      const asked = server.postJson({ email, password });
      await sleep(1_000); // The old password was compared, and the token waits for this row.
      return { asked };
    });
    await tokens.revoke({ subject: id }, 'access_ended');
    const { status, ...asked } = await answer.asked.then(async (one) => ({
      status: one.status,
      text: await one.text(),
    }));
    await setHash(database, hash);
    // Where it did not wait, because the person had indices left, it was given before the password was replaced.
    if (status === 200) expect(await revoked(asked.text)).to.equal(true);
    else expect(status).to.equal(400);
    expect((await server.postJson({ email, password })).status).to.equal(200);
  });

  it('revokes all of a restored store, and begins where no token has been', async () => {
    const account = await newAccount();
    const token = await tokenOf(account);
    const state = { clear: async () => undefined };
    await sqlAfterRestore(server.database, async () => state).forget({ keepRecoveryCodes: true });
    expect(await revoked(token)).to.equal(true);
    const next = await tokenOf(account);
    expect(await revoked(next)).to.equal(false);
    const index = (of: string) =>
      Number(
        statusIndex(
          server.issuer,
          (claimsOf(of)['status'] as { status_list: StatusReference }).status_list,
        ),
      );
    expect(index(next) - index(token)).to.be.greaterThan(2 ** 31);
    await sweepTokenStatus(server.database);
    expect(await revoked(token), 'it lives for a day').to.equal(true);
  });
});

describeOnDatabase('leases of token indices', (engine) => {
  let server: TestAuthServer;
  let database: Database;
  before(async () => {
    server = await startTestAuthServer(engine);
    ({ database } = server);
  });
  after(() => server?.stop());

  it('never give one index twice, by two replicas at once, and grow with the use', async () => {
    const [one, two] = [0, 0].map(() => tokenIndices(sqlTokenStatus(database)).next);
    const holder = { subject: server.client.id, clientId: server.client.id };
    const asked = Array.from({ length: 2_000 }, (_, n) => (n % 2 === 0 ? one : two)?.(holder));
    const given = await Promise.all(asked);
    expect(given.includes(undefined)).to.equal(false);
    expect(new Set(given).size).to.equal(2_000);
    const leases = await database.query('SELECT FROM token_status WHERE subject = $1', [
      holder.subject,
    ]);
    expect(leases.length).to.be.within(6, 10);
  });

  it('never outlive a revocation that comes at the same time', async () => {
    const records = sqlTokenStatus(database);
    const secrets = clientSecrets(database);
    for (let round = 0; round < 40; round += 1) {
      const compromised = (of: string) =>
        sqlCompromisedClients(database, secrets.add).answer(of, { newSecret: true }, within);
      const { id } = await serviceAccountRecords(database).create({
        ...{ name: `race ${round}`, customer: 'india', permissions: [VIEW] },
      });
      const [{ id: secretId = '' } = {}] = await secrets.list(id);
      const holder = { subject: id, clientId: id, secretId };
      const [leased] = await Promise.all([
        Promise.all(Array.from({ length: 4 }, () => records.lease(holder, 8, 900))),
        round % 2 === 0 ? compromised(id) : serviceAccountRecords(database).setDisabled(id, true),
      ]);
      for (const one of leased) {
        if (one === undefined) continue;
        const found = await records.revocationOf(one.first);
        expect(found?.for, `round ${round}`).to.equal(
          round % 2 === 0 ? 'compromised' : 'service_account_changed',
        );
      }
      expect(await records.lease(holder, 8, 900), 'afterwards').to.equal(undefined);
    }
  });

  it('are refused for nobody, and clipped to the list that is asked for', async () => {
    const records = sqlTokenStatus(database);
    const nobody = { subject: `svc_${'0'.repeat(26)}`, clientId: `svc_${'0'.repeat(26)}` };
    expect(await records.lease(nobody, 8, 900)).to.equal(undefined);
    await database.query(
      `INSERT INTO token_status (first, last, subject, client_id, expires_at, revoked_at, revoked_for)
       VALUES ($1, $2, '', '', now() + interval '1 hour', now(), 'restored')`,
      [5 * STATUS_LIST_LENGTH - 3, 7 * STATUS_LIST_LENGTH + 2],
    );
    const range = { first: 6 * STATUS_LIST_LENGTH, last: 7 * STATUS_LIST_LENGTH - 1 };
    expect(await records.revokedWithin(range)).to.deep.equal([range]);
  });
});
