import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { linesOfFile } from '@cls/shared/cli/lines-of-file';
import { silentLog } from '@cls/shared/log';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { migrate, readMigrations, readSchema } from '@cls/shared/sql/migrate';
import { makeStore } from '@cls/testing/embedded-template';
import { describeOnDatabase, postgresAsService } from '@cls/testing/engines';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { readExport } from '../src/audit/audit-archive.ts';
import { sqlAuditArchive } from '../src/audit/sql-audit-archive.ts';
import { sqlAuditChain } from '../src/audit/sql-audit-chain.ts';
import { sweepAudit } from '../src/audit/sql-audit-months.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { KEY } from './support/auth-server.ts';
import { MIGRATIONS_OF_0_5_0 } from './support/release.ts';
import { runTool } from './support/tool.ts';

const DAY_MS = 86_400_000;
const clock = { now: () => new Date() };
/** The first of the month that many months from now, in UTC. */
const first = (offset: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
};
const nameOf = (offset: number) => first(offset).toISOString().slice(0, 7);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function insert(database: Database, at: Date, subjects: readonly string[]) {
  await database.query(
    `INSERT INTO audit_event (at, type, subject, client_id, browser, event_id)
     SELECT $1::timestamptz + n * interval '1 millisecond', 'token.issued', subject, 'svc_1', 'Firefox', gen_random_uuid()
     FROM unnest($2::text[]) WITH ORDINALITY AS one (subject, n)`,
    [at.toISOString(), subjects],
  );
}

