import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@cls/shared/log';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import type { SendResult } from '@cls/shared/send-attempt';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually, temporaryDirectory } from '@cls/testing/servers';
import { startWebhookReceiver, type WebhookReceiver } from '@cls/testing/webhook-receiver';
import { expect } from 'chai';
import type { AuditEvent } from '../src/audit/audit-log.ts';
import type {
  ClaimedNotice,
  NoticeDocument,
  SecretCompromised,
} from '../src/notices/customer-notice.ts';
import { deliverNotices, type NoticeDeliveryDeps } from '../src/notices/deliver-notices.ts';
import {
  queueNotice,
  sqlCustomerNotices,
  sweepCustomerNotices,
} from '../src/notices/sql-customer-notices.ts';
import { sqlSecurityContacts } from '../src/notices/sql-security-contacts.ts';
import { sqlCustomers } from '../src/organisations/sql-customers.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { KEY, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { setWebhook } from './support/security-contacts.ts';

const NOTICE: SecretCompromised = {
  serviceAccount: 'svc_01J9ZQ5W1XG8K7N4T2M6P3R0SV',
  name: 'Ledger',
  secretIds: ['sec_1', 'sec_2'],
  newSecretId: 'sec_3',
  tokensRevokedBefore: '2026-01-01T00:00:00.000Z',
  reportedBy: 'operator',
};
const SEALER = aesGcmSealer(new Secret(KEY));

const queue = (database: Database, customer: string, now: Date) =>
  database.transaction((transaction) =>
    queueNotice(transaction, customer, 'secret.compromised', NOTICE, now),
  );

describeOnDatabase('a notice to a customer', (engine) => {
  let server: TestAuthServer;
  let receiver: WebhookReceiver<NoticeDocument>;
  const outbox = join(temporaryDirectory('cls-outbox-'), 'outbox');
  before(async () => {
    receiver = await startWebhookReceiver<NoticeDocument>(() => new Date());
    const settings = { MAIL_OUTBOX: outbox, WEBHOOKS_TO_LOOPBACK: '1' };
    server = await startTestAuthServer(engine, settings);
    const email = 'security@india.example';
    await setWebhook(server.database, 'india', receiver, { email, locale: 'de' });
  });
  after(async () => {
    await server?.stop();
    await receiver?.stop();
  });
  const mails = () =>
    (existsSync(outbox) ? readdirSync(outbox) : [])
      .filter((name) => name.endsWith('.txt'))
      .map((name) => readFileSync(join(outbox, name), 'utf8'));

  it('is not sent where what it tells did not happen', async () => {
    const failed = server.database.transaction(async (transaction) => {
      await queueNotice(transaction, 'india', 'secret.compromised', NOTICE, new Date());
      throw new Error('the rest failed');
    });
    await failed.catch(() => undefined);
    expect(await sqlCustomerNotices(server.database).waiting()).to.equal(0);
  });

  it('arrives by a signed webhook and by e-mail, which say the same', async () => {
    const ways = await queue(server.database, 'india', new Date());
    expect(ways).to.deep.equal(['email', 'webhook']);
    const mail = await eventually(async () => {
      const [first] = mails();
      if (first === undefined || receiver.received.length === 0) throw new Error('not yet');
      return first;
    });
    expect(receiver.forged).to.deep.equal([]);
    const [webhook] = receiver.received;
    expect(webhook?.document).to.deep.include({
      type: 'secret.compromised',
      data: { format: 1, customer: 'india', ...NOTICE },
    });
    expect(mail).to.include('To: security@india.example');
    expect(mail).to.include('Ein Secret von „Ledger“ wurde bekannt und ist beendet');
    for (const told of [...NOTICE.secretIds, NOTICE.newSecretId, webhook?.id ?? '']) {
      expect(mail).to.include(told);
    }
  });

  it('is recorded once for each way, and sent once', async () => {
    const rows = await eventually(async () => {
      const found = await server.database.query<{ about: string }>(
        `SELECT about FROM audit_event WHERE type = 'customer.notified' AND subject = 'india'`,
      );
      if (found.length < 2) throw new Error('not yet');
      return found;
    });
    const id = receiver.received[0]?.id;
    expect(rows.map(({ about }) => about).sort()).to.deep.equal([`${id} email`, `${id} webhook`]);
    expect([mails().length, receiver.received.length]).to.deep.equal([1, 1]);
  });
});

