import { type Log, silentLog } from '@cls/shared/log';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import type { Release } from '../../src/lifecycle/release.ts';
import type { SendNotice } from '../../src/notices/deliver-notices.ts';
import { sqlNoticeContacts } from '../../src/notices/sql-notice-contacts.ts';
import { sqlNotices } from '../../src/notices/sql-notices.ts';
import type { UsageCount } from '../../src/usage/version-usage.ts';
import { testClock } from '../versions/support.ts';
import { ENDING } from '../versions/v2/index.ts';
import {
  type MailServer,
  startMailServer,
  startWebhookReceiver,
  type WebhookReceiver,
} from './receivers.ts';
import { addContact, replica, usageOf, use } from './world.ts';

const START = '2028-10-20T00:00:00Z';

describeOnDatabase('the outbox of notices', (engine) => {
  let mail: MailServer;
  let receiver: WebhookReceiver;
  let database: Database;
  let counts: UsageCount[];
  let usage: ReturnType<typeof usageOf>;
  let opened: ReturnType<typeof replica>[];
  const clock = testClock(START);
  before(async () => {
    mail = await startMailServer();
    receiver = await startWebhookReceiver(clock.now);
  });
  after(async () => {
    mail?.stop();
    await receiver?.stop();
  });
  beforeEach(async () => {
    clock.set(START);
    await mail.answer('accept');
    mail.received.length = 0;
    receiver.received.length = 0;
    receiver.answer = () => 204;
    database = await engine.open(MIGRATIONS);
    counts = [use('bank', 'v1', 'GET /cls/balances', '2028-10-19')];
    usage = usageOf(counts);
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await database.close();
  });

  const common = () => ({ database, clock, usage, mail, receiver });
  const open = (more: Partial<Parameters<typeof replica>[0]> = {}) => {
    const made = replica({ ...common(), ...more });
    opened.push(made);
    return made;
  };
  const states = async () =>
    (await sqlNotices(database).list({})).map(({ stage, channel, state }) => [
      stage,
      channel,
      state,
    ]);
  const subjects = () => mail.received.map(({ subject }) => subject.split(':')[0]);

  it('sends each notice once, from two replicas that work at the same time', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `bank-${index}`);
    for (const name of names) {
      counts.push(use(name, 'v1', 'GET /cls/balances', '2028-10-19'));
      await addContact(common(), name, 'webhook');
    }
    const replicas = [open(), open(), open()];
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(replicas.map(({ notices }) => notices()));
    }
    expect(receiver.received.map(({ path }) => path.slice(1)).sort()).to.deep.equal(
      [...names].sort(),
    );
    expect((await states()).filter(([, , state]) => state !== 'delivered')).to.deep.equal([]);
  });

  it('is filled at once when a stage begins, for a new contact, and within an hour for a new caller', async () => {
    await addContact(common(), 'bank', 'email');
    const { notices } = open();
    clock.set('2028-10-31T23:59:30Z');
    await notices();
    clock.set('2028-11-01T00:00:00Z');
    await notices();
    expect((await states()).map(([stage]) => stage)).to.deep.equal(['90 days', '30 days']);
    await addContact(common(), 'fund', 'email');
    await addContact(common(), 'bank', 'webhook');
    await notices();
    expect(receiver.received.map(({ path }) => path)).to.deep.equal(['/bank']);
    counts.push(use('fund', 'v1', 'GET /cls/balances', '2028-11-01'));
    clock.set('2028-11-01T00:59:59Z');
    await notices();
    expect(mail.received).to.have.length(2);
    clock.set('2028-11-01T01:00:00Z');
    await notices();
    expect(mail.received.map(({ to }) => to).at(-1)).to.equal('api@fund.example');
  });

  it('sends the newest of the stages that were missed, and no other', async () => {
    await addContact(common(), 'bank', 'email');
    await mail.answer('later');
    const { notices } = open();
    await notices();
    expect(await states()).to.deep.equal([['90 days', 'email', 'pending']]);
    clock.set('2028-11-25T00:00:00Z');
    await mail.answer('accept');
    await notices();
    expect(await states()).to.deep.equal([
      ['90 days', 'email', 'replaced'],
      ['7 days', 'email', 'delivered'],
    ]);
    expect(mail.received).to.have.length(1);
  });

  it('sends again what a process sent before it ended: after its lease, the same bytes', async () => {
    await addContact(common(), 'bank', 'webhook');
    const ending =
      (send: SendNotice): SendNotice =>
      async (notice, now) => {
        await send(notice, now);
        throw new Error('the process ended');
      };
    await open({ through: ending })
      .notices()
      .catch(() => undefined);
    expect(await states()).to.deep.equal([['90 days', 'webhook', 'sending']]);
    const { notices } = open();
    clock.set('2028-10-20T00:04:59Z');
    await notices();
    expect(receiver.received).to.have.length(1);
    clock.set('2028-10-20T00:05:00Z');
    await notices();
    const [first, second] = receiver.received;
    expect([second?.id, second?.body]).to.deep.equal([first?.id, first?.body]);
    expect(await states()).to.deep.equal([['90 days', 'webhook', 'delivered']]);
  });

  it('keeps a delivery that is written down after the lease has ended', async () => {
    await addContact(common(), 'bank', 'email');
    const [planner, late] = [
      open({ through: () => async () => ({ outcome: 'later', answer: 'x' }) }),
      open(),
    ];
    await planner.notices();
    const due = (await sqlNotices(database).list({}))[0];
    const { outbox, deps } = late;
    clock.set('2028-10-20T01:00:00Z');
    const claim = (id: string) =>
      outbox.claim(
        [{ ...due, from: ENDING[0], to: ENDING[1], asked: 'v1', changes: [] } as never],
        { id, until: new Date(deps.clock.now().getTime() + 300_000) },
        deps.clock.now(),
      );
    const notice = await claim('first');
    clock.set('2028-10-20T02:00:00Z');
    expect((await claim('second'))?.id).to.equal(notice?.id);
    const id = notice?.id ?? '';
    await outbox.record(id, 'first', { outcome: 'failed', answer: 'no' }, clock.now());
    expect((await states())[0]?.[2]).to.equal('sending');
    await outbox.record(id, 'first', { outcome: 'delivered', answer: '250' }, clock.now());
    await outbox.record(id, 'second', { outcome: 'failed', answer: 'no' }, clock.now());
    expect((await states())[0]?.[2]).to.equal('delivered');
  });

  it('sends nothing to a contact that was removed, until it is set again', async () => {
    const target = await addContact(common(), 'bank', 'email');
    await mail.answer('later');
    const { notices } = open();
    await notices();
    await mail.answer('accept');
    const contact = { customer: 'bank', channel: 'email', target } as const;
    await sqlNoticeContacts(database).remove(contact);
    clock.set('2028-10-21T00:00:00Z');
    await notices();
    expect(mail.received).to.deep.equal([]);
    await addContact(common(), 'bank', 'email');
    await notices();
    expect(await states()).to.deep.equal([['90 days', 'email', 'delivered']]);
  });

  it('sends what waits while the use of versions cannot be counted', async () => {
    await addContact(common(), 'bank', 'email');
    await mail.answer('later');
    const { notices } = open();
    await notices();
    await mail.answer('accept');
    usage.gone = true;
    clock.set('2028-10-21T00:00:00Z');
    expect(await notices().catch(String)).to.equal('Error: the store does not answer');
    expect(mail.received).to.have.length(1);
  });

  it('announces another date anew', async () => {
    await addContact(common(), 'bank', 'email');
    await open().notices();
    const [v1, v2] = ENDING as readonly [Release, Release];
    await open({ releases: [{ ...v1, retiresAt: '2029-03-01T00:00:00Z' }, v2] }).notices();
    expect(subjects()).to.deep.equal([
      'API v1 retires on 2028-12-01',
      'API v1 retires on 2029-03-01',
    ]);
  });

  it('says once which customers have no contact', async () => {
    const told: object[] = [];
    const log: Log = { ...silentLog, warn: (fields) => void told.push(fields) };
    const { notices } = open({ log });
    await notices();
    clock.set('2028-10-20T01:00:00Z');
    await notices();
    expect(told).to.deep.equal([{ customers: ['bank'] }]);
  });

  it('names neither address nor secret in the log', async () => {
    const told: string[] = [];
    const keep = (fields: object, message: string) =>
      void told.push(JSON.stringify({ ...fields, message }));
    const log: Log = { ...silentLog, info: keep, warn: keep, error: keep };
    await addContact(common(), 'bank', 'webhook');
    await addContact(common(), 'bank', 'email');
    receiver.answer = () => 500;
    await open({ log }).notices();
    expect(told).to.have.length(2);
    expect(told.join())
      .to.include('HTTP 500')
      .and.not.match(/whsec|127\.0\.0\.1|@bank/);
  });
});
