import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { sqlRetirements } from '../../src/notices/sql-retirements.ts';
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

const RETIRES = '2028-12-01T00:00:00Z';

describeOnDatabase('the retirement of a version', (engine) => {
  let mail: MailServer;
  let receiver: WebhookReceiver;
  let database: Database;
  let counts: UsageCount[];
  let usage: ReturnType<typeof usageOf>;
  let replicas: ReturnType<typeof replica>[];
  const clock = testClock('2028-11-01T00:00:00Z');
  before(async () => {
    mail = await startMailServer();
    receiver = await startWebhookReceiver(clock.now);
  });
  after(async () => {
    mail?.stop();
    await receiver?.stop();
  });
  const common = () => ({ database, clock, usage, mail, receiver });
  beforeEach(async () => {
    clock.set('2028-11-01T00:00:00Z');
    await mail.answer('accept');
    mail.received.length = 0;
    database = await engine.open(MIGRATIONS);
    counts = [use('bank', 'v1', 'GET /cls/balances', '2028-10-30')];
    usage = usageOf(counts);
    replicas = [replica(common()), replica(common())];
  });
  afterEach(async () => {
    await Promise.all(replicas.map((one) => one.close()));
    await database.close();
  });

  const look = () => Promise.all(replicas.flatMap((one) => [one.notices(), one.retirement()]));
  /** What both replicas say about v1. */
  const statusAt = (instant: string) => {
    const found = replicas.map(({ registry }) => registry.resolve('v1', new Date(instant)).kind);
    expect(found[1]).to.equal(found[0]);
    return found[0];
  };
  const decisions = () => sqlRetirements(database).list();

  it('happens at its date, on both replicas, where every customer was told', async () => {
    await addContact(common(), 'bank', 'email');
    await look();
    expect(mail.received).to.have.length(1);
    clock.set('2028-11-30T23:57:59Z');
    await look();
    expect(await decisions()).to.deep.equal([]);
    clock.set('2028-11-30T23:58:30Z');
    await look();
    await look();
    expect(await decisions()).to.deep.equal([
      {
        ...{ version: 'v1', retiresAt: RETIRES, effectiveAt: RETIRES, decision: 'cleared' },
        ...{ decidedAt: '2028-11-30T23:58:30Z', decidedBy: null, reason: null, untold: [] },
      },
    ]);
    expect(statusAt('2028-11-30T23:59:59.999Z')).to.equal('served');
    expect(statusAt(RETIRES)).to.equal('retired');
    clock.set('2028-12-01T00:10:00Z');
    await look();
    expect(mail.received.map(({ subject }) => subject).at(-1)).to.include('API v1 was retired');
  });

  it('waits for a customer without a contact, and follows after it was told', async () => {
    clock.set(RETIRES);
    await look();
    expect(statusAt('2029-01-01T00:00:00Z')).to.equal('served');
    expect(replicas[0]?.registry.table(new Date('2029-01-01T00:00:00Z'))[1]).to.deep.equal({
      ...{ versionId: 'v1', support: 'Deprecated', retirement: RETIRES },
    });
    clock.set('2028-12-04T09:00:00Z');
    await addContact(common(), 'bank', 'webhook');
    // Without a decision beside it, which could come before the delivery or after it.
    await Promise.all(replicas.map((one) => one.notices()));
    clock.set('2028-12-04T09:10:00Z');
    await look();
    await look();
    expect(statusAt('2028-12-04T09:10:59Z')).to.equal('served');
    expect(statusAt('2028-12-04T09:11:00Z')).to.equal('retired');
    expect((await decisions())[0]?.effectiveAt).to.equal('2028-12-04T09:11:00Z');
  });

  it('waits while a notice was sent to a customer and not delivered', async () => {
    await addContact(common(), 'bank', 'email');
    await mail.answer('refuse');
    await look();
    clock.set(RETIRES);
    await look();
    expect(statusAt(RETIRES)).to.equal('served');
    expect(await decisions()).to.deep.equal([]);
  });

  it('waits while the use of the version cannot be counted: nobody knows whom it would meet', async () => {
    counts.length = 0;
    usage.gone = true;
    clock.set(RETIRES);
    const steps = replicas.map(({ retirement }) => retirement().catch(String));
    expect(await Promise.all(steps)).to.deep.equal([
      'Error: the store does not answer',
      'Error: the store does not answer',
    ]);
    expect(statusAt(RETIRES)).to.equal('served');
    usage.gone = false;
    await look();
    expect(statusAt('2028-12-01T00:01:00Z')).to.equal('retired');
  });

  it('stays as it was known while the records of decisions do not answer', async () => {
    await addContact(common(), 'bank', 'email');
    await look();
    clock.set(RETIRES);
    await replicas[0]?.retirement();
    await database.execute('ALTER TABLE version_retirement RENAME TO gone');
    for (const { ends } of replicas)
      expect(await ends.refresh().catch(() => 'gone')).to.equal('gone');
    const [first, second] = replicas.map(
      ({ registry }) => registry.resolve('v1', new Date('2028-12-01T00:01:00Z')).kind,
    );
    expect([first, second]).to.deep.equal(['retired', 'served']);
    await database.execute('ALTER TABLE gone RENAME TO version_retirement');
    await look();
    expect(statusAt('2028-12-01T00:01:00Z')).to.equal('retired');
  });

  it('is not held up by a customer whose last use is older than 180 days', async () => {
    counts[0] = use('bank', 'v1', 'GET /cls/balances', '2028-06-03');
    clock.set('2028-11-30T12:00:00Z');
    await look();
    clock.set('2028-11-30T23:59:00Z');
    await look();
    expect(statusAt(RETIRES)).to.equal('retired');
  });

  it('is held up by use of the version itself, not of latest', async () => {
    counts[0] = use('bank', 'latest', 'GET /cls/balances', '2028-10-30');
    clock.set('2028-11-30T23:59:00Z');
    await look();
    expect(statusAt(RETIRES)).to.equal('retired');
  });

  it('is decided once: the first decision of two replicas stands', async () => {
    const records = sqlRetirements(database);
    const decide = (decidedBy: string, effectiveAt: string) =>
      records.decide({
        ...{ version: 'v1', retiresAt: RETIRES, effectiveAt, decision: 'forced', decidedBy },
        ...{ decidedAt: '2028-12-01T00:00:00Z', reason: 'told by telephone', untold: ['bank'] },
      });
    const [one, other] = await Promise.all([
      decide('Ada', '2028-12-01T00:01:00Z'),
      decide('Bob', '2028-12-01T00:02:00Z'),
    ]);
    expect(one).to.deep.equal(other);
    expect(await decisions()).to.deep.equal([one]);
  });

  it('at another date is decided anew', async () => {
    await sqlRetirements(database).decide({
      ...{ version: 'v1', retiresAt: '2028-09-01T00:00:00Z', effectiveAt: '2028-09-01T00:00:00Z' },
      ...{ decision: 'forced', decidedBy: 'Ada', decidedAt: '2028-08-01T00:00:00Z' },
      ...{ reason: 'the first date', untold: [] },
    });
    await look();
    expect(ENDING[0]?.retiresAt).to.equal(RETIRES);
    expect(statusAt('2029-01-01T00:00:00Z')).to.equal('served');
  });
});
