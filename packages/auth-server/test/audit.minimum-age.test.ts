import { silentLog } from '@cls/shared/log';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database, Sql } from '@cls/shared/sql/database';
import { migrate, readSchema } from '@cls/shared/sql/migrate';
import { describeOnDatabase, postgresAsService } from '@cls/testing/engines';
import { expect } from 'chai';
import { sweepAudit } from '../src/audit/sql-audit-months.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
const TOO_YOUNG = '42501';
const NOT_OVER = '55000';

describeOnDatabase('audit events that are younger than a day', (engine) => {
  let owner: Database;
  let service: Database;
  /** As the role of the service in production, which owns no table. Answers, or the code of the error. */
  const asService = (work: (sql: Sql) => Promise<unknown>): Promise<unknown> =>
    service.transaction(work).catch(({ code }) => code);
  beforeEach(async () => {
    const { migrations, grants } = readSchema(MIGRATIONS);
    if (engine.name === 'PostgreSQL') {
      const location = await postgresAsService('cls_auth_service').createLocation();
      if (location.kind !== 'postgres') throw new Error('not a PostgreSQL location');
      const { url, ownerUrl = url } = location;
      owner = await openDatabaseAsOperator({ ...location, url: ownerUrl }, 'test', silentLog);
      await migrate(owner, migrations, grants);
      service = await openDatabaseAsOperator(location, 'test', silentLog);
    } else {
      owner = await engine.open();
      await owner.execute('CREATE ROLE cls_auth_service');
      await migrate(owner, migrations, grants);
      // It has one session, so the role is changed for one transaction. Its end does not change it back.
      service = {
        ...owner,
        transaction: (work, options) =>
          owner
            .transaction(async (sql) => {
              await sql.execute('SET SESSION AUTHORIZATION cls_auth_service');
              return work(sql);
            }, options)
            .finally(() => owner.execute('SET SESSION AUTHORIZATION postgres')),
      };
    }
  });
  afterEach(async () => {
    if (engine.name === 'PostgreSQL') await service?.close();
    await owner?.close();
  });

  const insert = (at: Date, subject: string) =>
    owner.query(
      `INSERT INTO audit_event (at, type, subject, event_id)
       VALUES ($1, 'token.issued', $2, gen_random_uuid())`,
      [at.toISOString(), subject],
    );
  const subjects = async () =>
    (await owner.query<{ subject: string }>('SELECT subject FROM audit_event ORDER BY at')).map(
      ({ subject }) => subject,
    );
  /** Makes all that came before `until` one partition. */
  const endMonthAt = async (until: Date) => {
    const months = await owner.query<{ name: string }>(
      'SELECT name FROM audit_month WHERE ends IS NOT NULL',
    );
    for (const { name } of months) await owner.execute(`DROP TABLE ${name}`);
    await owner.execute(
      `CREATE TABLE audit_event_2001_01 PARTITION OF audit_event
       FOR VALUES FROM (MINVALUE) TO ('${until.toISOString()}')`,
    );
  };

  it('are not deleted by the service, which deletes older ones', async () => {
    for (const hours of [40, 24, 22, 0]) await insert(hoursAgo(hours), `${hours}`);
    expect(await asService((sql) => sql.query('DELETE FROM audit_event'))).to.equal(TOO_YOUNG);
    expect(
      await asService((sql) => sql.query(`DELETE FROM audit_event WHERE subject = '22'`)),
    ).to.equal(TOO_YOUNG);
    await asService((sql) => sql.query(`DELETE FROM audit_event WHERE subject IN ('40', '24')`));
    expect(await subjects()).to.deep.equal(['22', '0']);
  });

  it('are deleted by the owner of the tables', async () => {
    await insert(hoursAgo(0), 'of now');
    await owner.query('DELETE FROM audit_event');
    expect(await subjects()).to.deep.equal([]);
  });

  it('do not go with a month that the service drops', async () => {
    const drop = (sql: Sql) => sql.query(`SELECT drop_audit_month('audit_event_2001_01') AS done`);
    await endMonthAt(hoursAgo(-1));
    expect(await asService(drop)).to.equal(NOT_OVER);
    await endMonthAt(hoursAgo(22));
    expect(await asService(drop)).to.equal(TOO_YOUNG);
    await endMonthAt(hoursAgo(24));
    expect(await asService(drop)).to.deep.equal([{ done: true }]);
    await endMonthAt(hoursAgo(1));
    expect(await drop(owner)).to.deep.equal([{ done: true }]);
  });

  it('do not go where the service makes months, and reach the months that it makes', async () => {
    await endMonthAt(new Date('2001-02-01'));
    const lately = [hoursAgo(22), hoursAgo(0)];
    for (const at of lately) await insert(at, 'of lately');
    await insert(new Date('2001-03-01'), 'of 2001');
    await asService((sql) => sql.query(`SELECT make_audit_months('infinity')`));
    expect(await subjects()).to.deep.equal(['of lately', 'of lately']);
    const places = await owner.query<{ name: string }>(
      'SELECT tableoid::regclass::text AS name FROM audit_event ORDER BY at',
    );
    expect(places.map(({ name }) => name)).to.deep.equal(
      lately.map((at) => `audit_event_${at.toISOString().slice(0, 7).replace('-', '_')}`),
    );
    expect(await asService((sql) => sql.query('DELETE FROM audit_event'))).to.equal(TOO_YOUNG);
  });

  it('are no hindrance for a sweep with the shortest retention', async () => {
    await endMonthAt(hoursAgo(24));
    await insert(hoursAgo(30), 'of the day before yesterday');
    await insert(hoursAgo(0), 'of now');
    const swept = await asService((sql) =>
      sweepAudit({ ...service, query: sql.query }, { now: () => new Date() }, 1),
    );
    expect(swept).to.equal(undefined);
    expect(await subjects()).to.deep.equal(['of now']);
  });

  it('stay where the clock of the service is ahead by days', async () => {
    await endMonthAt(hoursAgo(2));
    await insert(hoursAgo(3), 'of a month that is over');
    const ahead = { now: () => new Date(Date.now() + 40 * DAY_MS) };
    const swept = await asService((sql) => sweepAudit({ ...service, query: sql.query }, ahead, 1));
    expect(swept).to.equal(TOO_YOUNG);
    expect(await subjects()).to.deep.equal(['of a month that is over']);
  });
});