describeOnDatabase('the outbox of notices to customers', (engine) => {
  let database: Database;
  let now = new Date();
  let audited: AuditEvent[] = [];
  let lost = 0;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    await sqlCustomers(database).create('bank', 'Bank', false);
    await sqlCustomers(database).create('silent', 'Silent', false);
  });
  beforeEach(async () => {
    await database.query('DELETE FROM customer_notice');
    await contacts().change('bank', { email: 'security@bank.example' });
    audited = [];
    lost = 0;
    now = new Date(Date.now() + 60_000);
  });
  after(() => database?.close());

  const contacts = () => sqlSecurityContacts(database, SEALER);
  const deps = (email: (notice: ClaimedNotice) => Promise<SendResult>): NoticeDeliveryDeps => ({
    outbox: sqlCustomerNotices(database),
    send: { email, webhook: email },
    audit: { recordSafely: async (event) => void audited.push(event) },
    clock: { now: () => now },
    log: silentLog,
    onLost: () => {
      lost += 1;
    },
    random: () => 0,
  });
  const states = () =>
    database.query(
      'SELECT state, attempts, answer FROM customer_notice ORDER BY created_at, id, channel',
    );

  it('has nothing for a customer without a security contact', async () => {
    expect(await queue(database, 'silent', now)).to.deep.equal([]);
    expect(await states()).to.deep.equal([]);
  });

  it('is tried again for three days, then given up, and the operator is told', async () => {
    await queue(database, 'bank', now);
    const begun = now.getTime();
    const failing = deps(async () => ({ outcome: 'later', answer: 'HTTP 503' }));
    for (let n = 0; n < 30 && lost === 0; n += 1) {
      await deliverNotices(failing);
      const [row] = await database.query<{ dueMs: number }>(
        'SELECT (extract(epoch FROM due_at) * 1000)::float8 AS "dueMs" FROM customer_notice',
      );
      now = new Date(row?.dueMs ?? 0);
    }
    expect(await states()).to.deep.equal([{ state: 'failed', attempts: 20, answer: 'HTTP 503' }]);
    expect((now.getTime() - begun) / 86_400_000).to.be.within(2.5, 3.5);
    expect(lost).to.equal(1);
    expect(audited.map(({ type }) => type)).to.deep.equal(['customer.notice_given_up']);
  });

  it('goes to the address that the customer has when it is sent', async () => {
    await queue(database, 'bank', now);
    await contacts().change('bank', { email: 'new@bank.example' });
    const targets: string[] = [];
    await deliverNotices(
      deps(async ({ target }) => {
        targets.push(target);
        return { outcome: 'delivered', answer: '250 OK' };
      }),
    );
    expect(targets).to.deep.equal(['new@bank.example']);
  });

  it('is given up where the contact was removed meanwhile', async () => {
    await queue(database, 'bank', now);
    await contacts().change('bank', { email: null });
    await deliverNotices(deps(() => Promise.reject(new Error('nobody to send to'))));
    expect(await states()).to.deep.equal([
      { state: 'failed', attempts: 1, answer: 'the contact was removed' },
    ]);
  });

  it('is sent once, however many replicas look', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1) await queue(database, 'bank', now);
    const replica = deps(async ({ id }) => {
      ids.push(id);
      await new Promise((resolve) => setImmediate(resolve));
      return { outcome: 'delivered', answer: '250 OK' };
    });
    await Promise.all(Array.from({ length: 4 }, () => deliverNotices(replica)));
    expect(ids).to.have.length(30);
    expect(new Set(ids).size).to.equal(30);
  });

  it('is sent again, as the same notice, where a replica died while it sent', async () => {
    await queue(database, 'bank', now);
    const [claimed] = await sqlCustomerNotices(database).claim(1, 300, now);
    const ids: string[] = [];
    const other = deps(async ({ id }) => {
      ids.push(id);
      return { outcome: 'delivered', answer: '250 OK' };
    });
    await deliverNotices(other);
    expect(ids).to.deep.equal([]);
    now = new Date(now.getTime() + 301_000);
    await deliverNotices(other);
    expect(ids).to.deep.equal([claimed?.id]);
  });

  it('forgets what ended long ago, and nothing that waits', async () => {
    await queue(database, 'bank', now);
    await deliverNotices(deps(async () => ({ outcome: 'delivered', answer: '250 OK' })));
    await queue(database, 'bank', now);
    await database.query(`UPDATE customer_notice SET ended_at = ended_at - interval '401 days'`);
    await sweepCustomerNotices(database, 400);
    expect(await states()).to.deep.equal([{ state: 'pending', attempts: 0, answer: null }]);
  });
});
