import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { startWebhookReceiver, type WebhookReceiver } from '@cls/testing/webhook-receiver';
import { expect } from 'chai';
import type { NoticeDocument } from '../src/notices/customer-notice.ts';
import { basic } from './support/auth-server.ts';
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

  it('refuses what is no service account, and an address that is not https', async () => {
    const unknown = await world.run('service-accounts compromised svc_00000000000000000000000000');
    expect([unknown.code, unknown.stderr]).to.have.property('0', 1);
    expect(unknown.stderr).to.include('there is no service account');
    const { id } = world.server.client;
    const plain = await world.run(`service-accounts compromised ${id} --found-at http://x.example`);
    expect(plain.code).to.equal(2);
  });
});
