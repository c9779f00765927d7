import { SECRETS_PERMISSION } from '@cls/shared/access-token';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlCustomers } from '../src/organisations/sql-customers.ts';
import {
  type AdminAnswer,
  type AdminClient,
  adminClient,
  adminToken,
  askForToken,
  MANAGE,
  newCaller,
  type TestCaller,
} from './support/administrator.ts';
import { FULL, startTestAuthServer, type TestAuthServer, VIEW } from './support/auth-server.ts';
import { clientSecrets, serviceAccountRecords } from './support/client-records.ts';

const NOBODY = 'svc_00000000000000000000000000';
const NO_SECRET = 'sec_00000000000000000000000000';

describeOnDatabase('secrets over the administrators’ API', (engine) => {
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

  const below = (id: string, path = '') => `/service-accounts/${id}/secrets${path}`;
  const refusal = ({ status, body }: AdminAnswer) => [status, body.code];
  const secretIds = async (id: string) =>
    (await call('GET', below(id))).body.data.map((one: { id: string }) => one.id);
  const answers = (id: string, secret: string, expected: number) =>
    eventually(async () =>
      expect((await askForToken(server, { id, secret })).status).to.equal(expected),
    );
  const auditOf = (subject: string, type: string) =>
    eventually(async () => {
      const [row] = await server.database.query<Record<string, unknown>>(
        `SELECT client_id AS client, address, about FROM audit_event
         WHERE type = $1 AND subject = $2`,
        [type, subject],
      );
      if (row === undefined) throw new Error(`no ${type} yet`);
      return row;
    });

  it('lists the service accounts of the caller’s customer in pages, and no other’s', async () => {
    await newCaller(server, [VIEW], 'bank');
    for (const permissions of [[VIEW], [FULL]] as const) await newCaller(server, permissions);
    const seen: { id: string; customer: string }[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await call('GET', `/service-accounts?limit=1${cursor}`);
      expect(status).to.equal(200);
      seen.push(...body.data);
      if (!body.page.hasMore) break;
      cursor = `&cursor=${body.page.nextCursor}`;
    }
    const records = await serviceAccountRecords(server.database).list();
    const own = records.filter(({ customer }) => customer === 'india');
    expect(seen.map(({ id }) => id)).to.deep.equal(own.map(({ id }) => id).sort());
    expect(seen.find(({ id }) => id === caller.id)).to.include({
      ...{ object: 'service_account', customer: 'india', disabled: false },
      authMethod: 'client_secret',
    });
    expect(JSON.stringify(seen)).to.not.include('sha256');
  });

  it('says when and from where a service account and its secret got their last token', async () => {
    const used = await newCaller(server, [VIEW]);
    const lastUse = async () => {
      const { data } = (await call('GET', `/service-accounts?limit=100`)).body;
      const { data: secrets } = (await call('GET', below(used.id))).body;
      return [data.find(({ id }: { id: string }) => id === used.id), ...secrets];
    };
    for (const one of await lastUse()) expect(one.lastUsedAt).to.equal(null);
    await askForToken(server, used);
    await eventually(async () => {
      const both = await lastUse();
      expect(both).to.have.length(2);
      for (const { lastUsedAt, lastUsedFrom } of both) {
        expect(Date.now() - Date.parse(lastUsedAt)).to.be.within(-1_000, 120_000);
        expect(lastUsedFrom).to.be.a('string');
      }
    }, 10_000);
  });

  it('makes one more secret, shown once, which is good beside the first', async () => {
    const { id, secret } = await newCaller(server, [VIEW]);
    const { status, body } = await call('POST', below(id), { name: 'Nightly', endsIn: 86_400 });
    expect(status).to.equal(201);
    expect(body).to.include({ object: 'new_client_secret', clientId: id });
    for (const text of [secret, body.clientSecret]) await answers(id, text, 200);
    const { body: list } = await call('GET', below(id));
    expect(JSON.stringify(list)).to.not.include(body.clientSecret);
    const made = list.data.find((one: { id: string }) => one.id === body.secretId);
    expect(made).to.include({ clientId: id, name: 'Nightly', status: 'live' });
    expect(Date.parse(made.endsAt) - Date.parse(made.createdAt)).to.equal(86_400_000);
    const event = await auditOf(id, 'service_account.secret_created');
    expect(event).to.include({ client: caller.id, about: body.secretId });
    expect(event['address']).to.be.a('string');
  });

  it('replaces a secret, which stays good as long as asked, and keeps its name', async () => {
    const { id, secret } = await newCaller(server, [VIEW]);
    const named = (await call('POST', below(id), { name: 'Nightly' })).body;
    const replace = (secretId: string, keepOldFor: number) =>
      call('POST', below(id, `/${secretId}/replace`), { keepOldFor });
    const kept = await replace(named.secretId, 3_600);
    expect(kept.status).to.equal(201);
    for (const text of [named.clientSecret, kept.body.clientSecret]) await answers(id, text, 200);
    const ended = await replace(kept.body.secretId, 0);
    await answers(id, kept.body.clientSecret, 401);
    for (const text of [secret, ended.body.clientSecret]) await answers(id, text, 200);
    const { data } = (await call('GET', below(id))).body;
    expect(data.map((one: { name: string }) => one.name)).to.have.members([
      ...['Nightly', 'Nightly', 'Nightly', null],
    ]);
    expect(await auditOf(id, 'service_account.secret_replaced')).to.include({ client: caller.id });
  });

  it('ends a secret, but one that was used within 24 hours only by force', async () => {
    const { id, secret } = await newCaller(server, [VIEW]);
    const [secretId] = await secretIds(id);
    const path = below(id, `/${secretId}`);
    await askForToken(server, { id, secret });
    await eventually(async () => {
      const [one] = await clientSecrets(server.database).list(id);
      expect(one?.lastUsedAt).to.be.instanceOf(Date);
    }, 10_000);
    for (const query of ['', '?force=false']) {
      expect(refusal(await call('DELETE', `${path}${query}`))).to.deep.equal([
        ...[409, 'secret_in_use'],
      ]);
    }
    await answers(id, secret, 200);
    const { status, body } = await call('DELETE', `${path}?force=true`);
    expect(status).to.equal(200);
    expect(body).to.include({ id: secretId, status: 'ended' });
    await answers(id, secret, 401);
    expect(await auditOf(id, 'service_account.secret_revoked')).to.include({
      ...{ client: caller.id, about: secretId },
    });
    expect((await call('DELETE', path)).status).to.equal(200);
  });

  it('gives no secret with a permission that the caller may not have, but ends one', async () => {
    for (const permissions of [[VIEW, FULL], [MANAGE]] as const) {
      const { id } = await newCaller(server, permissions);
      const [secretId] = await secretIds(id);
      const keepOldFor = 3_600;
      for (const asked of [
        await call('POST', below(id), {}),
        await call('POST', below(id, `/${secretId}/replace`), { keepOldFor }),
      ]) {
        expect(refusal(asked)).to.deep.equal([403, 'secret_beyond_caller']);
      }
      expect(await secretIds(id)).to.deep.equal([secretId]);
      expect((await call('DELETE', below(id, `/${secretId}`))).body.status).to.equal('ended');
    }
  });

  it('gives a caller no secret of its own', async () => {
    const [secretId] = await secretIds(caller.id);
    const replaced = call('POST', below(caller.id, `/${secretId}/replace`), { keepOldFor: 0 });
    for (const asked of [await call('POST', below(caller.id)), await replaced]) {
      expect(refusal(asked)).to.deep.equal([403, 'secret_beyond_caller']);
    }
    expect(await secretIds(caller.id)).to.deep.equal([secretId]);
  });

  it('gives a service account ten live secrets at most, also by replacing', async () => {
    const { id } = await newCaller(server, [VIEW]);
    for (let n = 1; n < 10; n += 1) expect((await call('POST', below(id))).status).to.equal(201);
    const [newest] = await secretIds(id);
    const replace = (keepOldFor: number) =>
      call('POST', below(id, `/${newest}/replace`), { keepOldFor });
    for (const asked of [await call('POST', below(id)), await replace(60)]) {
      expect(refusal(asked)).to.deep.equal([409, 'too_many_secrets']);
    }
    expect((await replace(0)).status).to.equal(201);
    const first = await call('GET', below(id, '?limit=6'));
    const rest = await call('GET', below(id, `?limit=6&cursor=${first.body.page.nextCursor}`));
    const paged = [...first.body.data, ...rest.body.data].map(({ id: one }) => one);
    expect(paged).to.deep.equal(await secretIds(id));
    expect(rest.body.page.hasMore).to.equal(false);
  });

  it('gives none to a service account that proves itself by a key', async () => {
    const records = serviceAccountRecords(server.database);
    const { id } = await newCaller(server, [VIEW]);
    await records.update(id, {
      proof: {
        ...{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://bank.example/jwks' },
      },
    });
    expect(refusal(await call('POST', below(id)))).to.deep.equal([409, 'no_secrets']);
  });

  it('shows token requests, refusals with their reasons, and changes of the secrets', async () => {
    const { id, secret } = await newCaller(server, [VIEW]);
    await askForToken(server, { id, secret });
    await askForToken(server, { id, secret }, { scope: 'no-such-scope' });
    await call('POST', below(id));
    await eventually(async () => {
      const { body } = await call('GET', `/service-accounts/${id}/events`);
      const events = body.data.map(({ type, reason }: { type: string; reason: string }) => [
        ...[type, reason],
      ]);
      expect(events).to.deep.equal([
        ['service_account.secret_created', null],
        ['token.refused', 'invalid_scope'],
        ['token.issued', null],
      ]);
    }, 5_000);
    const newest = await call('GET', `/service-accounts/${id}/events?limit=2`);
    const { nextCursor } = newest.body.page;
    const older = await call('GET', `/service-accounts/${id}/events?cursor=${nextCursor}`);
    expect(older.body.data.map(({ type }: { type: string }) => type)).to.deep.equal([
      'token.issued',
    ]);
  });

  it('finds no service account or secret of another customer, or of another service account', async () => {
    const other = await newCaller(server, [VIEW], 'bank');
    const own = await newCaller(server, [VIEW]);
    const [foreign] = await clientSecrets(server.database).list(other.id);
    for (const id of [other.id, NOBODY, 'x']) {
      for (const asked of [
        await call('GET', below(id)),
        await call('POST', below(id)),
        await call('POST', below(id, `/${foreign?.id}/replace`), { keepOldFor: 0 }),
        await call('DELETE', below(id, `/${foreign?.id}?force=true`)),
        await call('GET', `/service-accounts/${id}/events`),
      ]) {
        expect(refusal(asked)).to.deep.equal([404, 'service_account_not_found']);
      }
    }
    for (const secretId of [foreign?.id ?? '', NO_SECRET, own.id]) {
      const path = below(own.id, `/${secretId}`);
      for (const asked of [
        await call('POST', `${path}/replace`, { keepOldFor: 0 }),
        await call('DELETE', `${path}?force=true`),
      ]) {
        expect(refusal(asked)).to.deep.equal([404, 'secret_not_found']);
      }
    }
    await answers(other.id, other.secret, 200);
    await answers(own.id, own.secret, 200);
  });

  it('needs the permission for secrets', async () => {
    const { id } = await newCaller(server, [VIEW]);
    const manager = await newCaller(server, [MANAGE]);
    const by = adminClient(server, await adminToken(server, manager));
    for (const asked of [
      await by('GET', '/service-accounts'),
      await by('GET', below(id)),
      await by('POST', below(id)),
      await by('POST', below(id, `/${NO_SECRET}/replace`), { keepOldFor: 0 }),
      await by('DELETE', below(id, `/${NO_SECRET}`)),
      await by('GET', `/service-accounts/${id}/events`),
    ]) {
      expect(refusal(asked)).to.deep.equal([403, 'insufficient_permission']);
    }
  });

  it('names every fault of a body or a query at once, and changes nothing', async () => {
    const { id } = await newCaller(server, [VIEW]);
    const [secretId] = await secretIds(id);
    const path = below(id, `/${secretId}/replace`);
    const day = 86_400;
    for (const [asked, ...expected] of [
      [call('POST', below(id), { name: '', endsIn: 0, x: 1 }), 'x', 'name', 'endsIn'],
      [call('POST', below(id), { name: 'a\u202eb', endsIn: '90d' }), 'name', 'endsIn'],
      [call('POST', below(id), { endsIn: 3_661 * day }), 'endsIn'],
      [call('POST', path, {}), 'keepOldFor'],
      [call('POST', path, { keepOldFor: 31 * day }), 'keepOldFor'],
      [call('POST', path, { keepOldFor: 1.5 }), 'keepOldFor'],
      [call('DELETE', below(id, `/${secretId}?force=yes`)), 'force'],
      [call('GET', below(id, `?cursor=${NO_SECRET}`)), 'cursor'],
      [call('GET', '/service-accounts?cursor=x&limit=101'), 'limit', 'cursor'],
    ] as const) {
      const { status, body } = await asked;
      expect(status).to.equal(400);
      const named = body.errors.map(({ parameter }: { parameter: string }) => parameter);
      expect(named).to.deep.equal(expected);
    }
    const { data } = (await call('GET', below(id))).body;
    expect(data.map(({ status }: { status: string }) => status)).to.deep.equal(['live']);
  });
});
