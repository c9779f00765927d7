import { randomUUID } from 'node:crypto';
import type { Clock } from '@cls/shared/clock';
import type { Database } from '@cls/shared/sql/database';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import fc from 'fast-check';
import type { AuditPeriod } from '../src/audit/audit-archive.ts';
import { readExport } from '../src/audit/audit-archive.ts';
import { sqlAuditArchive } from '../src/audit/sql-audit-archive.ts';
import { auditKeptSince, auditPartitions, sweepAudit } from '../src/audit/sql-audit-months.ts';
import { sqlAuditReader } from '../src/audit/sql-audit-reader.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';

const DAY_MS = 86_400_000;
const SUBJECTS = ['asha', 'ben', 'chi'];
const TYPES = ['token.issued', 'sign_in.succeeded'] as const;
const PAGE = 4;

/** An event as it should be read back, in the order of its arrival. */
interface Expected {
  readonly eventId: string;
  readonly at: Date;
  readonly subject: string;
  readonly type: (typeof TYPES)[number];
}

/** The first of the month that many months from now, in UTC. */
const first = (offset: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
};
const monthOf = (at: Date) => at.toISOString().slice(0, 7);
const startOf = (at: Date) => new Date(`${monthOf(at)}-01T00:00:00Z`);
/** Ids that are made of a name have version 8, and are known again in any month. */
const idOf = (named: boolean) => {
  const id = randomUUID();
  return named ? `${id.slice(0, 14)}8${id.slice(15)}` : id;
};

