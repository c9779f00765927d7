import { join } from 'node:path';
import { openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import type { Database } from '@cls/shared/sql/database';
import { makeStore } from '@cls/testing/embedded-template';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { runTool } from './support/tool.ts';

describe('cls-auth, changing and deleting what it has created', function () {
  this.timeout(300_000);
  let dataDir: string;
  let holder: Database;
  before(async () => {
    dataDir = join(temporaryDirectory('cls-tool-'), 'data');
    const directory = join(dataDir, 'auth-server', 'database');
    await makeStore(directory, MIGRATIONS);
    holder = await openEmbeddedDatabase(directory);
    await done('customers create india --name India');
  });
  after(() => holder.close());
  const run = (words: string) =>
    runTool([...words.split(' '), '--json'], { CLS_DATA_DIR: dataDir });
  const done = async (words: string) => {
    const { code, stdout, stderr } = await run(words);
    if (code !== 0) throw new Error(`${words}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const refused = async (words: string) => {
    const { code, stderr } = await run(words);
    return [code, stderr.trim()];
  };
  const use = (clientId: string) =>
    holder.query(
      `INSERT INTO audit_event (at, type, subject, client_id) VALUES (now(), 'token.issued', $1, $1)`,
      [clientId],
    );
  const listed = async (what: string, key: string, value: string) =>
    ((await done(`${what} list`)) as Record<string, unknown>[]).find((one) => one[key] === value);

  it('names who made a change, and shows when a service account got its last token', async () => {
    const words =
      'service-accounts create --name Reader --customer india --permission cls-deal.view';
    const env = { CLS_DATA_DIR: dataDir, CLS_ACTOR: 'Ann Lee' };
    const { stdout } = await runTool([...words.split(' '), '--json'], env);
    const { clientId } = JSON.parse(stdout);
    const [event] = await holder.query<{ actor: string }>(
      `SELECT actor FROM audit_event WHERE subject = $1 AND type = 'service_account.created'`,
      [clientId],
    );
    expect(event?.actor).to.match(/^Ann Lee \(.+@.+\)$/);
    const unused = await listed('service-accounts', 'clientId', clientId);
    expect(unused)
      .to.have.property('createdAt')
      .that.matches(/^\d{4}-\d\d-\d\dT/);
    expect(unused).not.to.have.any.keys('lastUsedAt', 'lastUsedFrom');
    await holder.query(
      `INSERT INTO token_use VALUES ($1, now(), '2026-02-03T04:05:06Z', '203.0.113.7')`,
      [clientId],
    );
    expect(await listed('service-accounts', 'clientId', clientId)).to.include({
      lastUsedAt: '2026-02-03T04:05:06.000Z',
      lastUsedFrom: '203.0.113.7',
    });
    expect((await refused(`service-accounts delete ${clientId}`))[0]).to.equal(1);
  });

  it('changes an application’s name, URIs and scopes, and leaves the rest as it is', async () => {
    const { clientId } = await done(
      'applications create --name Portal --redirect-uri https://a.example/cb --backchannel-logout-uri https://a.example/out',
    );
    const uris = ['https://b.example/cb', 'https://c.example/cb'];
    const changed = await done(
      `applications update ${clientId} --name Gate --redirect-uri ${uris.join(' ')}`,
    );
    expect(changed).to.deep.include({ name: 'Gate', redirectUris: uris });
    expect(changed.backchannelLogoutUri).to.equal('https://a.example/out');
    await done(`applications update ${clientId} --no-backchannel-logout-uri --scope openid`);
    expect(await listed('applications', 'clientId', clientId)).to.deep.include({
      ...{ name: 'Gate', redirectUris: uris, backchannelLogoutUri: null, scopes: ['openid'] },
    });
  });

  it('registers what people see of an application and whose it is, and takes each back', async () => {
    const portal = 'https://portal.example';
    const created = await done(
      `applications create --name Deals --redirect-uri ${portal}/cb --customer india` +
        ` --client-uri ${portal} --initiate-login-uri ${portal}/login --policy-uri ${portal}/privacy`,
    );
    const links = { client_uri: portal, initiate_login_uri: `${portal}/login` };
    expect(created).to.deep.include({
      customer: 'india',
      links: { ...links, policy_uri: `${portal}/privacy` },
    });
    const update = `applications update ${created.clientId}`;
    const changed = await done(`${update} --no-policy-uri --tos-uri ${portal}/terms --no-customer`);
    expect(changed).to.deep.include({
      customer: null,
      links: { ...links, tos_uri: `${portal}/terms` },
    });
    expect(await done(`${update} --name Dealings`)).to.deep.include({ links: changed.links });
    for (const [option, value] of [
      ['initiate-login-uri', 'http://localhost:3000/login'],
      ['client-uri', 'http://portal.example'],
      ['policy-uri', 'javascript:alert(1)'],
      ['tos-uri', '//portal.example'],
    ]) {
      const [code, says] = await refused(`${update} --${option} ${value}`);
      expect([code, says], value).to.deep.include(2);
      expect(says).to.include(`--${option}`).and.include('expected an https URI');
    }
    expect(await refused(`${update} --customer nobody`)).to.deep.include(1);
  });

  it('registers what needs no PKCE and what pages may call, says so in the list, and takes it back', async () => {
    const uri = '--redirect-uri https://a.example/cb';
    const old = await done(`applications create --name Wiki ${uri} --confidential --without-pkce`);
    const spa = await done(
      `applications create --name Page ${uri} --allow-origin https://a.example`,
    );
    expect(await listed('applications', 'clientId', old.clientId)).to.include({
      withoutPkce: true,
    });
    const { stdout } = await runTool(['applications', 'list'], { CLS_DATA_DIR: dataDir });
    expect(stdout).to.include('confidential, without PKCE').and.include('public https://a.example');
    const update = 'applications update';
    expect(await done(`${update} ${old.clientId} --no-without-pkce`)).to.include({
      withoutPkce: false,
    });
    expect(await done(`${update} ${spa.clientId} --no-allow-origin`)).to.deep.include({
      allowedOrigins: [],
    });
    for (const [words, says] of [
      [`applications create --name X ${uri} --without-pkce`, 'only for a confidential application'],
      [`${update} ${spa.clientId} --without-pkce`, 'only for a confidential application'],
      [
        `${update} ${old.clientId} --allow-origin https://a.example`,
        'only for a public application',
      ],
      [`${update} ${spa.clientId} --allow-origin https://a.example/`, 'an origin only'],
      [`${update} ${spa.clientId} --allow-origin http://a.example`, 'an https URI'],
    ] as const) {
      const [code, said] = await refused(words);
      expect(code, words).to.equal(2);
      expect(said).to.include(says);
    }
  });

  it('gives a person a name, changes it and takes it away', async () => {
    const made = await done(
      'accounts create named@india.example --customer india --permission cls-deal.view --name Asha --generate-password',
    );
    expect(made).to.include({ name: 'Asha' });
    const rename = 'accounts rename named@india.example';
    expect(await done(`${rename} --name Mina`)).to.include({ name: 'Mina' });
    expect(await listed('accounts', 'email', 'named@india.example')).to.include({ name: 'Mina' });
    expect(await done(`${rename} --no-name`)).to.include({ name: null });
    expect((await refused(rename))[0], 'nothing to change').to.equal(2);
  });

  it('checks a change of an application as it checks a new one', async () => {
    const { clientId } = await done(
      'applications create --name First --redirect-uri https://a.example/cb',
    );
    await done('applications create --name Second --redirect-uri https://a.example/cb');
    const update = `applications update ${clientId}`;
    expect(await refused(`${update} --name Second`)).to.deep.equal([
      1,
      'there is an application named Second already',
    ]);
    expect((await refused(`${update} --redirect-uri http://evil.example/cb`))[0]).to.equal(2);
    expect((await refused(`${update} --scope everything`))[1]).to.include('unknown: everything');
    expect((await refused(update))[0], 'nothing to change').to.equal(2);
    expect((await refused('applications update app_x --name Y'))[0]).to.equal(1);
  });

  it('registers an application for the scopes that are named, and for few without', async () => {
    const { clientId } = await done('applications create --name Few --device');
    expect((await listed('applications', 'clientId', clientId))?.['scopes']).to.deep.equal([
      ...['openid', 'email', 'profile', 'offline_access', 'cls-deal.view'],
    ]);
    const { scopes } = await done('applications create --name All --device --scope email openid');
    expect(scopes).to.deep.equal(['openid', 'email']);
  });

  it('changes a service account’s permissions and name', async () => {
    const create = 'service-accounts create --customer india --permission cls-deal.view';
    const { clientId } = await done(`${create} --name Ledger`);
    const update = `service-accounts update ${clientId}`;
    const change = await done(`${update} --permission cls-accounts.manage --name HR`);
    const expected = { clientId, name: 'HR', permissions: ['cls-accounts.manage'] };
    expect(change).to.deep.include(expected);
    expect(await listed('service-accounts', 'clientId', clientId)).to.deep.include(expected);
    expect((await refused(`${update} --permission nothing`))[0]).to.equal(2);
    expect((await refused(update))[0]).to.equal(2);
  });

  it('renames a customer', async () => {
    await done('customers rename india --name Bharat');
    expect(await listed('customers', 'id', 'india')).to.include({ name: 'Bharat' });
    expect((await refused('customers rename nobody --name X'))[0]).to.equal(1);
  });

  it('deletes clients that never got a token, and no others', async () => {
    const service = 'service-accounts create --customer india --permission cls-deal.view --name';
    for (const [what, create] of [
      ['service-accounts', service],
      [
        'applications',
        'applications create --confidential --redirect-uri https://a.example/cb --name',
      ],
    ] as const) {
      const { clientId: unused } = await done(`${create} Unused`);
      const { clientId: used } = await done(`${create} Used`);
      await use(used);
      expect(await done(`${what} delete ${unused}`)).to.include({ deleted: true });
      expect(await listed(what, 'clientId', unused)).to.equal(undefined);
      const [code, says] = await refused(`${what} delete ${used}`);
      expect([code, String(says)]).to.deep.equal([
        1,
        `${used} has been used, and records refer to it: disable it instead`,
      ]);
      expect(await listed(what, 'clientId', used)).to.not.equal(undefined);
    }
  });

  it('says of a secret in use what to do where it leaked, by a command that takes its client', async () => {
    const service = 'service-accounts create --customer india --permission cls-deal.view --name';
    const application =
      'applications create --confidential --redirect-uri https://a.example/cb --name';
    for (const [create, todo] of [
      [service, (id: string) => `service-accounts compromised ${id}`],
      [application, (id: string) => `secrets replace ${id}, then applications disable and enable`],
    ] as const) {
      const { clientId } = await done(`${create} Leaky`);
      const [{ secretId }] = await done(`secrets list --client ${clientId}`);
      await holder.query(`INSERT INTO token_use VALUES ($1, now(), now(), '203.0.113.7')`, [
        secretId,
      ]);
      const [code, says] = await refused(`secrets revoke ${secretId}`);
      expect(code).to.equal(1);
      expect(says).to.include(`if it leaked: cls-auth ${todo(clientId)}`);
    }
  });

  it('deletes no client that is older than what the audit remembers', async () => {
    const { clientId } = await done('applications create --name Old --device');
    await holder.query(`UPDATE application SET created_at = now() - interval '401 days'
      WHERE id = '${clientId}'`);
    expect((await refused(`applications delete ${clientId}`))[1]).to.include(
      'older than the audit',
    );
  });

  it('deletes an account that was only invited, and none in which somebody signed in', async () => {
    const who = '--customer india --permission cls-deal.view';
    await done(`accounts invite typo@india.example ${who}`);
    await done('accounts delete typo@india.example');
    expect(await listed('accounts', 'email', 'typo@india.example')).to.equal(undefined);
    const { id } = await done(`accounts create asha@india.example ${who} --generate-password`);
    await holder.query('UPDATE account SET first_signed_in_at = now() WHERE id = $1', [id]);
    await holder.query(
      `INSERT INTO account_link VALUES ($1, 'password_reset', 'sent', now() + interval '1 hour')`,
      [id],
    );
    expect((await refused('accounts delete asha@india.example'))[0]).to.equal(1);
    const links = await holder.query('SELECT FROM account_link WHERE account_id = $1', [id]);
    expect(links, 'a link that was sent').to.have.length(1);
  });

  it('deletes a customer that has nobody, and no other', async () => {
    await done('customers create typo --name Typo');
    await done('customers delete typo');
    expect(await listed('customers', 'id', 'typo')).to.equal(undefined);
    expect((await refused('customers delete india'))[1]).to.include('has been used');
  });

  it('shows in every list what is active', async () => {
    for (const what of ['customers', 'service-accounts', 'applications']) {
      const { stdout } = await runTool([what, 'list'], { CLS_DATA_DIR: dataDir });
      const rows = stdout.trim().split('\n').slice(1);
      expect(rows).to.not.have.length(0);
      for (const row of rows) expect(row).to.match(/ active$/);
    }
    const { stdout } = await runTool(['accounts', 'list'], { CLS_DATA_DIR: dataDir });
    expect(stdout).to.match(/asha@india\.example .* active$/m);
  });
});
