import { createHash, randomUUID } from 'node:crypto';
import { silentLog } from '@cls/shared/log';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { migrate, readSchema } from '@cls/shared/sql/migrate';
import {
  describeOnDatabase,
  describeOnEngines,
  type Engine,
  postgresAsService,
  requireServer,
} from '@cls/testing/engines';
import { eventually, postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlErasure } from '../src/account-management/sql-erasure.ts';
import type { ChainHead } from '../src/audit/audit-chain.ts';
import { sqlAuditArchive } from '../src/audit/sql-audit-archive.ts';
import { sqlAuditChain } from '../src/audit/sql-audit-chain.ts';
import { sweepAudit } from '../src/audit/sql-audit-months.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { basic, startTestAuthServer } from './support/auth-server.ts';

const ACCOUNT = 'acc_01J9ZQ5W1XG8K7N4T2M6P3R0SV';
/** The first of the month that many months from now, in UTC. */
const first = (offset: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
};
const monthOf = (offset: number) => first(offset).toISOString().slice(0, 7);

let owner: Database;
let chain: ReturnType<typeof sqlAuditChain>;

/** A database of its own for each test. */
function useDatabase(engine: Engine): void {
  beforeEach(async () => {
    owner = await engine.open(MIGRATIONS);
    chain = sqlAuditChain(owner);
  });
  afterEach(() => owner?.close());
}

const insert = (subject: string, at = new Date(), database = owner) =>
  database.query(
    `INSERT INTO audit_event (at, type, subject, address, about, event_id)
     VALUES ($1, 'token.issued', $2, '192.0.2.7', 'Laptop of Asha', gen_random_uuid())`,
    [at.toISOString(), subject],
  );
const verify = (kept?: ChainHead, keptSince?: Date) => chain.verify({ kept, keptSince });
const faults = async (kept?: ChainHead) => {
  const { faults: found, faultCount } = await verify(kept);
  expect(found).to.have.length(faultCount);
  return found.map((one) => ('link' in one ? `${one.link} ${one.fault}` : one.fault));
};
/** Three links of three events. */
const sealed = async () => {
  const heads: ChainHead[] = [];
  for (const round of [1, 2, 3]) {
    for (const n of [1, 2, 3]) await insert(`${round}.${n}`);
    const link = await chain.seal(0);
    if (link === undefined) throw new Error('nothing was sealed');
    expect(link.more).to.equal(false);
    heads.push(link);
  }
  return heads;
};

