import { SECRETS_PERMISSION } from '@cls/shared/access-token';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlCustomers } from '../src/organisations/sql-customers.ts';
import {
  type AdminClient,
  adminClient,
  adminToken,
  askForToken,
  MANAGE,
  newCaller,
  type TestCaller,
} from './support/administrator.ts';
import { FULL, startTestAuthServer, type TestAuthServer, VIEW } from './support/auth-server.ts';
import { serviceAccountRecords } from './support/client-records.ts';

describeOnDatabase('POST /admin/v1/service-accounts/{id}/compromised', (engine) => {
  let server: TestAuthServer;
  let caller: TestCaller;
  let call: AdminClient;
  before(async () => {
    server = await startTestAuthServer(engine);
    await sqlCustomers(server.database).create('bank', 'Bank', false);
    caller = await newCaller(server, [SECRETS_PERMISSION]);
    call = adminClient(server, await adminToken(server, caller, SECRETS_PERMISSION));
  });
  after(() => server?.stop());
  const compromised = (id: string, by = call) => by('POST', `/service-accounts/${id}/compromised`);
  const status = async (who: TestCaller) => (await askForToken(server, who)).status;
  const setKey = (id: string) =>
    serviceAccountRecords(server.database).update(id, {
      proof: {
        ...{
          token_endpoint_auth_method: 'private_key_jwt',
          jwks_uri: 'https://keys.bank.example/',
        },
      },
    });
  const ended = (who: TestCaller) =>
    eventually(async () => expect(await status(who)).to.equal(401));

  it('ends every secret of a service account of the same customer, and gives a new one', async () => {
    const leaked = await newCaller(server, [VIEW]);
    const { status: answered, body } = await compromised(leaked.id);
    expect(answered).to.equal(200);
    expect(body).to.include({ object: 'compromised_service_account', clientId: leaked.id });
    expect(body.endedSecretIds).to.have.length(1);
    expect(body.notified).to.deep.equal([]);
    await ended(leaked);
    expect(await status({ id: leaked.id, secret: body.clientSecret })).to.equal(200);
    const [event] = await eventually(async () => {
      const rows = await server.database.query<{ client: string; reason: string }>(
        `SELECT client_id AS client, reason FROM audit_event
         WHERE type = 'service_account.compromised' AND subject = $1`,
        [leaked.id],
      );
      if (rows.length === 0) throw new Error('not yet');
      return rows;
    });
    expect(event).to.deep.equal({ client: caller.id, reason: 'administrator' });
  });

  it('gives no secret with a permission that the caller may not have', async () => {
    for (const permissions of [[VIEW, FULL], [MANAGE]] as const) {
      const leaked = await newCaller(server, permissions);
      const { status: answered, body } = await compromised(leaked.id);
      expect(answered).to.equal(200);
      expect(body).to.include({ secretId: null, clientSecret: null });
      await ended(leaked);
    }
  });

  it('gives a caller no new secret of its own', async () => {
    const own = await newCaller(server, [SECRETS_PERMISSION]);
    const by = adminClient(server, await adminToken(server, own, SECRETS_PERMISSION));
    expect((await compromised(own.id, by)).body).to.include({ clientSecret: null });
    await ended(own);
  });

  it('finds neither an unknown service account nor one of another customer', async () => {
    const other = await newCaller(server, [VIEW], 'bank');
    for (const id of [other.id, 'svc_00000000000000000000000000', 'x']) {
      const { status: answered, body } = await compromised(id);
      expect([answered, body.code]).to.deep.equal([404, 'service_account_not_found']);
    }
    const { scopeBase } = server.config;
    expect(
      (await askForToken(server, other, { scope: `${scopeBase}/auth/${VIEW}` })).status,
    ).to.equal(200);
  });

  it('needs a permission of its own, which opens nothing else', async () => {
    const leaked = await newCaller(server, [VIEW]);
    const manager = await newCaller(server, [MANAGE]);
    const refused = await compromised(
      leaked.id,
      adminClient(server, await adminToken(server, manager)),
    );
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_permission']);
    expect((await call('GET', '/accounts')).status).to.equal(403);
    expect(await status(leaked)).to.equal(200);
  });

  it('refuses a service account that proves itself by a key', async () => {
    const account = await newCaller(server, [VIEW]);
    await setKey(account.id);
    const { status: answered, body } = await compromised(account.id);
    expect([answered, body.code]).to.deep.equal([409, 'no_secrets']);
  });

  it('refuses a query, and a body with members', async () => {
    const leaked = await newCaller(server, [VIEW]);
    const path = `/service-accounts/${leaked.id}/compromised`;
    expect((await call('POST', `${path}?x=1`)).status).to.equal(400);
    expect((await call('POST', path, { secret: 'x' })).status).to.equal(400);
    expect((await call('GET', path)).status).to.equal(405);
    expect(await status(leaked)).to.equal(200);
  });
});
