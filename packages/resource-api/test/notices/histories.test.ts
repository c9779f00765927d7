import { Random } from '@cls/book-generator/random';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { failingDatabase } from '@cls/testing/failing-database';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import type { SendNotice } from '../../src/notices/deliver-notices.ts';
import type { Channel, NoticeRecord } from '../../src/notices/notice-outbox.ts';
import { STAGES } from '../../src/notices/notice-stage.ts';
import { sqlNotices } from '../../src/notices/sql-notices.ts';
import { sqlRetirements } from '../../src/notices/sql-retirements.ts';
import type { UsageCount } from '../../src/usage/version-usage.ts';
import { testClock } from '../versions/support.ts';
import {
  type MailServer,
  startMailServer,
  startWebhookReceiver,
  type WebhookReceiver,
} from './receivers.ts';
import { addContact, replica, usageOf, use } from './world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PROMOTION = Date.parse('2027-03-01T00:00:00Z');
const RETIREMENT = Date.parse('2028-12-01T00:00:00Z');
const CUSTOMERS = ['bank', 'fund', 'agency', 'broker'] as const;
const TOLD = ['bank', 'fund', 'agency'] as const;
const STARTS = ['2026-11-20T00:00:00Z', '2028-08-01T00:00:00Z', '2028-11-10T00:00:00Z'] as const;
const HISTORIES = 4;
const STEPS = 30;

describeOnDatabase('notices in any history of clocks, failures and crashes', (engine) => {
  let mail: MailServer;
  let receiver: WebhookReceiver;
  const clock = testClock('2027-01-01T00:00:00Z');
  before(async () => {
    mail = await startMailServer();
    receiver = await startWebhookReceiver(clock.now);
  });
  after(async () => {
    mail?.stop();
    await receiver?.stop();
  });

  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    it(`arrive once for each stage and contact, and none is lost (${seed})`, async function () {
      this.timeout(600_000);
      const database = await engine.open(MIGRATIONS);
      mail.received.length = 0;
      receiver.received.length = 0;
      receiver.forged.length = 0;
      try {
        await oneHistory(database, new Random(seed));
      } finally {
        await database.close();
      }
    });
  }

  async function oneHistory(database: Database, random: Random): Promise<void> {
    const counts: UsageCount[] = [];
    const usage = usageOf(counts);
    const contacts = new Set<string>();
    let crashes = 0;
    let chaos = true;
    // A process that ends before or after a notice left it, and a network that loses it.
    const through =
      (send: SendNotice): SendNotice =>
      async (notice, now) => {
        if (chaos && random.chance(0.1)) return { outcome: 'later', answer: 'lost' };
        const crash = chaos && random.chance(0.1);
        if (crash) crashes += 1;
        if (crash && random.chance(0.5)) throw new Error('ended before it sent');
        const sent = await send(notice, now);
        if (crash) throw new Error('ended after it sent');
        return sent;
      };
    clock.set(random.pick(STARTS));
    // Nobody tells the broker: a version that it uses does not retire.
    const customers = random.chance(0.3) ? CUSTOMERS : TOLD;
    const stores = [failingDatabase(database), failingDatabase(database)];
    const common = { clock, usage, mail, receiver, through };
    const replicas = stores.map((store) => replica({ ...common, database: store.database }));
    const outbox = sqlNotices(database);
    const move = (ms: number) => clock.set(new Date(clock.now().getTime() + ms).toISOString());
    const look = () =>
      Promise.allSettled(replicas.flatMap((one) => [one.notices(), one.retirement()]));
    const callAnd = (customer: string) => {
      const day = clock.now().toISOString().slice(0, 10);
      counts.push(use(customer, random.pick(['v1', 'latest']), 'GET /cls/balances', day));
    };
    const reach = async (customer: string, channel: Channel) => {
      const contact = `${customer} ${channel}`;
      if (!contacts.has(contact)) await addContact({ ...common, database }, customer, channel);
      contacts.add(contact);
    };

    /** Everything works from now on: what is due arrives. */
    const settle = async () => {
      chaos = false;
      usage.gone = false;
      receiver.answer = () => 204;
      await mail.answer('accept');
      for (const store of stores) store.heal();
      const waits = async () => {
        // Past every lease and every time between two attempts.
        move(7 * HOUR_MS);
        await outbox.retryFailed({}, clock.now());
        await look();
        const arrived = new Set((await arrivals(outbox, mail, receiver)).map(({ key }) => key));
        return expected(counts, contacts, clock.now(), await retiredAt(database)).filter(
          (key) => !arrived.has(key),
        );
      };
      let missing = await waits();
      for (let round = 0; round < 3 && missing.length > 0; round += 1) missing = await waits();
      expect(missing).to.deep.equal([]);
      chaos = true;
    };

    for (let step = 0; step < STEPS; step += 1) {
      const [first, second] = [random.pick(customers), random.pick(['email', 'webhook'] as const)];
      move(random.pick([5 * MINUTE_MS, 3 * HOUR_MS, DAY_MS, 9 * DAY_MS, 40 * DAY_MS]));
      if (random.chance(0.6)) callAnd(first);
      if (random.chance(0.3) && first !== 'broker') await reach(first, second);
      if (random.chance(0.3)) await mail.answer(random.pick(['accept', 'later', 'refuse']));
      if (random.chance(0.3)) {
        const status = random.pick([204, 204, 302, 410, 500]);
        receiver.answer = () => status;
      }
      usage.gone = random.chance(0.1);
      if (random.chance(0.3)) {
        crashes += 1;
        const fault = random.pick(['cut before', 'cut after', 'late'] as const);
        random
          .pick(stores as never as [(typeof stores)[0]])
          ?.arm(random.between(0, 8), fault, 'once');
      }
      await look();
      await checkRetirement(database, counts, await arrivals(outbox, mail, receiver));
      if (random.chance(0.2)) await settle();
    }
    await settle();

    const arrived = await arrivals(outbox, mail, receiver);
    expect(receiver.forged).to.deep.equal([]);
    const ids = new Map<string, Set<string>>();
    for (const { key, id } of arrived) ids.set(key, (ids.get(key) ?? new Set()).add(id));
    expect([...ids].filter(([, own]) => own.size > 1)).to.deep.equal([]);
    // Only a process that ended without saying that it had sent makes another one send again.
    const repeated = arrived.length - new Set(arrived.map(({ id }) => id)).size;
    expect(repeated).to.be.at.most(crashes);
    const bodies = new Map<string, string>();
    for (const { id, body } of receiver.received) {
      expect(bodies.get(id) ?? body).to.equal(body);
      bodies.set(id, body);
    }
    await Promise.all(replicas.map((one) => one.close()));
  }
});

