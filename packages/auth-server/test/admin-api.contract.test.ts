import { SECRETS_PERMISSION } from '@cls/shared/access-token';
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { OPERATIONS, type Operation, refusalsOf } from '../src/admin-api/operations.ts';
import {
  type AdminContract,
  contractOperation,
  seenAnswers,
  seenExchanges,
} from './support/admin-contract.ts';
import {
  type AdminClient,
  adminClient,
  adminToken,
  askForToken,
  MANAGE,
  newCaller,
} from './support/administrator.ts';
import { FULL, startTestAuthServer, type TestAuthServer, VIEW } from './support/auth-server.ts';
import { clientSecrets, serviceAccountRecords } from './support/client-records.ts';
import { expectRecorded } from './support/recorded-examples.ts';
import { relyingParty } from './support/relying-party.ts';

const OPERATION_LIST = Object.entries<Operation>(OPERATIONS);
/** Of tokens, stores and a race, which other suites provoke. */
const ELSEWHERE =
  /(token_(expired|invalid|revoked|untrusted)|caller_disabled|internal|unavailable|setPermissions 403 account_beyond_caller)$/;

describe('the contract of the administrators’ API', () => {
  let server: TestAuthServer;
  const url = () => `${server.issuer}/admin/v1/openapi.json`;
  before(async () => {
    // Other files of the process get answers too.
    seenExchanges.clear();
    seenAnswers.clear();
    server = await startTestAuthServer(anyEngine);
  });
  after(() => server?.stop());

  it('is public, for every page, and is not sent again to who has it', async () => {
    const answer = await fetch(url(), { headers: { origin: 'https://elsewhere.example' } });
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.match(/^application\/json/);
    expect(answer.headers.get('cache-control')).to.equal('public, max-age=300');
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
    const etag = answer.headers.get('etag') ?? '';
    expect(etag).to.match(/^"[\w-]+"$/);
    const unchanged = await fetch(url(), { headers: { 'if-none-match': etag } });
    expect([unchanged.status, await unchanged.text()]).to.deep.equal([304, '']);
    const head = await fetch(url(), { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).to.deep.equal([200, etag]);
  });

  it('refuses another method and a query as a problem', async () => {
    const posted = await fetch(url(), { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    expect(await posted.json()).to.include({ code: 'method_not_allowed' });
    const asked = await fetch(`${url()}?x=1`);
    expect(asked.headers.get('cache-control')).to.equal('no-store');
    expect(await asked.json()).to.include({ status: 400, code: 'unknown_parameter' });
  });

  it('names this deployment, and who may call each operation', async () => {
    const contract = (await (await fetch(url())).json()) as AdminContract & {
      servers: readonly object[];
    };
    expect(contract.openapi).to.equal('3.1.0');
    expect(contract.servers).to.deep.equal([{ url: `${server.issuer}/admin/v1` }]);
    const served = Object.entries(contract.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => [method, path, security]),
    );
    const { scopeBase } = server.config;
    const expected = OPERATION_LIST.map(([, { method, path, permission }]) => [
      ...[method.toLowerCase(), path, [{ token: [`${scopeBase}/auth/${permission}`] }]],
    ]);
    expect(served).to.have.deep.members([...expected, ['get', '/openapi.json', []]]);
  });

  it('has each operation under the tag of what its path begins with', async () => {
    const { paths, tags } = (await (await fetch(url())).json()) as AdminContract & {
      tags: readonly { name: string }[];
    };
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods as Record<string, { tags?: readonly string[] }>).map(
        (one) => `${path.split('/')[1]}: ${one.tags}`,
      ),
    );
    expect([...new Set(found)]).to.have.members([
      ...['accounts: Accounts', 'applications: Applications'],
      ...['service-accounts: Service accounts', 'openapi.json: undefined'],
    ]);
    expect(tags.map(({ name }) => name)).to.deep.equal([
      ...['Accounts', 'Applications', 'Service accounts'],
    ]);
  });

  it('has every answer and every refusal that there is, and no other', async () => {
    const manager = await newCaller(server, [MANAGE]);
    const keeper = await newCaller(server, [SECRETS_PERMISSION]);
    const byPermission = {
      [MANAGE]: adminClient(server, await adminToken(server, manager)),
      [SECRETS_PERMISSION]: adminClient(
        server,
        await adminToken(server, keeper, SECRETS_PERMISSION),
      ),
    };
    const other = { [MANAGE]: SECRETS_PERMISSION, [SECRETS_PERMISSION]: MANAGE } as const;
    const nobody = adminClient(server);
    const people = byPermission[MANAGE];
    const call = byPermission[SECRETS_PERMISSION];
    await refuseEach(byPermission, other, nobody);
    await succeedWithPeople(people);
    await succeedWithSecrets(call);

    const promised = OPERATION_LIST.flatMap(([name, operation]) => [
      `${name} ${operation.status}`,
      ...Object.entries(refusalsOf(operation)).flatMap(([status, codes]) =>
        codes.map((code) => `${name} ${status} ${code}`),
      ),
    ]);
    const provoked = promised.filter((one) => !ELSEWHERE.test(one));
    expect(provoked.filter((one) => !seenAnswers.has(one))).to.deep.equal([]);
    expect([...seenAnswers].filter((one) => !promised.includes(one))).to.deep.equal([]);
    expect(seenExchanges.size).to.equal(OPERATION_LIST.length);
    expectRecorded('admin', Object.fromEntries([...seenExchanges].sort()));
  });

  /** What any request may be refused for: the answers are checked by the client. */
  async function refuseEach(
    by: Readonly<Record<string, AdminClient>>,
    other: Readonly<Record<string, string>>,
    nobody: AdminClient,
  ) {
    for (const [, operation] of OPERATION_LIST) {
      const { method, path: template, permission, query } = operation;
      const unknown = template.replace('{secretId}', 'sec_00000000000000000000000000');
      const path = unknown.replace('{id}', server.guarded.id);
      const call = by[permission] ?? nobody;
      await nobody(method, path);
      await (by[other[permission] ?? ''] ?? nobody)(method, path);
      await call(method, `${path}?x=1`);
      if ('cursor' in query.shape) await call(method, `${path}?cursor=-`);
      if ('limit' in query.shape) await call(method, `${path}?limit=0`);
      if (method !== 'GET') {
        await call(method, path, '[]');
        await call(method, path, ' '.repeat(20_000));
        await call(method, path, 'x=1', { 'content-type': 'text/plain' });
      }
      await call(method, unknown.replace('{id}', 'x'), sampleOf(operation));
    }
  }

  /** A body that the contract takes. */
  function sampleOf({ method, path }: Operation): object | undefined {
    const samples: Readonly<Record<string, object>> = {
      email: { email: 'sample@india.example', permissions: [VIEW] },
      permissions: { permissions: [VIEW] },
      keepOldFor: { keepOldFor: 60, name: 'Nightly' },
      endsIn: { endsIn: 60 },
      name: { name: 'Asha Rao' },
    };
    const body = contractOperation(method, path)?.requestBody?.content['application/json'];
    const { properties = {} } = (body?.schema ?? {}) as { properties?: object };
    return Object.entries(samples).find(([name]) => name in properties)?.[1];
  }

  async function succeedWithPeople(call: AdminClient) {
    await relyingParty(server, { customer: 'india' });
    const { body } = await call('POST', '/accounts', sampleOf(OPERATIONS.inviteAccount));
    const account = `/accounts/${body.account.id}`;
    for (let again = 0; again < 20; again += 1) {
      const asked = await call('POST', '/accounts', sampleOf(OPERATIONS.inviteAccount));
      if (asked.status === 429) break;
    }
    for (const [, operation] of OPERATION_LIST) {
      const { method, path, permission } = operation;
      if (permission !== MANAGE || operation === OPERATIONS.inviteAccount) continue;
      await call(method, path.replace('/accounts/{id}', account), sampleOf(operation));
    }
    await call('POST', '/accounts', { email: server.person.email, permissions: [VIEW] });
    const change = 'UPDATE account SET permissions = $2 WHERE id = $1';
    await server.database.query(change, [body.account.id, [VIEW, FULL]]);
    for (const path of ['/enable', '/reset-factors']) await call('POST', `${account}${path}`);
    await call('PUT', `${account}/permissions`, { permissions: [VIEW, FULL] });
  }

  async function succeedWithSecrets(call: AdminClient) {
    const used = await newCaller(server, [VIEW]);
    const { id } = used;
    const path = `/service-accounts/${id}`;
    const none = `${path}/secrets/sec_00000000000000000000000000`;
    await call('GET', '/service-accounts?limit=100');
    const { secretId } = (await call('POST', `${path}/secrets`, { name: 'Nightly' })).body;
    const replaceAt = (secret: string) =>
      call('POST', `${secret}/replace`, { keepOldFor: 60, endsIn: 3_600 });
    await replaceAt(none);
    await call('DELETE', none);
    await replaceAt(`${path}/secrets/${secretId}`);
    while ((await call('POST', `${path}/secrets`)).status === 201);
    await replaceAt(`${path}/secrets/${secretId}`);
    await askForToken(server, used);
    const [first] = await eventually(async () => {
      const all = await clientSecrets(server.database).list(id);
      const found = all.filter(({ lastUsedAt }) => lastUsedAt !== undefined);
      expect(found).to.have.length(1);
      return found;
    }, 10_000);
    await call('DELETE', `${path}/secrets/${first?.id}`);
    await call('DELETE', `${path}/secrets/${first?.id}?force=true`);
    await call('GET', `${path}/secrets`);
    await call('GET', `${path}/events`);
    await call('POST', `${path}/compromised`);
    await serviceAccountRecords(server.database).update(id, {
      proof: {
        ...{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://bank.example/jwks' },
      },
    });
    await call('POST', `${path}/secrets`);
    await call('POST', `${path}/compromised`);
    await replaceAt(`${path}/secrets/${secretId}`);
    const stronger = await newCaller(server, [FULL]);
    const [secret] = await clientSecrets(server.database).list(stronger.id);
    await call('POST', `/service-accounts/${stronger.id}/secrets`);
    await replaceAt(`/service-accounts/${stronger.id}/secrets/${secret?.id}`);
  }
});