describeOnEngines('the chain over the audit', (engine) => {
  useDatabase(engine);

  it('holds each event once, and says what waits for it', async () => {
    const heads = await sealed();
    await insert('late');
    const report = await verify();
    expect(report).to.deep.include({ events: 9, waiting: 1, erased: 0, expired: 0, faultCount: 0 });
    expect(report.head.hash).to.equal(heads[2]?.hash);
    expect(await chain.seal(3_600)).to.equal(undefined);
    expect(await chain.seal(0)).to.include({ number: 4n });
    expect(await chain.seal(0)).to.equal(undefined);
    expect(await verify()).to.deep.include({ events: 10, waiting: 0 });
  });

  it('shows links that were removed or changed, and a chain that was made anew', async () => {
    const [, second, third] = await sealed();
    await owner.execute(
      `UPDATE audit_link SET content = replace(content, ' 3 ', ' 2 ') WHERE number = 2`,
    );
    expect(await faults()).to.include('2 link_changed');
    await owner.execute('DELETE FROM audit_link WHERE number = 2');
    expect(await faults()).to.include('3 links_missing');
    await owner.execute(`DELETE FROM audit_link WHERE number > 1`);
    await owner.execute(`DELETE FROM audit_event WHERE subject LIKE '3.%'`);
    // Without a kept head, a chain whose end was cut off is a chain.
    expect(await faults()).to.deep.equal([]);
    expect(await faults(third)).to.deep.equal(['3 ends_before_kept']);
    await chain.seal(0);
    expect(await faults(second)).to.deep.equal(['2 not_the_kept_head']);
  });

  it('verifies after a person was erased, and keeps nothing by which the person is found', async () => {
    await sealed();
    await insert('asha@bank.example');
    await insert('asha@bank.example');
    await chain.seal(0);
    const erasure = sqlErasure(owner, { sealer: undefined, actor: 'root' });
    const salts = await owner.query<{ salt: string }>(
      `SELECT encode(blind, 'hex') AS salt FROM audit_event WHERE subject = 'asha@bank.example'`,
    );
    expect(new Set(salts.map(({ salt }) => salt)).size).to.equal(2);
    await erasure.erase({ email: 'asha@bank.example' });
    expect(await verify()).to.deep.include({ events: 11, erased: 2, waiting: 1, faultCount: 0 });
    const all = JSON.stringify(
      await owner.query('SELECT *, blind::text AS blind FROM audit_event'),
      (_, value) => (typeof value === 'bigint' ? `${value}` : value),
    );
    expect(all).to.not.include('asha');
    for (const { salt } of salts) expect(all).to.not.include(salt);
    await erasure.erase({ email: 'asha@bank.example' });
    await chain.seal(0);
    expect(await verify()).to.deep.include({ erased: 2, faultCount: 0 });
  });

  it('verifies after the address of a deleted account was taken out', async () => {
    await owner.query(
      `INSERT INTO audit_event (at, type, subject, about, event_id)
       VALUES (now(), 'account.deleted', $1, 'asha@bank.example', gen_random_uuid())`,
      [ACCOUNT],
    );
    await chain.seal(0);
    const erasure = sqlErasure(owner, { sealer: undefined, actor: 'root' });
    await erasure.eraseMentions(['asha@bank.example']);
    expect(await verify()).to.deep.include({ erased: 1, faultCount: 0 });
  });

  it('verifies after a month was dropped or has expired, and shows one that is gone without a record', async () => {
    await insert('old', first(-2));
    await insert('older', first(-3));
    await sealed();
    await sweepAudit(owner, { now: () => new Date() }, 0);
    const head = await chain.seal(0);
    expect(head).to.equal(undefined);
    const period = { name: monthOf(-2), from: first(-2), until: first(-1) };
    const { outcome } = await sqlAuditArchive(owner, 'root').drop(period, {
      ...{ file: undefined, apply: true },
    });
    expect(outcome).to.equal('dropped');
    const report = await verify();
    expect(report).to.deep.include({ events: 10, faultCount: 0 });
    expect([...report.dropped]).to.deep.equal([[monthOf(-2), 1]]);
    await owner.query('SELECT drop_audit_month($1)', [
      `audit_event_${monthOf(-3).replace('-', '_')}`,
    ]);
    expect(await faults()).to.deep.equal(['1 events_differ']);
    expect(await verify(undefined, first(-1))).to.deep.include({ expired: 2, faultCount: 0 });
  });

  it('is not stopped by an event without a time', async () => {
    await owner.execute(`INSERT INTO audit_event (at, type, subject, event_id)
      SELECT at, 'token.issued', 'timeless', gen_random_uuid()
      FROM unnest('{infinity,-infinity}'::timestamptz[]) AS at`);
    await sealed();
    expect(await verify()).to.deep.include({ events: 11, faultCount: 0 });
  });

  it('is not shut by an event with a huge id', async () => {
    await owner.query(
      `INSERT INTO audit_event (id, at, type, subject) OVERRIDING SYSTEM VALUE
       VALUES (9000000000000000000, now(), 'token.issued', $1)`,
      [randomUUID()],
    );
    await sealed();
    const { faults: found } = await verify();
    expect(found.map(({ fault }) => fault)).to.deep.equal([]);
  });
});

describeOnDatabase('the chain over an audit that was changed', (engine) => {
  useDatabase(engine);

  for (const [what, sql] of [
    ['was removed', `DELETE FROM audit_event WHERE subject = '2.2'`],
    ['was changed', `UPDATE audit_event SET reason = 'none' WHERE subject = '2.2'`],
    ['has another person', `UPDATE audit_event SET subject = '2.9' WHERE subject = '2.2'`],
    [
      'has another time',
      `UPDATE audit_event SET at = at - interval '1 millisecond' WHERE subject = '2.2'`,
    ],
    [
      'was added in between',
      `WITH gone AS (DELETE FROM audit_event WHERE subject = '2.2' RETURNING *)
       INSERT INTO audit_event (id, at, type, subject, address, about, event_id) OVERRIDING SYSTEM VALUE
       SELECT id, at, type, subject, address, about, event_id FROM gone`,
    ],
    [
      'changed places with another',
      `UPDATE audit_event e SET subject = o.subject, blind = o.blind, event_id = gen_random_uuid()
       FROM audit_event o WHERE e.subject IN ('2.1', '2.2') AND o.subject IN ('2.1', '2.2') AND e.id <> o.id`,
    ],
  ] as const) {
    it(`shows that an event ${what}`, async () => {
      await sealed();
      await owner.execute(sql);
      expect(await faults()).to.deep.equal(['2 events_differ']);
    });
  }

  it('shows an event that was added to a month that a link does not have', async () => {
    await sealed();
    await owner.query('UPDATE audit_event SET at = $1 WHERE subject = $2', [
      ...[first(-1).toISOString(), '2.2'],
    ]);
    expect(await faults()).to.deep.equal(['2 events_differ', '2 events_differ']);
  });

  it('shows a person that was taken out without a recorded erasure', async () => {
    await sealed();
    await owner.execute(
      `UPDATE audit_event SET subject = 'unknown', address = NULL, about = NULL, blind = sha256(blind || convert_to(
         json_build_array(subject, address, browser, system, about)::text, 'UTF8')) WHERE subject = '2.2'`,
    );
    expect(await faults()).to.deep.equal(['erased_without_a_record']);
  });

  it('binds nothing from before it began', async () => {
    const [link] = await owner.query<{ hash: string }>(
      `SELECT encode(hash, 'hex') AS hash FROM audit_link`,
    );
    expect(link?.hash).to.equal(createHash('sha256').digest('hex'));
    await owner.execute(`INSERT INTO audit_event (id, at, type, subject) OVERRIDING SYSTEM VALUE
      VALUES (-5, now(), 'token.issued', 'before')`);
    await sealed();
    expect(await verify()).to.deep.include({ events: 9, faultCount: 0 });
  });
});

