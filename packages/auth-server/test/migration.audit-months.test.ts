import { randomUUID } from 'node:crypto';
import { silentLog } from '@cls/shared/log';
import type { Database } from '@cls/shared/sql/database';
import { migrate, readMigrations } from '@cls/shared/sql/migrate';
import { describeOnEngines } from '@cls/testing/engines';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlAuditLog } from '../src/audit/sql-audit-log.ts';
import { auditPartitions, sweepAudit } from '../src/audit/sql-audit-months.ts';
import { sqlAuditReader } from '../src/audit/sql-audit-reader.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { MIGRATIONS_OF_0_5_0 } from './support/release.ts';

const DAY_MS = 86_400_000;
const RELEASED = 20;
const clock = { now: () => new Date() };
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

/** As release 0.4.0 writes events. */
function insert(database: Database, at: Date, subject: string, id: string = randomUUID()) {
  return database.query(
    `INSERT INTO audit_event (at, type, subject, client_id, address, request_id, reason,
                              browser, system, about, event_id)
     SELECT at, type, subject, "clientId", address, "requestId", reason,
            device->>'browser', device->>'system', about, id
     FROM json_to_recordset($1::json) AS event (
       id uuid, at timestamptz, type text, subject text, "clientId" text, address text,
       "requestId" text, reason text, device json, about text)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify([{ id, at: at.toISOString(), type: 'token.issued', subject }])],
  );
}
const subjects = async (database: Database) =>
  (await database.query<{ subject: string }>('SELECT subject FROM audit_event ORDER BY id')).map(
    ({ subject }) => subject,
  );
const monthOf = async (database: Database, subject: string) => {
  const [row] = await database.query<{ name: string }>(
    'SELECT tableoid::regclass::text AS name FROM audit_event WHERE subject = $1',
    [subject],
  );
  return row?.name;
};
const nameOf = (at: Date) => `audit_event_${at.toISOString().slice(0, 7).replace('-', '_')}`;
/** The first of the month that many months from now, in UTC. */
const month = (offset: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
};

describeOnEngines('a store of 0.4.0 whose audit gets months', (engine) => {
  let database: Database;
  const again = randomUUID();
  before(async () => {
    database = await engine.open();
    const old = readMigrations(MIGRATIONS_OF_0_5_0);
    await migrate(database, old.slice(0, RELEASED));
    for (const days of [500, 410, 30, 0]) await insert(database, daysAgo(days), `${days} days ago`);
    await insert(database, daysAgo(1), 'again', again);
    await insert(database, daysAgo(-400), 'a clock that was ahead');
    await migrate(database, old);
    await migrate(database, readMigrations(MIGRATIONS));
  });
  after(() => database?.close());

  it('has every event, in the order and with the ids that they had, and goes on counting', async () => {
    const before = ['500 days ago', '410 days ago', '30 days ago', '0 days ago', 'again'];
    expect(await subjects(database)).to.deep.equal([...before, 'a clock that was ahead']);
    await insert(database, new Date(), 'after');
    expect((await subjects(database)).at(-1)).to.equal('after');
    expect(await monthOf(database, 'a clock that was ahead')).to.equal('audit_event_other');
    expect(await monthOf(database, 'again')).to.match(/^audit_event_before_/);
  });

  it('has an event once that waited in a file meanwhile', async () => {
    await insert(database, daysAgo(1), 'again', again);
    expect((await subjects(database)).filter((one) => one === 'again')).to.have.length(1);
  });

  it('deletes what is older than the month of the last day that is kept', async () => {
    await sweepAudit(database, clock, 400);
    const left = await subjects(database);
    expect(left).not.to.include('500 days ago');
    expect(left).to.include.members(['30 days ago', '0 days ago', 'a clock that was ahead']);
    await sweepAudit(database, clock, 0);
    expect(await subjects(database)).to.deep.equal(left);
  });
});

describeOnEngines('the months of the audit', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await engine.open(MIGRATIONS);
  });
  afterEach(() => database?.close());
  const names = async () => (await auditPartitions(database)).map(({ name }) => name);

  it('are made ahead: this one and three more, however many sweep at once', async () => {
    await Promise.all([1, 2, 3].map(() => sweepAudit(database, clock, 400)));
    const ahead = [0, 1, 2, 3].map((offset) => nameOf(month(offset)));
    expect(await names()).to.deep.equal([...ahead, 'audit_event_other']);
  });

  it('take the events that came while nobody had made their month, and keep one that comes again once', async () => {
    const id = randomUUID();
    const at = new Date(month(-3).getTime() + DAY_MS);
    await insert(database, at, 'late', id);
    await insert(database, new Date('1999-12-31T23:59:59Z'), 'long ago');
    await insert(database, new Date('2199-01-01T00:00:00Z'), 'far ahead');
    expect(await monthOf(database, 'late')).to.equal('audit_event_other');
    await sweepAudit(database, clock, 400);
    expect(await monthOf(database, 'late')).to.equal(nameOf(at));
    await insert(database, at, 'late', id);
    expect(await subjects(database)).to.deep.equal(['late', 'far ahead']);
  });

  it('keep the events of a sweep that was cut off, and are made by the next', async () => {
    const at = new Date(month(-2).getTime());
    await insert(database, at, 'late');
    const cut = await database
      .transaction(async (transaction) => {
        await transaction.query(`SELECT make_audit_months('-infinity')`);
        throw new Error('cut off');
      })
      .catch(({ message }: Error) => message);
    expect(cut).to.equal('cut off');
    expect(await monthOf(database, 'late')).to.equal('audit_event_other');
    await sweepAudit(database, clock, 0);
    expect(await monthOf(database, 'late')).to.equal(nameOf(at));
  });

  it('go as a whole when their last day is old enough, and no earlier', async () => {
    for (const offset of [-4, -3, -2, -1, 0]) {
      await insert(database, month(offset), `first of ${offset}`);
      await insert(database, new Date(month(offset + 1).getTime() - 1), `last of ${offset}`);
    }
    await sweepAudit(database, clock, 0);
    const end = month(-1);
    const justBefore = { now: () => new Date(end.getTime() + 10 * DAY_MS - 1) };
    await sweepAudit(database, justBefore, 10);
    expect(await names())
      .to.include(nameOf(month(-2)))
      .and.not.include(nameOf(month(-3)));
    expect((await subjects(database))[0]).to.equal('first of -2');
    await sweepAudit(database, { now: () => new Date(end.getTime() + 10 * DAY_MS) }, 10);
    expect((await subjects(database))[0]).to.equal('first of -1');
    expect(await names()).not.to.include(nameOf(month(-2)));
  });

  it('are not dropped before they are over, whatever the clock of the service says, nor is the table for other times', async () => {
    for (const name of [nameOf(month(0)), nameOf(month(1)), 'audit_event_other']) {
      const refused = await database
        .query('SELECT drop_audit_month($1)', [name])
        .catch((error: unknown) => error);
      expect(refused, name).to.have.property('code', '55000');
    }
    const ahead = { now: () => daysAgo(-3_000) };
    await sweepAudit(database, ahead, 400);
    expect(await names()).to.include(nameOf(month(0)));
    for (const name of ['account', 'audit_event', 'x"; DROP TABLE account; --']) {
      const [row] = await database.query('SELECT drop_audit_month($1) AS dropped', [name]);
      expect(row, name).to.deep.equal({ dropped: false });
    }
  });

  it('hold an event with a name once, also when the request comes again in the next month', async () => {
    const directory = temporaryDirectory('cls-audit-');
    let at = new Date(month(1).getTime() - 1_000);
    const moving = { now: () => at };
    const audit = await sqlAuditLog(database, moving, silentLog, { directory, fsync: 'none' });
    const event = { type: 'sign_in.succeeded', subject: 'acc', once: 'an interaction' } as const;
    audit.record(event);
    await audit.catchUp();
    at = month(1);
    audit.record(event);
    audit.record({ type: 'sign_in.succeeded', subject: 'other', once: 'another' });
    audit.record({ type: 'sign_in.succeeded', subject: 'no name' });
    audit.record({ type: 'sign_in.succeeded', subject: 'no name' });
    await audit.flush();
    expect(await subjects(database)).to.deep.equal(['acc', 'other', 'no name', 'no name']);
  });

  it('are left out of a page of the log where they are older than is kept', async () => {
    for (const offset of [-3, -2, -1]) await insert(database, month(offset), 'somebody');
    await sweepAudit(database, clock, 0);
    const plans: string[] = [];
    const explained: Database = {
      ...database,
      async query(sql, params) {
        const rows = await database.query<{ 'QUERY PLAN': unknown }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
          params,
        );
        plans.push(JSON.stringify(rows));
        return database.query(sql, params);
      },
    };
    const reader = sqlAuditReader(explained, () => month(-1));
    const events = await reader.eventsOf(['somebody'], { limit: 10 });
    expect(events.map(({ at }) => at)).to.deep.equal([month(-1)]);
    expect(plans[0])
      .to.include(nameOf(month(-1)))
      .and.not.include(nameOf(month(-2)));
    expect(await sqlAuditReader(database).eventsOf(['somebody'], { limit: 10 })).to.have.length(3);
  });
});