describeOnDatabase('cls-auth audit', (engine) => {
  let location: DatabaseLocation;
  let owner: Database;
  let folder: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    folder = temporaryDirectory('cls-audit-');
    // On PostgreSQL as a service that does not own its schema.
    const made = engine.name === 'PGlite' ? engine : postgresAsService('cls_auth_service');
    location = await made.createLocation(engine.name === 'PGlite' ? MIGRATIONS : undefined);
    if (location.kind === 'embedded') {
      const dataDir = join(folder, 'data');
      const directory = join(dataDir, 'auth-server', 'database');
      mkdirSync(join(dataDir, 'auth-server'), { recursive: true });
      renameSync(location.directory, directory);
      env = { CLS_DATA_DIR: dataDir };
      owner = await openDatabaseAsOperator({ ...location, directory }, 'test', silentLog);
    } else {
      const { url, ownerUrl = url } = location;
      owner = await openDatabaseAsOperator({ ...location, url: ownerUrl }, 'test', silentLog);
      const { migrations, grants } = readSchema(MIGRATIONS);
      await migrate(owner, migrations, grants);
      env = {
        AUTH_DATABASE_URL: url.expose(),
        RUN_MIGRATIONS: '0',
        KEY_ENCRYPTION_KEY: KEY,
        CLS_DATA_DIR: join(folder, 'data'),
      };
    }
    for (const offset of [-3, -2, -1, 0]) {
      await insert(owner, first(offset), [`of ${offset}`, 'a name\u2028of "two" lines\r\n']);
    }
    await sweepAudit(owner, clock, 0);
  });
  afterEach(() => owner?.close());
  const run = async (words: string, settings: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await runTool([...words.split(' '), '--json'], {
      ...{ ...env, ...settings },
    });
    return { code, said: stderr.trim(), document: code === 0 ? JSON.parse(stdout) : undefined };
  };
  const subjects = async () =>
    (await owner.query<{ subject: string }>('SELECT subject FROM audit_event ORDER BY at')).map(
      ({ subject }) => subject,
    );
  const forEver = { AUDIT_RETENTION_DAYS: '0' };
  const recorded = async (type: string) =>
    (
      await owner.query<{ line: string }>(
        `SELECT subject || ': ' || about AS line FROM audit_event WHERE type = $1`,
        [type],
      )
    ).map(({ line }) => line);

  it('lists the months with their events and until when each is kept', async () => {
    const { document } = await run('audit months --count', { AUDIT_RETENTION_DAYS: '30' });
    const months = document.map((one: { month: string }) => one.month);
    const named = [-3, -2, -1, 0, 1, 2, 3].map(nameOf);
    expect(months).to.deep.equal([...named, 'other']);
    const [oldest] = document;
    expect(oldest).to.deep.include({
      ...{ month: nameOf(-3), events: '2', state: 'attached', from: first(-3).toISOString() },
      ...{ until: first(-2).toISOString() },
      keptUntil: new Date(first(-2).getTime() + 30 * DAY_MS).toISOString(),
    });
    expect(Number(oldest.bytes)).to.be.greaterThan(0);
    const { stdout } = await runTool(['audit', 'months'], { ...env, ...forEver });
    expect(stdout).to.match(/^month +events +MB +state +kept\n\d{4}-\d\d .* for ever\n/);
  });

  it('finds events by account, client, address, type and time, the newest first', async () => {
    await owner.query(
      `INSERT INTO audit_event (at, type, subject, client_id, address, request_id, reason, event_id)
       SELECT now() - n * interval '1 hour', type, subject, client_id, address, 'req-' || n, 'none', gen_random_uuid()
       FROM (VALUES (1, 'key.staged', 'kid', NULL, NULL), (2, 'token.refused', 'svc_2', 'svc_2', '192.0.2.9'),
         (3, 'sign_in.refused', 'asha@bank.example', 'app_1', '192.0.2.9'), (99, 'token.issued', 'svc_2', NULL, NULL)
       ) AS event (n, type, subject, client_id, address)`,
    );
    const found = async (options: string) => {
      const { document } = await run(`audit list ${options}`, forEver);
      return document.map(({ requestId }: { requestId: string }) => requestId);
    };
    expect(await found('--client svc_2')).to.deep.equal(['req-2', 'req-99']);
    expect(await found('--client svc_2 --since 24h')).to.deep.equal(['req-2']);
    expect(await found('--client app_1')).to.deep.equal(['req-3']);
    expect(await found('--account Asha@Bank.example')).to.deep.equal(['req-3']);
    expect(await found('--address 192.0.2.9')).to.deep.equal(['req-2', 'req-3']);
    expect(await found('--type key.* sign_in.refused')).to.deep.equal(['req-1', 'req-3']);
    expect(await found('--address 192.0.2.9 --limit 1')).to.deep.equal(['req-2']);
    const until = new Date(Date.now() - 2.5 * 3_600_000).toISOString();
    expect(await found(`--address 192.0.2.9 --until ${until}`)).to.deep.equal(['req-3']);
    const { document } = await run('audit list --client svc_2 --limit 1', forEver);
    expect(document).to.have.length(1);
    expect(document[0]).to.include({
      ...{ type: 'token.refused', subject: 'svc_2', clientId: 'svc_2', address: '192.0.2.9' },
    });
    for (const since of ['lately', '2026-11-31', '2026-02-29T00:00:00Z']) {
      expect((await run(`audit list --since ${since}`)).said).to.include(
        '--since: expected a time such as 2026-05-17T08:00:00Z',
      );
    }
    for (const options of [
      '--until 40d',
      '--since 2d --until 3d',
      '--since 2026-05-17 --until 2026-05-17',
    ]) {
      const { code, said } = await run(`audit list ${options}`);
      expect([code, said], options).to.deep.equal([
        2,
        '--until: expected a time after --since, which is 30 days ago where it is not given',
      ]);
    }
    for (const type of ['%', 'token.isued', 'sign-in.*']) {
      const { said } = await run(`audit list --type ${type}`);
      expect(said).to.include('--type: expected types such as token.refused or key.*');
    }
  });

  it('says that the audit is as it was chained, from a head that was kept, and what is not', async () => {
    const link = await sqlAuditChain(owner).seal(0);
    const head = `${link?.hash}:${link?.number}`;
    const { document } = await run(`audit verify --head ${head}`, forEver);
    expect(document).to.deep.equal({
      ...{ head, events: 8, expired: 0, waiting: 0, erased: 0, dropped: {} },
    });
    const other = await run(`audit verify --head ${'0'.repeat(64)}:1`, forEver);
    expect([other.code, other.said]).to.deep.equal([
      ...[
        1,
        'the audit is not as it was chained:\nlink 1 has another hash than the head that was kept',
      ],
    ]);
    await owner.query(`DELETE FROM audit_event WHERE subject = 'of -1'`);
    const changed = await run('audit verify', forEver);
    expect(changed.code).to.equal(1);
    expect(changed.said).to.include(`link 1 has 2 events of ${nameOf(-1)}, the database 1`);
    expect((await run('audit verify --head 12')).said).to.include('--head: expected hash:number');
  });

  it('lists a month that was detached, and leaves it alone', async () => {
    const table = `audit_event_${nameOf(-3).replace('-', '_')}`;
    await owner.execute(`ALTER TABLE audit_event DETACH PARTITION ${table}`);
    const { document } = await run('audit months');
    expect(document.at(-1)).to.include({ month: nameOf(-3), state: 'detached' });
    const refused = await run(`audit drop ${nameOf(-3)} --apply`, { AUDIT_RETENTION_DAYS: '1' });
    expect([refused.code, refused.said]).to.deep.equal([
      ...[1, `the audit has no month ${nameOf(-3)}; cls-auth audit months lists them`],
    ]);
    expect(await owner.query(`SELECT FROM ${table}`)).to.have.length(2);
  });

  it('exports a month as NDJSON with a summary, which nobody else may read', async () => {
    const file = join(folder, 'audit.ndjson');
    const { document } = await run(`audit export ${nameOf(-2)} ${file}`);
    const text = readFileSync(file, 'utf8');
    const lines = text.trimEnd().split('\n');
    const [one, two, summary] = lines.map((line) => JSON.parse(line));
    expect(lines).to.have.length(3);
    expect(one).to.have.keys('id', 'eventId', 'at', 'type', 'subject', 'clientId', 'browser');
    expect(one).to.include({ type: 'token.issued', subject: 'of -2', clientId: 'svc_1' });
    expect(new Date(one.at).getTime()).to.equal(first(-2).getTime() + 1);
    expect(two.subject).to.equal('a name\u2028of "two" lines\r\n');
    const checksum = sha256(
      lines
        .slice(0, -1)
        .map((line) => `${line}\n`)
        .join(''),
    );
    expect(summary).to.deep.equal({
      ...{ object: 'summary', month: nameOf(-2), events: 2, sha256: checksum },
    });
    expect(document).to.deep.equal({ file, month: nameOf(-2), events: 2, sha256: checksum });
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(await recorded('audit.month_exported')).to.deep.equal([
      `${nameOf(-2)}: 2 events, sha256 ${checksum}`,
    ]);
  });

  it('overwrites no file, and leaves none for a month that it does not have', async () => {
    const file = join(folder, 'audit.ndjson');
    writeFileSync(file, 'mine');
    const there = await run(`audit export ${nameOf(-2)} ${file}`);
    expect(there.said).to.equal(`${file} cannot be written: it is there already`);
    expect(readFileSync(file, 'utf8')).to.equal('mine');
    const none = await run(`audit export 1999-05 ${join(folder, 'none')}`);
    expect(none.said).to.include('the audit has no month 1999-05');
    const current = await run(`audit export ${nameOf(0)} ${join(folder, 'current')}`);
    expect([current.code, current.said]).to.deep.equal([
      ...[0, `${nameOf(0)} is not over: events will be added`],
    ]);
    expect(
      readdirSync(folder)
        .filter((name) => name !== 'data')
        .sort(),
    ).to.deep.equal([...['audit.ndjson', 'current']]);
  });

  it('has nothing to export of a month that was over when the store was made', async () => {
    await owner.query(`DELETE FROM audit_event WHERE subject = 'of -1'`);
    await owner.execute(`DROP TABLE audit_event_${nameOf(-1).replace('-', '_')}`);
    const task = `tasks run audit-export --folder ${folder}`;
    const none = await run(task);
    expect([none.code, none.document, none.said]).to.deep.equal([
      ...[0, { file: null, month: nameOf(-1), events: 0, sha256: null }, ''],
    ]);
    const { stdout } = await runTool(task.split(' '), env);
    expect(stdout).to.equal(`nothing to export: the store was made after ${nameOf(-1)}\n`);
    await owner.query(`UPDATE schema_migration SET applied_at = $1`, [first(-1).toISOString()]);
    const dropped = await run(task);
    expect([dropped.code, dropped.said]).to.deep.equal([
      ...[1, `the audit has no month ${nameOf(-1)}; cls-auth audit months lists them`],
    ]);
  });

  it('counts the export of a month as done where a run that was killed has left all of it', async () => {
    const file = join(folder, `audit-${nameOf(-1)}.ndjson`);
    const task = `tasks run audit-export --folder ${folder}`;
    const done = async () => {
      const { document } = await run('tasks list');
      return document.find((one: { task: string }) => one.task === 'audit-export').secondsAgo;
    };
    const { document } = await run(`audit export ${nameOf(-1)} ${file}`);
    const text = readFileSync(file, 'utf8');
    for (const [damaged, says] of [
      [text.slice(0, text.lastIndexOf('{')), 'it is cut: it has no summary'],
      [text.replace('of -1', 'of -9'), 'its checksum is wrong: it was changed or damaged'],
    ] as const) {
      writeFileSync(file, damaged);
      const refused = await run(task);
      expect([refused.code, refused.said]).to.deep.equal([
        ...[1, `${file} is not as audit export wrote it: ${says}`],
      ]);
    }
    writeFileSync(file, text);
    expect(await done()).to.equal(null);
    const again = await run(task);
    expect([again.code, again.document]).to.deep.equal([0, document]);
    expect(readFileSync(file, 'utf8')).to.equal(text);
    expect(await done()).to.be.a('number');
    await insert(owner, first(-1), ['late']);
    expect((await run(task)).said).to.equal(
      `${file} does not have the events of ${nameOf(-1)}: it has 2, the database 3; rename it, and export the month again`,
    );
    const other = await run(`audit export ${nameOf(-2)} ${file} --unless-done`);
    expect(other.said).to.equal(`${file} has the events of ${nameOf(-1)}, not ${nameOf(-2)}`);
  });

  it('drops a month that is older than is kept, when told to apply, and says so in the audit', async () => {
    const settings = { AUDIT_RETENTION_DAYS: '1' };
    const dry = await run(`audit drop ${nameOf(-3)}`, settings);
    expect(dry.document).to.deep.equal({ month: nameOf(-3), events: '2', dropped: false });
    expect(await subjects()).to.include('of -3');
    const done = await run(`audit drop ${nameOf(-3)} --apply`, settings);
    expect(done.document).to.deep.equal({ month: nameOf(-3), events: '2', dropped: true });
    expect(await subjects()).not.to.include('of -3');
    expect(await subjects()).to.include.members(['of -2', 'of -1', 'of 0']);
    expect(await recorded('audit.month_dropped')).to.deep.equal([`${nameOf(-3)}: 2 events`]);
    const again = await run(`audit drop ${nameOf(-3)} --apply`, settings);
    expect(again.said).to.include(`the audit has no month ${nameOf(-3)}`);
  });

  it('refuses to drop a month that is kept, that is not over, or that is no month', async () => {
    const before = await subjects();
    const kept = new Date(first(-2).getTime() + 400 * DAY_MS).toISOString().slice(0, 10);
    for (const [words, settings, says] of [
      [
        nameOf(-3),
        {},
        `${nameOf(-3)} is kept until ${kept} (AUDIT_RETENTION_DAYS is 400); nothing was dropped`,
      ],
      [
        nameOf(-3),
        forEver,
        `AUDIT_RETENTION_DAYS is 0, so ${nameOf(-3)} is kept for ever: give --exported <file> to drop what a file keeps`,
      ],
      [nameOf(0), { AUDIT_RETENTION_DAYS: '1' }, `${nameOf(0)} is not over, and cannot be dropped`],
      [
        `before-${nameOf(0)}`,
        { AUDIT_RETENTION_DAYS: '1' },
        `the audit has no month before-${nameOf(0)}; cls-auth audit months lists them`,
      ],
    ] as const) {
      const refused = await run(`audit drop ${words} --apply`, settings);
      expect([refused.code, refused.said]).to.deep.equal([1, says]);
    }
    expect(await subjects()).to.deep.equal(before);
  });

  it('drops what a file keeps, and nothing that came after the file or is not in it', async () => {
    const file = join(folder, 'audit.ndjson');
    const drop = `audit drop ${nameOf(-2)} --apply --exported`;
    await run(`audit export ${nameOf(-2)} ${file}`);
    // It waited in the file of a process that was away.
    await insert(owner, first(-2), ['late']);
    const late = await run(`${drop} ${file}`, forEver);
    expect(late.said).to.equal(
      `the file does not have the events of ${nameOf(-2)}: it has 2, the database 3; nothing was dropped: export it again`,
    );
    const whole = join(folder, 'whole.ndjson');
    await run(`audit export ${nameOf(-2)} ${whole}`);
    const text = readFileSync(whole, 'utf8');
    for (const [name, changed, says] of [
      ['cut', text.slice(0, text.lastIndexOf('{')), 'it is cut: it has no summary'],
      [
        'of-a-customer',
        text.replace(`"month":"${nameOf(-2)}"`, '"customer":"bank"'),
        'it has the events of a customer, not of a month',
      ],
      [
        'changed',
        text.replace('of -2', 'of -9'),
        'its checksum is wrong: it was changed or damaged',
      ],
      ['longer', `${text}{}\n`, 'something follows its summary'],
      ['other', 'at,type\n', 'a line is no JSON object'],
    ] as const) {
      const damaged = join(folder, name);
      writeFileSync(damaged, changed);
      const refused = await run(`${drop} ${damaged}`, forEver);
      expect(refused.said).to.equal(`${damaged} is not as audit export wrote it: ${says}`);
    }
    const missing = await run(`${drop} ${join(folder, 'missing')}`, forEver);
    expect(missing.said).to.equal(`${join(folder, 'missing')} cannot be read (ENOENT)`);
    const wrong = await run(`audit drop ${nameOf(-1)} --apply --exported ${whole}`, forEver);
    expect(wrong.said).to.equal(`${whole} has the events of ${nameOf(-2)}, not ${nameOf(-1)}`);
    expect(await subjects()).to.include.members(['of -2', 'late']);
    const done = await run(`${drop} ${whole}`, forEver);
    expect(done.document).to.include({ dropped: true, events: '3' });
    expect(await subjects()).not.to.include('of -2');
    const [line] = await recorded('audit.month_dropped');
    expect(line).to.equal(
      `${nameOf(-2)}: 3 events, sha256 ${JSON.parse(text.trimEnd().split('\n').at(-1) ?? '').sha256}`,
    );
  });

  it('does not drop in the first day after a month, also where the audit is kept for ever', async () => {
    for (const offset of [-3, -2, -1, 0, 1, 2, 3]) {
      await owner.execute(`DROP TABLE audit_event_${nameOf(offset).replace('-', '_')}`);
    }
    const end = new Date(Date.now() - 3_600_000);
    await owner.execute(
      `CREATE TABLE audit_event_before_2001_02 PARTITION OF audit_event
       FOR VALUES FROM (MINVALUE) TO ('${end.toISOString()}')`,
    );
    const file = join(folder, 'audit.ndjson');
    await run(`audit export before-2001-02 ${file}`);
    const refused = await run(`audit drop before-2001-02 --apply --exported ${file}`, forEver);
    const droppable = new Date(end.getTime() + DAY_MS).toISOString();
    expect(refused.said).to.equal(
      `before-2001-02 can be dropped a day after its end, from ${droppable} on; nothing was dropped`,
    );
    expect(await owner.query('SELECT FROM audit_event_before_2001_02')).to.have.length(0);
  });

  it('does not take a file of the same number of other events', async () => {
    const file = join(folder, 'audit.ndjson');
    await run(`audit export ${nameOf(-2)} ${file}`);
    await owner.query('DELETE FROM audit_event WHERE subject = $1', ['of -2']);
    await insert(owner, first(-2), ['another']);
    const refused = await run(`audit drop ${nameOf(-2)} --apply --exported ${file}`, forEver);
    expect(refused.said).to.include('it has 2, the database 2; nothing was dropped');
    expect(await subjects()).to.include('another');
  });

  // An embedded database has one session, so nobody else reads.
  if (engine.name === 'PostgreSQL') {
    it('loses no event that is written while the month is exported and dropped', async () => {
      const archive = sqlAuditArchive(owner);
      const period = { name: nameOf(-2), from: first(-2), until: first(-1) };
      const written: string[] = [];
      let dropped = false;
      const writer = async () => {
        for (let after = 0; after < 10; after += dropped ? 1 : 0) {
          const id = randomUUID();
          await owner.query(
            `INSERT INTO audit_event (at, type, subject, event_id) VALUES ($1, 'token.issued', 'late', $2)`,
            [first(-2).toISOString(), id],
          );
          written.push(id);
          // Ever less often, so that the month is once as it was exported.
          await new Promise((resolve) => setTimeout(resolve, 10 + written.length));
        }
      };
      const archivist = async () => {
        for (;;) {
          let text = '';
          await archive.export(period, async (lines) => {
            text += lines;
          });
          const file = await readExport(linesOfFile(Readable.from([Buffer.from(text)])));
          const { outcome } = await archive.drop(period, { file, apply: true });
          dropped = outcome === 'dropped';
          if (dropped) return text;
        }
      };
      const [text] = await Promise.all([archivist(), writer(), writer()]);
      const rows = await owner.query<{ id: string }>(
        `SELECT event_id::text AS id FROM audit_event WHERE subject = 'late'`,
      );
      const left = new Set(rows.map(({ id }) => id));
      expect(left.size).to.be.greaterThan(0);
      expect(written.filter((id) => !text.includes(id) && !left.has(id))).to.deep.equal([]);
      expect(written.filter((id) => text.includes(id) && left.has(id))).to.deep.equal([]);
    });

    it('drops nothing while a backup reads the audit, and does after it', async () => {
      const settings = { AUDIT_RETENTION_DAYS: '1' };
      const busy = await owner.transaction(async (transaction) => {
        await transaction.query('SELECT FROM audit_event LIMIT 1');
        return run(`audit drop ${nameOf(-3)} --apply`, settings);
      });
      expect([busy.code, busy.said]).to.deep.equal([
        1,
        'somebody reads the audit for long, such as a backup; nothing was dropped: try again later',
      ]);
      expect(await recorded('audit.month_dropped')).to.deep.equal([]);
      expect((await run(`audit drop ${nameOf(-3)} --apply`, settings)).code).to.equal(0);
    });
  }
});

