import { describeOnDatabase, requireServer } from '@cls/testing/engines';
import { eventually, type RedisServer, startRedis } from '@cls/testing/servers';
import { expect } from 'chai';
import { argon2Verifier } from '../src/accounts/password.ts';
import { sqlSessionStore } from '../src/sessions/sql-session-store.ts';
import { adminClient, adminToken, newCaller } from './support/administrator.ts';
import { createPerson } from './support/auth-server.ts';
import { type ToolWorld, toolWorld } from './support/tool-world.ts';

describeOnDatabase('An operator while Redis is down', (engine) => {
  let redis: RedisServer;
  let world: ToolWorld;
  let people = 0;
  let token: string;
  before(async function () {
    const started = await startRedis();
    requireServer(this, 'redis-server', started);
    redis = started;
    world = await toolWorld(engine, { REDIS_URL: redis.url });
    token = await adminToken(world.server, await newCaller(world.server));
    redis.process.kill('SIGKILL');
  });
  after(() => world?.stop());

  const run = (words: string) => world.run(words, { REDIS_URL: redis.url });
  /** The same once Redis has come back: a new one, as what is signed in is of no matter here. */
  const runAgain = async (words: string) => {
    const again = await startRedis();
    const { code, stderr } = await world.run(words, { REDIS_URL: again?.url ?? '' });
    again?.process.kill();
    expect(code, stderr).to.equal(0);
  };
  const person = async () => {
    people += 1;
    const email = `person-${people}@india.example`;
    return { email, id: await createPerson(world.server.database, email) };
  };
  const signedIn = (accountId: string) =>
    sqlSessionStore(world.server.database).recordSession({
      ...{ uid: `uid of ${accountId}`, accountId, device: {} },
    });
  const eventsOf = async (subject: string) => {
    const rows = await world.owner.query<{ type: string }>(
      'SELECT type FROM audit_event WHERE subject = $1 ORDER BY id',
      [subject],
    );
    return rows.map(({ type }) => type);
  };
  const application = async (name: string) => {
    const create = 'applications create --redirect-uri https://x.example/ --name';
    return (await world.done(`${create} ${name}`)).clientId as string;
  };

  it('gets 503 from the administrators’ API, whose change is recorded', async () => {
    const { id } = await person();
    const answer = await adminClient(world.server, token)('POST', `/accounts/${id}/disable`);
    expect(answer.status).to.equal(503);
    await eventually(async () => expect(await eventsOf(id)).to.deep.equal(['account.disabled']));
  });

  it('disables an account, records it, says what is left, and finishes when asked again', async () => {
    const { id, email } = await person();
    const { code, stderr } = await run(`accounts disable ${email}`);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^changed, and in the audit \(account\.disabled\), but sessions could/);
    expect(stderr).to.include('REDIS_URL: Redis cannot be reached');
    expect(stderr).to.include('run the command again');
    expect(stderr).to.include('what is disabled is refused in the meantime');
    expect(await eventsOf(id)).to.deep.equal(['account.disabled']);
    await runAgain(`accounts disable ${email}`);
    expect(await eventsOf(id)).to.deep.equal(['account.disabled', 'account.disabled']);
  });

  it('shows a generated password that was set, and records it', async () => {
    const { id, email } = await person();
    const words = `accounts replace-password ${email} --generate-password --json`;
    const { code, stdout, stderr } = await run(words);
    expect(code).to.equal(1);
    const { password } = JSON.parse(stdout);
    expect(stderr).to.include('sessions that are open stay valid until then');
    expect(await eventsOf(id)).to.deep.equal(['account.password_replaced']);
    const [row] = await world.owner.query<{ hash: string }>(
      'SELECT password_hash AS hash FROM account WHERE id = $1',
      [id],
    );
    expect(await (await argon2Verifier(1, 1)).verify(password, row?.hash)).to.equal(true);
    await runAgain(words);
  });

  it('records that second factors were reset', async () => {
    const { id, email } = await person();
    const { code, stderr } = await run(`accounts reset-factors ${email}`);
    expect(code, stderr).to.equal(1);
    expect(stderr).to.include('(account.factors_reset)');
    expect(await eventsOf(id)).to.deep.equal(['account.factors_reset']);
    await runAgain(`accounts reset-factors ${email}`);
  });

  it('enables an account that has no session on record, and not one that has', async () => {
    const [one, other] = [await person(), await person()];
    await run(`accounts disable ${one.email}`);
    await run(`accounts disable ${other.email}`);
    await signedIn(other.id);
    const enabled = await run(`accounts enable ${one.email}`);
    expect(enabled.code, enabled.stderr).to.equal(0);
    expect(await eventsOf(one.id)).to.deep.equal(['account.disabled', 'account.enabled']);
    const { code, stderr } = await run(`accounts enable ${other.email}`);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^sessions could not be ended: REDIS_URL/);
    expect(await eventsOf(other.id)).to.deep.equal(['account.disabled']);
    await runAgain(`accounts enable ${other.email}`);
    expect(await eventsOf(other.id)).to.deep.equal(['account.disabled', 'account.enabled']);
  });

  it('disables and enables an application and a customer, with an event of each', async () => {
    const clientId = await application('Portal');
    expect((await run(`applications disable ${clientId}`)).code, 'nobody uses it').to.equal(0);
    expect((await run(`applications enable ${clientId}`)).code).to.equal(0);
    await sqlSessionStore(world.server.database).recordGrant({
      ...{ id: 'grant', accountId: (await person()).id, applicationId: clientId },
      ...{ sessionUid: 'uid', sid: 'sid', scopes: ['openid'], survivesSignOut: true },
    });
    const { code, stderr } = await run(`applications disable ${clientId}`);
    expect([code, stderr.includes('(application.disabled)')]).to.deep.equal([1, true]);
    const types = ['application.disabled', 'application.enabled', 'application.disabled'];
    expect((await eventsOf(clientId)).slice(1)).to.deep.equal(types);
    await runAgain(`applications enable ${clientId}`);

    const customer = await run('customers disable india');
    expect(customer.code).to.equal(1);
    expect(customer.stderr).to.include('(customer.disabled)');
    expect(await eventsOf('india')).to.deep.equal(['customer.disabled']);
    await runAgain('customers enable india');
  });

  it('erases nobody, and leaves the account as it is', async () => {
    const { id, email } = await person();
    const { code, stderr } = await run(`accounts erase ${email} --apply`);
    expect([code, stderr.includes('sessions could not be ended')]).to.deep.equal([1, true]);
    const accounts = (await world.done('accounts list')) as { id: string; disabled: boolean }[];
    expect(accounts.find((one) => one.id === id)?.disabled).to.equal(false);
  });
});