const month = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -5, max: 0 }) },
  fc.constantFrom(1, 2, 3, 5, -200),
);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      // Seconds from the start of the month: at its edges too.
      events: fc.array(
        fc.record({
          month,
          second: fc.constantFrom(0, 86_400, 2_419_199),
          // Instead: ten minutes from the moment before which a page shows none.
          edge: fc.option(
            fc.record({ days: fc.constantFrom(40, 100), minutes: fc.constantFrom(-10, 10) }),
          ),
          subject: fc.constantFrom(...SUBJECTS),
          type: fc.constantFrom(...TYPES),
          named: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('write again' as const), nth: fc.nat(30) }) },
  // A request that is sent again in another month.
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('name again' as const), nth: fc.nat(30), month }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('sweep' as const),
      days: fc.constantFrom(0, 1, 40, 70, 100, 400),
      aheadDays: fc.constantFrom(0, 0, 30),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), month }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('export' as const), month }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('read' as const),
      subjects: fc.subarray(SUBJECTS, { minLength: 1 }),
      types: fc.option(fc.subarray([...TYPES], { minLength: 1 })),
      days: fc.constantFrom(0, 40, 100),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describeOnEngines('every history of the months of the audit', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  const empty = async () => {
    for (const { name } of await auditPartitions(database)) {
      if (name !== 'audit_event_other') await database.execute(`DROP TABLE ${name}`);
    }
    await database.execute('TRUNCATE audit_event, audit_event_name');
    await sweepAudit(database, { now: () => new Date() }, 0);
  };
  const insert = (events: readonly Expected[]) =>
    database.query(
      `INSERT INTO audit_event (at, type, subject, event_id)
       SELECT at, type, subject, "eventId" FROM json_to_recordset($1::json) AS event (
         "eventId" uuid, at timestamptz, type text, subject text)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(events)],
    );

  /** What the audit should hold: every rule of it in the plainest words. */
  class World {
    log: Expected[] = [];
    /** Everything that was ever written, to write it again. */
    written: Expected[] = [];
    /** Names of the last 100 days. */
    named = new Map<string, Date>();
    /** Months that have a partition. */
    months = new Set([0, 1, 2, 3].map((offset) => monthOf(first(offset))));

    /** An event is known by its id where it lies: in its month, or among all other times. */
    add(event: Expected) {
      this.written.push(event);
      if (event.eventId[14] === '8') {
        if (this.named.has(event.eventId)) return;
        this.named.set(event.eventId, event.at);
      }
      const place = this.placeOf(event.at);
      const there = this.log.some(
        (one) => one.eventId === event.eventId && this.placeOf(one.at) === place,
      );
      if (!there) this.log.push(event);
    }
    placeOf(at: Date) {
      return this.months.has(monthOf(at)) ? monthOf(at) : 'other';
    }
    sweep(now: Date, days: number) {
      const since = days === 0 ? undefined : new Date(now.getTime() - days * DAY_MS);
      const isOver = (name: string) => name < monthOf(new Date());
      // Of all other times, by the month of the first day that is kept.
      this.log = this.log.filter(
        ({ at }) => this.placeOf(at) !== 'other' || since === undefined || at >= startOf(since),
      );
      for (const offset of [0, 1, 2, 3]) this.months.add(monthOf(first(offset)));
      const oldest = monthOf(first(-120));
      for (const { at } of this.log) {
        const name = monthOf(at);
        if (isOver(name) && name >= oldest) this.months.add(name);
      }
      for (const [name, at] of this.named) {
        if (at < new Date(now.getTime() - 100 * DAY_MS)) this.named.delete(name);
      }
      for (const name of this.months) {
        const end = new Date(`${name}-01T00:00:00Z`);
        end.setUTCMonth(end.getUTCMonth() + 1);
        if (since !== undefined && end <= since && isOver(name)) this.drop(name);
      }
    }
    drop(name: string) {
      this.log = this.log.filter(({ at }) => this.placeOf(at) !== name);
      this.months.delete(name);
    }
  }

  const perform = async (world: World, each: Step) => {
    if (each.do === 'write') {
      const events = each.events.map(({ month: offset, second, edge, named, ...rest }) => ({
        ...rest,
        eventId: idOf(named),
        at: new Date(
          edge === null
            ? first(offset).getTime() + second * 1_000
            : Date.now() - edge.days * DAY_MS + edge.minutes * 60_000,
        ),
      }));
      for (const event of events) world.add(event);
      await insert(events);
    } else if (each.do === 'write again' || each.do === 'name again') {
      const known = world.written[each.nth % (world.written.length || 1)];
      if (known === undefined) return;
      const event = each.do === 'write again' ? known : { ...known, at: first(each.month) };
      // Only a name comes again with another time.
      if (each.do === 'name again' && known.eventId[14] !== '8') return;
      world.add(event);
      await insert([event]);
    } else if (each.do === 'sweep') {
      const now = new Date(Date.now() + each.aheadDays * DAY_MS);
      world.sweep(now, each.days);
      await sweepAudit(database, { now: () => now }, each.days);
    } else if (each.do === 'drop' || each.do === 'export') {
      await (each.do === 'drop' ? drop : exportMonth)(world, first(each.month));
    } else await readPages(world, each);
  };

  const periodOf = (from: Date): AuditPeriod => {
    const until = new Date(from);
    until.setUTCMonth(until.getUTCMonth() + 1);
    return { name: monthOf(from), from, until };
  };
  const eventsOf = (world: World, name: string) =>
    world.log.filter(({ at }) => monthOf(at) === name);

  const drop = async (world: World, from: Date) => {
    const archive = sqlAuditArchive(database);
    const period = periodOf(from);
    const { name } = period;
    const there = eventsOf(world, name);
    const wanted = { file: undefined, apply: true };
    const done = await archive.drop(period, wanted).catch(({ code }) => ({ outcome: code }));
    const isOver = name < monthOf(new Date());
    if (world.months.has(name) && isOver) {
      expect(done).to.deep.equal({ outcome: 'dropped', events: BigInt(there.length) });
      world.drop(name);
    } else expect(done).to.deep.equal({ outcome: world.months.has(name) ? '55000' : 'gone' });
    // The record of it is no part of the histories.
    await database.query(`DELETE FROM audit_event WHERE type = 'audit.month_dropped'`);
  };

  const exportMonth = async (world: World, from: Date) => {
    const period = periodOf(from);
    let text = '';
    await sqlAuditArchive(database).export(period, async (lines) => {
      text += lines;
    });
    async function* lines() {
      yield* text.trimEnd().split('\n');
    }
    const there = eventsOf(world, period.name);
    expect((await readExport(lines())).events).to.equal(BigInt(there.length));
    const read = text
      .trimEnd()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(read.map(({ eventId }) => eventId)).to.deep.equal(there.map(({ eventId }) => eventId));
  };

  const readPages = async (
    world: World,
    { subjects, types, days }: Extract<Step, { do: 'read' }>,
  ) => {
    const clock: Clock = { now: () => new Date() };
    const since = auditKeptSince(clock, days);
    const reader = sqlAuditReader(database, () => since);
    const read: string[] = [];
    let before: bigint | undefined;
    for (;;) {
      const page = await reader.eventsOf(subjects, {
        limit: PAGE,
        ...(types === null ? {} : { types }),
        ...(before === undefined ? {} : { before }),
      });
      read.push(...page.map(({ type, at }) => `${type} ${at.toISOString()}`));
      if (page.length < PAGE) break;
      before = page.at(-1)?.id;
    }
    const expected = world.log
      .filter(({ subject }) => subjects.includes(subject))
      .filter(({ type }) => types === null || types.includes(type))
      .filter(({ at }) => since === undefined || at >= since)
      .map(({ type, at }) => `${type} ${at.toISOString()}`);
    expect(read).to.deep.equal(expected.reverse());
  };

  it('reads back what was written once and is kept, and has the months that it should have', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16 }), async (steps) => {
        await empty();
        const world = new World();
        for (const each of steps) {
          await perform(world, each);
          const rows = await database.query<{ eventId: string }>(
            'SELECT event_id::text AS "eventId" FROM audit_event ORDER BY id',
          );
          expect(rows.map(({ eventId }) => eventId)).to.deep.equal(
            world.log.map(({ eventId }) => eventId),
          );
        }
        const partitions = (await auditPartitions(database)).map(({ name }) => name);
        const months = [...world.months]
          .sort()
          .map((name) => `audit_event_${name.replace('-', '_')}`);
        expect(partitions).to.deep.equal([...months, 'audit_event_other']);
      }),
      // The statements are the same on both; there each takes four times as long.
      { numRuns: engine.name === 'PGlite' ? 10 : 25 },
    );
  });
});