interface Arrival {
  /** Event, version, stage, customer and channel. */
  readonly key: string;
  readonly id: string;
}

/** What came, as the outbox knows it: of what it does not know, the id alone. */
async function arrivals(
  outbox: ReturnType<typeof sqlNotices>,
  mail: MailServer,
  receiver: WebhookReceiver,
): Promise<readonly Arrival[]> {
  const records = new Map((await outbox.list({})).map((record) => [record.id, record]));
  const sent = [
    ...mail.received.map(({ id }) => id.replace(/^<|@.*$/g, '')),
    ...receiver.received.map(({ id }) => id),
  ];
  return sent.map((id) => {
    const record = records.get(id);
    return { id, key: record === undefined ? id : keyOf(record) };
  });
}

function keyOf({ event, version, stage, customer, channel }: NoticeRecord): string {
  return `${event} ${version} ${stage} ${customer} ${channel}`;
}

/** The newest stage of each event, for each customer that called in 180 days, at each contact. */
function expected(
  counts: readonly UsageCount[],
  contacts: ReadonlySet<string>,
  now: Date,
  retired: number,
): readonly string[] {
  const stageBefore = (end: number) => {
    const days = (end - now.getTime()) / DAY_MS;
    if (days <= 1) return STAGES[4];
    if (days <= 7) return STAGES[3];
    if (days <= 30) return STAGES[2];
    return days <= 90 ? STAGES[1] : STAGES[0];
  };
  const isRetired = now.getTime() >= retired;
  const events = [
    ...(now.getTime() < PROMOTION
      ? [['promotion v2', stageBefore(PROMOTION), 'latest'] as const]
      : []),
    ...(now.getTime() - retired > 180 * DAY_MS
      ? []
      : [['retirement v1', isRetired ? STAGES[5] : stageBefore(RETIREMENT), 'v1'] as const]),
  ];
  return events.flatMap(([event, stage, asked]) =>
    [...contacts].flatMap((contact) => {
      const [customer] = contact.split(' ');
      return isRecent(counts, customer, asked, now) ? [`${event} ${stage} ${contact}`] : [];
    }),
  );
}

function isRecent(
  counts: readonly UsageCount[],
  customer: string | undefined,
  asked: string,
  now: Date,
): boolean {
  const today = Date.parse(now.toISOString().slice(0, 10));
  return counts.some(
    (count) =>
      count.customer === customer &&
      count.requested === asked &&
      Date.parse(count.day) > today - 180 * DAY_MS,
  );
}

async function retiredAt(database: Database): Promise<number> {
  const [decision] = await sqlRetirements(database).list();
  return decision === undefined ? Number.POSITIVE_INFINITY : Date.parse(decision.effectiveAt);
}

/** A version retires no earlier than its date, and when every customer with recent use was told. */
async function checkRetirement(
  database: Database,
  counts: readonly UsageCount[],
  arrived: readonly Arrival[],
): Promise<void> {
  for (const { decidedAt, effectiveAt } of await sqlRetirements(database).list()) {
    expect(Date.parse(effectiveAt)).to.be.at.least(RETIREMENT);
    const told = new Set(arrived.map(({ key }) => key.split(' ')).map((words) => words.join(' ')));
    const untold = CUSTOMERS.filter(
      (customer) =>
        isRecent(
          counts.filter(({ day }) => day <= decidedAt.slice(0, 10)),
          customer,
          'v1',
          new Date(decidedAt),
        ) &&
        ![...told].some((key) => key.startsWith('retirement v1') && key.includes(` ${customer} `)),
    );
    expect(untold).to.deep.equal([]);
  }
}
