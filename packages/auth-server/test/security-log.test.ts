import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import type { Account } from '../src/accounts/account.ts';
import { sweepAudit } from '../src/audit/sql-audit-months.ts';
import { sqlAuditReader } from '../src/audit/sql-audit-reader.ts';
import { readMessages } from '../src/web/i18n.ts';
import { type AccountWorld, BY, openAccountWorld, openAuditLog } from './support/account-world.ts';

describeOnDatabase('a person’s security log', (engine) => {
  let world: AccountWorld;
  let account: Account;
  before(async () => {
    world = await openAccountWorld(engine);
    account = await world.newAccount();
    const other = await world.newAccount();
    const audit = await openAuditLog(world);
    for (let n = 0; n < 60; n += 1) {
      const { address = '', device = {} } = BY;
      audit.record({ type: 'sign_in.succeeded', subject: account.id, address, device });
      world.pass(60);
    }
    audit.record({ type: 'sign_in.refused', subject: account.email, reason: 'password' });
    audit.record({ type: 'account.totp_enrolled', subject: account.id, about: 'Pixel 9' });
    audit.record({ type: 'account.factor_renamed', subject: account.id, about: 'hidden' });
    audit.record({ type: 'account.created', subject: other.id });
    await audit.flush();
  });
  after(() => world?.close());

  it('shows the newest first, with what it was about and from where, by pages', async () => {
    const first = await world.securityLog(account);
    expect(first.entries).to.have.length(50);
    expect(first.entries[0]).to.deep.equal({
      type: 'totp_added',
      at: world.clock.now(),
      subject: 'Pixel 9',
    });
    expect(first.entries[1]).to.include({ type: 'sign_in_failed' });
    const { device, address } = BY;
    expect(first.entries[2]).to.deep.include({ type: 'signed_in', device, address });
    const second = await world.securityLog(account, first.older);
    expect(second.entries).to.have.length(12);
    expect(second).not.to.have.property('older');
    const times = [...first.entries, ...second.entries].map(({ at }) => at.getTime());
    expect(times).to.deep.equal([...times].sort((a, b) => b - a));
  });

  it('shows nothing of others, and has words for everything that it shows', async () => {
    const { entries } = await world.securityLog(account);
    expect(entries.map(({ type }) => type)).not.to.include('account_created');
    const messages = readMessages('en') as Record<string, string>;
    for (const { type } of entries) expect(messages).to.have.property(`log.event.${type}`);
  });

  for (const cursor of ['', '-1', '1.5', '9'.repeat(30), "1' OR '1'='1", 'x']) {
    it(`begins at the newest for the cursor ${JSON.stringify(cursor)}`, async () => {
      expect((await world.securityLog(account, cursor)).entries[0]?.type).to.equal('totp_added');
    });
  }

  it('is as old as audit events are kept, however many there are', async () => {
    const audit = await openAuditLog(world);
    await world.database.query(
      `INSERT INTO audit_event (id, at, type, subject) OVERRIDING SYSTEM VALUE
       SELECT -n, $1::timestamptz - interval '30 days', 'sign_in.succeeded', 'many'
       FROM generate_series(1, 12000) AS n`,
      [world.clock.now().toISOString()],
    );
    world.pass(90_000);
    const kept = await world.newAccount();
    audit.record({ type: 'account.created', subject: kept.id });
    await audit.flush();
    const entries = async (who: Account) => (await world.securityLog(who)).entries.length;
    const many = async () =>
      (await world.database.query(`SELECT FROM audit_event WHERE subject = 'many'`)).length;
    await sweepAudit(world.database, world.clock, 2);
    expect(await many(), 'their month is not over for two days').to.equal(12_000);
    await sweepAudit(world.database, world.clock, 1);
    expect([await many(), await entries(account), await entries(kept)]).to.deep.equal([0, 50, 1]);
    world.pass(31 * 86_400);
    await sweepAudit(world.database, world.clock, 1);
    expect([await entries(account), await entries(kept)]).to.deep.equal([0, 0]);
  });

  it('reads no more of the log than it shows, whatever happened to others since', async () => {
    const busy = await world.newAccount();
    await world.database.query(
      `INSERT INTO audit_event (at, type, subject)
       SELECT now(), 'sign_in.refused', CASE WHEN n <= 20000 THEN $1 ELSE 'other-' || n % 7 END
       FROM generate_series(1, 60000) AS n`,
      [busy.email],
    );
    await world.database.execute('ANALYZE audit_event');
    const plans: Plan[] = [];
    const explained: Database = {
      ...world.database,
      async query(sql, params) {
        const [row] = await world.database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
          params,
        );
        if (row !== undefined) plans.push(row['QUERY PLAN'][0].Plan);
        return world.database.query(sql, params);
      },
    };
    const page = { types: ['sign_in.refused', 'sign_in.succeeded'], limit: 51 } as const;
    const subjects = [busy.id, busy.email];
    const first = await sqlAuditReader(explained).eventsOf(subjects, page);
    const before = first.at(-1)?.id ?? 0n;
    const second = await sqlAuditReader(explained).eventsOf(subjects, { ...page, before });
    expect([first.length, second.length]).to.deep.equal([51, 51]);
    expect(second[0]?.id).to.equal(before - 1n);
    for (const plan of plans) expect(rowsRead(plan)).to.be.at.most(2 * page.limit);
  });
});

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Rows of tables that a plan looked at. */
function rowsRead(plan: Plan): number {
  const { Plans: parts = [], 'Rows Removed by Filter': removed = 0 } = plan;
  const own =
    plan['Relation Name'] === undefined
      ? 0
      : (plan['Actual Rows'] + removed) * plan['Actual Loops'];
  return parts.reduce((sum, part) => sum + rowsRead(part), own);
}
