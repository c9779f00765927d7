import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { startWebhookReceiver, type WebhookReceiver } from '@cls/testing/webhook-receiver';
import { expect } from 'chai';
import type { AuditEvent } from '../src/audit/audit-log.ts';
import { sqlCompromisedClients } from '../src/clients/sql-compromised-clients.ts';
import { answerLeak } from '../src/leaks/answer-leak.ts';
import type { NoticeDocument } from '../src/notices/customer-notice.ts';
import { queueNotice } from '../src/notices/sql-customer-notices.ts';
import { sqlSecurityContacts } from '../src/notices/sql-security-contacts.ts';
import { sqlCustomers } from '../src/organisations/sql-customers.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { basic, KEY, VIEW } from './support/auth-server.ts';
import { clientSecrets, serviceAccountRecords } from './support/client-records.ts';
import { setWebhook } from './support/security-contacts.ts';
import { type ToolWorld, toolWorld } from './support/tool-world.ts';

describeOnDatabase('cls-auth service-accounts compromised', (engine) => {
  let world: ToolWorld;
  let receiver: WebhookReceiver<NoticeDocument>;
  before(async () => {
    receiver = await startWebhookReceiver<NoticeDocument>(() => new Date());
    world = await toolWorld(engine, { WEBHOOKS_TO_LOOPBACK: '1' });
  });
  after(async () => {
    await world?.stop();
    await receiver?.stop();
  });
  const status = async (id: string, secret: string) =>
    (await world.server.post('grant_type=client_credentials', basic(id, secret))).status;
  const secretsOf = async (client: string) =>
    (await world.done(`secrets list --client ${client}`)) as { secretId: string; status: string }[];

  it('ends every secret at once, and shows a new one', async () => {
    const { id, secret } = world.server.client;
    const second = await world.done(`secrets create ${id} --name second`);
    expect([await status(id, secret), await status(id, second.clientSecret)]).to.deep.equal([
      ...[200, 200],
    ]);
    const before = (await secretsOf(id)).map(({ secretId }) => secretId);
    const done = await world.done(`service-accounts compromised ${id}`);
    expect(done.endedSecretIds).to.have.members(before);
    await eventually(async () => {
      expect([await status(id, secret), await status(id, second.clientSecret)]).to.deep.equal([
        ...[401, 401],
      ]);
    });
    expect(await status(id, done.clientSecret)).to.equal(200);
    const live = (await secretsOf(id)).filter((one) => one.status === 'live');
    expect(live.map(({ secretId }) => secretId)).to.deep.equal([done.secretId]);
  });

  it('says that nobody is told where the customer has no security contact', async () => {
    const { stdout } = await world.run(`service-accounts compromised ${world.server.client.id}`);
    expect(stdout).to.include('india has no security contact: tell it yourself');
  });

  it('tells the customer within seconds, without a secret', async () => {
    await setWebhook(world.server.database, 'india', receiver);
    const { id } = world.server.client;
    const at = 'https://git.example/india/ledger/blob/main/.env';
    const done = await world.done(`service-accounts compromised ${id} --found-at ${at}`);
    expect(done.notified).to.deep.equal(['webhook']);
    const { document, body } = await eventually(async () => {
      const [first] = receiver.received;
      if (first === undefined) throw new Error('nobody was told');
      return first;
    });
    expect(document.data).to.deep.include({
      ...{ customer: 'india', serviceAccount: id, name: 'Test integration', foundAt: at },
      ...{ secretIds: done.endedSecretIds, newSecretId: done.secretId, reportedBy: 'operator' },
    });
    expect(body).not.to.include(done.clientSecret);
  });

  it('is in the audit, with the secrets that ended', async () => {
    const rows = await world.owner.query<{ about: string; reason: string }>(
      `SELECT about, reason FROM audit_event WHERE type = 'service_account.compromised' ORDER BY id`,
    );
    expect(rows).to.have.length(3);
    expect(rows[0]?.about).to.match(/^sec_\w+ sec_\w+$/);
    expect(rows[0]?.reason).to.equal('operator');
  });

  it('says what to do for a service account that proves itself by a key', async () => {
    const { clientId } = await world.done(
      'service-accounts create --name Keyed --customer india --permission cls-deal.view --auth-method private_key_jwt --jwks-uri https://keys.bank.example/',
    );
    const { code, stderr } = await world.run(`service-accounts compromised ${clientId}`);
    expect(code).to.equal(1);
    expect(stderr).to.include('register another').and.include('revokes its tokens');
  });

  it('refuses what is no service account, and an address that is not https', async () => {
    const unknown = await world.run('service-accounts compromised svc_00000000000000000000000000');
    expect([unknown.code, unknown.stderr]).to.have.property('0', 1);
    expect(unknown.stderr).to.include('there is no service account');
    const { id } = world.server.client;
    const plain = await world.run(`service-accounts compromised ${id} --found-at http://x.example`);
    expect(plain.code).to.equal(2);
  });
});

describeOnDatabase('a leak that several report at once', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    await sqlCustomers(database).create('bank', 'Bank', false);
    const contacts = sqlSecurityContacts(database, aesGcmSealer(new Secret(KEY)));
    await contacts.change('bank', { email: 'security@bank.example' });
  });
  after(() => database?.close());

  it('is answered once, and the customer is told once', async () => {
    const secrets = clientSecrets(database);
    const events: AuditEvent[] = [];
    const answer = answerLeak({
      compromisedClients: sqlCompromisedClients(database, secrets.add),
      queueNotice,
      audit: { record: (event) => events.push(event) },
      clock: { now: () => new Date() },
    });
    for (let round = 0; round < 10; round += 1) {
      const account = { name: `Ledger ${round}`, customer: 'bank', permissions: [VIEW] as const };
      const { id } = await serviceAccountRecords(database).create(account);
      const [{ id: secretId } = { id: '' }] = await secrets.list(id);
      const report = { secretId, reportedBy: 'secret_scanning', newSecret: false } as const;
      const answers = await Promise.all(Array.from({ length: 6 }, () => answer(id, report)));
      const [done, ...more] = answers.filter((one) => one !== undefined);
      expect(done?.endedSecretIds).to.deep.equal([secretId]);
      expect(done?.notified).to.deep.equal(['email']);
      expect(more).to.deep.equal([]);
    }
    expect(events).to.have.length(10);
    expect(await database.query('SELECT FROM customer_notice')).to.have.length(10);
  });

  it('leaves the service account as it was where the notice cannot be kept', async () => {
    const secrets = clientSecrets(database);
    const answer = answerLeak({
      compromisedClients: sqlCompromisedClients(database, secrets.add),
      queueNotice: () => Promise.reject(new Error('the outbox is gone')),
      audit: { record: () => expect.fail('nothing happened') },
      clock: { now: () => new Date() },
    });
    const account = { name: 'Kept', customer: 'bank', permissions: [VIEW] as const };
    const { id } = await serviceAccountRecords(database).create(account);
    const failed = await answer(id, { reportedBy: 'operator', newSecret: true }).catch(String);
    expect(failed).to.include('the outbox is gone');
    expect((await secrets.list(id)).map(({ live }) => live)).to.deep.equal([true]);
  });
});