describe('cls-auth audit on a store of 0.4.0 that was upgraded', () => {
  let owner: Database;
  let folder: string;
  before(async () => {
    folder = temporaryDirectory('cls-audit-');
    const directory = join(folder, 'auth-server', 'database');
    await makeStore(directory);
    owner = await openDatabaseAsOperator({ kind: 'embedded', directory }, 'test', silentLog);
    const old = readMigrations(MIGRATIONS_OF_0_5_0);
    await migrate(owner, old.slice(0, 20));
    for (const offset of [-3, -2]) await insert(owner, first(offset), [`of ${offset}`]);
    await migrate(owner, old);
    await migrate(owner, readMigrations(MIGRATIONS));
  });
  after(() => owner?.close());
  const run = (words: string) =>
    runTool(words.split(' '), { CLS_DATA_DIR: folder, AUDIT_RETENTION_DAYS: '1' });
  const earlier = `before-${nameOf(2)}`;
  const exported = (name: string) =>
    readFileSync(join(folder, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ subject, events }) => subject ?? events);

  it('exports a month, and all that came before there were months', async () => {
    expect((await run('audit months')).stdout).to.include(`${earlier} `);
    await run(`audit export ${nameOf(-2)} ${join(folder, 'month')}`);
    expect(exported('month')).to.deep.equal(['of -2', 1]);
    const all = await run(`audit export ${earlier} ${join(folder, 'all')}`);
    expect(all.stderr).to.equal(`${earlier} is not over: events will be added\n`);
    // With the first export.
    expect(exported('all')).to.deep.equal(['of -3', 'of -2', nameOf(-2), 3]);
  });

  it('drops no part of what came before there were months', async () => {
    const part = await run(`audit drop ${nameOf(-3)} --apply`);
    expect(part.stderr).to.equal(
      `${nameOf(-3)} is part of ${earlier}, which is dropped as a whole\n`,
    );
    const all = await run(`audit drop ${earlier} --apply`);
    expect(all.stderr).to.equal(`${earlier} is not over, and cannot be dropped\n`);
    expect(await owner.query('SELECT FROM audit_event')).to.have.length(4);
  });
});