describe('the chain over the audit of several writers', () => {
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
  });
  let owner: Database;
  let service: Database;
  beforeEach(async () => {
    const location = await postgresAsService('cls_auth_service').createLocation();
    if (location.kind !== 'postgres') throw new Error('not a PostgreSQL location');
    const { url, ownerUrl = url } = location;
    owner = await openDatabaseAsOperator({ ...location, url: ownerUrl }, 'test', silentLog);
    const { migrations, grants } = readSchema(MIGRATIONS);
    await migrate(owner, migrations, grants);
    service = await openDatabaseAsOperator(location, 'test', silentLog);
  });
  afterEach(async () => {
    await service?.close();
    await owner?.close();
  });
  const write = () =>
    service.query(
      `INSERT INTO audit_event (at, type, subject, event_id)
       SELECT now(), 'token.issued', 'svc', gen_random_uuid() FROM generate_series(1, 20)`,
    );

  it('holds each event once while several write and several seal', async () => {
    const chain = sqlAuditChain(service);
    let writing = true;
    const writers = [1, 2, 3].map(async () => {
      for (let n = 0; n < 60; n += 1) await write();
    });
    const sealers = [1, 2].map(async () => {
      while (writing) await chain.seal(0);
    });
    await Promise.all(writers);
    writing = false;
    await Promise.all(sealers);
    await chain.seal(0);
    const report = await chain.verify({ kept: undefined, keptSince: undefined });
    expect(report).to.deep.include({ events: 3_600, waiting: 0, faultCount: 0 });
    expect(report.head.number > 2n).to.equal(true);
  });

  it('waits for an event that is being written, and binds it then', async () => {
    const chain = sqlAuditChain(service);
    await write();
    await owner.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO audit_event (at, type, subject, event_id) VALUES (now(), 'token.issued', 'slow', gen_random_uuid())`,
      );
      await write();
      const refused = await chain.seal(0).catch(({ code }) => code);
      expect(refused).to.equal('55P03');
    });
    expect(await chain.seal(0)).to.include({ number: 1n });
    const report = await chain.verify({ kept: undefined, keptSince: undefined });
    expect(report).to.deep.include({ events: 41, faultCount: 0 });
  });

  it('is written by its function alone', async () => {
    for (const sql of [
      `INSERT INTO audit_link VALUES (9, 9, now(), '', '')`,
      'UPDATE audit_link SET number = 9',
      'DELETE FROM audit_link',
    ]) {
      expect(await service.execute(sql).catch(({ code }) => code)).to.equal('42501');
    }
  });
});

describeOnDatabase('the events of a running service', (engine) => {
  it('are chained within seconds, and the log has the head', async function () {
    this.timeout(60_000);
    const heads: unknown[] = [];
    const log = {
      ...silentLog,
      info: (fields: object, message: string) => {
        if (message === 'head of the audit chain') heads.push((fields as { head: string }).head);
      },
    };
    const server = await startTestAuthServer(engine, {}, undefined, log);
    try {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const { status } = await server.post('grant_type=client_credentials', {
        ...{ ...form, ...basic(server.client.id, server.client.secret) },
      });
      expect(status).to.equal(200);
      const chain = sqlAuditChain(server.database);
      await eventually(async () => {
        const { events, head, faultCount } = await chain.verify({
          kept: undefined,
          keptSince: undefined,
        });
        expect([events > 0, faultCount]).to.deep.equal([true, 0]);
        expect(heads).to.deep.equal([`${head.hash}:${head.number}`]);
      });
    } finally {
      await server.stop();
    }
  });
});
