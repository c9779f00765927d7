import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase, describeOnEngines, requireServer } from '@cls/testing/engines';
import { type FaultProxy, faultProxy } from '@cls/testing/fault-proxy';
import {
  endWithTests,
  eventually,
  freePort,
  postgresServer,
  temporaryDirectory,
} from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlAuditLog } from '../src/audit/sql-audit-log.ts';
import { openAccountWorld, openAuditLog } from './support/account-world.ts';
import { basic, createCallers, KEY } from './support/auth-server.ts';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));

describe('the audit of a real process on PostgreSQL', function () {
  this.timeout(180_000);
  let proxy: FaultProxy;
  let records: Database;
  let admin: Database;
  let env: Record<string, string>;
  let headers: Record<string, string>;
  let child: ChildProcess;
  let issuer: string;
  let logged = '';
  /** The request ids of what was answered with a token. */
  let acknowledged: string[];

  /** With a limit, in blocks, for what it writes to a file: as if its disk were that large. */
  const spawnWithLimit = (limit: string) =>
    // The shell ignores the signal of a file that grows too large, and so does what it becomes.
    spawn(
      'sh',
      ['-c', `trap '' XFSZ; ulimit -f ${limit}; exec "$0" "$@"`, process.execPath, MAIN],
      { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
  const start = async (limit = 'unlimited') => {
    child = endWithTests(spawnWithLimit(limit));
    child.stdout?.on('data', (part) => {
      logged += part;
    });
    child.stderr?.resume();
    await eventually(async () => {
      if (!(await fetch(`${issuer}/readyz`)).ok) throw new Error('not ready');
    });
  };
  const stop = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  };
  const tokens = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      const id = `req_${randomUUID()}`;
      const response = await fetch(`${issuer}/oauth/token`, {
        method: 'POST',
        headers: { ...headers, 'x-request-id': id },
        body: 'grant_type=client_credentials',
      });
      await response.text();
      if (response.status === 200) acknowledged.push(response.headers.get('x-request-id') ?? '');
    }
  };
  const recorded = async () => {
    const rows = await records.query<{ request_id: string }>(
      `SELECT request_id FROM audit_event WHERE type = 'token.issued' ORDER BY id`,
    );
    return rows.map(({ request_id }) => request_id);
  };
  /** Each acknowledged token is in the table, and once. */
  const complete = () =>
    eventually(async () => {
      const ids = await recorded();
      expect(ids.filter((id) => acknowledged.includes(id)).sort()).to.deep.equal(
        [...acknowledged].sort(),
      );
      expect(new Set(ids).size).to.equal(ids.length);
    });

  before(async function () {
    const server = await postgresServer();
    requireServer(this, 'PostgreSQL', server);
    const url = new URL(await server.createDatabase());
    proxy = await faultProxy(Number(url.port));
    const proxied = new URL(url);
    proxied.port = `${proxy.port}`;
    const port = await freePort();
    issuer = `http://localhost:${port}`;
    env = {
      ISSUER: issuer,
      AUTH_PORT: `${port}`,
      AUTH_DATABASE_URL: proxied.href,
      KEY_ENCRYPTION_KEY: KEY,
      COOKIE_KEY: KEY,
      CLS_DATA_DIR: join(temporaryDirectory('cls-audit-'), 'data'),
      AUDIT_FSYNC: 'all',
    };
    await start();
    const location = { kind: 'postgres', url: new Secret(url.href), poolSize: 2 } as const;
    records = await openDatabaseAsOperator(location, 'test', silentLog);
    admin = await openDatabaseAsOperator(location, 'test', silentLog);
    const { client } = await createCallers(records);
    headers = basic(client.id, client.secret);
    acknowledged = [];
    await tokens(5);
    await complete();
  });
  after(async () => {
    child?.kill('SIGKILL');
    await records?.close();
    await admin?.close();
    await proxy?.close();
  });

  it('holds every token of a process that was killed while the table was locked', async () => {
    await admin.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE audit_event IN ACCESS EXCLUSIVE MODE');
      await tokens(20);
      await stop('SIGKILL');
    });
    expect(acknowledged.length).to.be.above(10);
    await start();
    await tokens(3);
    await complete();
  });

  it('holds every token that was given out while the database was read-only', async () => {
    const [{ name } = { name: '' }] = await records.query<{ name: string }>(
      'SELECT current_database() AS name',
    );
    const readOnly = async (on: boolean) => {
      await admin.transaction(async (transaction) => {
        await transaction.execute('SET TRANSACTION READ WRITE');
        await transaction.execute(
          `ALTER DATABASE ${name} SET default_transaction_read_only = ${on ? 'on' : 'off'}`,
        );
      });
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'cls-auth-server'`,
      );
    };
    const before = acknowledged.length;
    await readOnly(true);
    await eventually(async () => {
      await tokens(1);
      expect(acknowledged.length).to.be.above(before);
    });
    await tokens(10);
    await readOnly(false);
    await complete();
  });

  it('holds every token once that was given out while the database was frozen', async () => {
    const before = acknowledged.length;
    proxy.arm(0, 'late');
    await tokens(5);
    proxy.heal();
    await eventually(async () => {
      await tokens(1);
      expect(acknowledged.length).to.be.above(before);
    });
    await complete();
    // The answer of the writing stays away: it is written again, and is there once.
    await tokens(5);
    proxy.arm(0, 'cut after');
    await tokens(5);
    proxy.heal();
    await complete();
  });

  it('gives out no token that it cannot keep in its file', async () => {
    await stop('SIGTERM');
    await start('8');
    await admin.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE audit_event IN ACCESS EXCLUSIVE MODE');
      const before = acknowledged.length;
      await tokens(80);
      expect(acknowledged.length - before).to.be.within(5, 79);
      const response = await fetch(`${issuer}/oauth/token`, {
        method: 'POST',
        headers,
        body: 'grant_type=client_credentials',
      });
      expect(response.status).to.equal(503);
      expect(await response.json()).to.have.property('error', 'temporarily_unavailable');
    });
    await complete();
    const before = acknowledged.length;
    await eventually(async () => {
      await tokens(1);
      expect(acknowledged.length, 'it goes on').to.be.above(before);
    });
    await complete();
  });

  it('is not ready while its disk is full, and logs the end of that when it can write again', async () => {
    await stop('SIGTERM');
    logged = '';
    await start();
    const readiness = async () => {
      const response = await fetch(`${issuer}/readyz`);
      const { checks } = (await response.json()) as { checks: Record<string, string> };
      return [response.status, checks['database'], checks['audit']];
    };
    const limit = (bytes: string) =>
      execFileSync('prlimit', ['--pid', `${child.pid}`, `--fsize=${bytes}:unlimited`]);
    limit('0');
    const before = acknowledged.length;
    await tokens(1);
    expect(acknowledged.length, 'no token').to.equal(before);
    expect(await readiness()).to.deep.equal([503, 'ok', 'unavailable']);
    // Longer than an outage must have been over before its end is logged.
    await sleep(7_000);
    expect(logged).to.include('a store that is needed does not answer');
    expect(logged).not.to.include('the stores that are needed answer again');
    limit('unlimited');
    await eventually(async () => expect(await readiness()).to.deep.equal([200, 'ok', 'ok']));
    await eventually(async () => {
      expect(logged).to.include('the stores that are needed answer again');
    }, 20_000);
    await tokens(1);
    expect(acknowledged.length, 'it goes on').to.equal(before + 1);
    await complete();
  });

  it('leaves no file behind when it is stopped, nor when it cannot start on a full disk', async () => {
    await stop('SIGTERM');
    await complete();
    const spools = join(env['CLS_DATA_DIR'] ?? '', 'auth-server', 'audit-spool');
    expect(readdirSync(spools)).to.deep.equal([]);
    const full = spawnWithLimit('0');
    const ended = new Promise((resolve) => full.once('close', resolve));
    let said = '';
    full.stderr?.on('data', (part) => {
      said += part;
    });
    expect(await ended).not.to.equal(0);
    expect(said).to.include('(EFBIG); free space on its disk');
    expect(readdirSync(spools)).to.deep.equal([]);
  });
});

const subjects = async (database: Database) => {
  const rows = await database.query<{ subject: string }>(
    'SELECT subject FROM audit_event ORDER BY id',
  );
  return rows.map(({ subject }) => subject);
};
const event = (subject: string) => ({ type: 'token.issued', subject }) as const;

describeOnDatabase('the spool of the audit', (engine) => {
  const line = (subject: string) =>
    JSON.stringify({ id: randomUUID(), at: '2026-01-01T00:00:00Z', ...event(subject) });
  /** What a process with events left when it died. */
  const leave = (directory: string, name: string, ...events: readonly string[]) => {
    const left = join(directory, name);
    mkdirSync(left);
    writeFileSync(join(left, 'events.jsonl'), events.map((one) => `${line(one)}\n`).join(''));
    return left;
  };

  it('of a process that died is written by the next, without its torn last line', async () => {
    const world = await openAccountWorld(engine);
    const directory = temporaryDirectory('cls-audit-');
    const left = leave(directory, 'spool_of_the_dead', 'first', 'second');
    appendFileSync(join(left, 'events.jsonl'), line('torn').slice(0, 40));
    const audit = await openAuditLog(world, directory, 'all');
    await audit.catchUp();
    expect(await subjects(world.database)).to.deep.equal(['first', 'second']);
    expect(existsSync(left)).to.equal(false);
    await audit.flush();
    await world.close();
  });

  it('is written whole around a line that a full disk has torn', async () => {
    const world = await openAccountWorld(engine);
    const directory = temporaryDirectory('cls-audit-');
    const left = leave(directory, 'spool_of_the_dead', 'first');
    appendFileSync(join(left, 'events.jsonl'), `${line('torn').slice(0, 40)}\n${line('last')}\n`);
    const audit = await openAuditLog(world, directory, 'all');
    await audit.catchUp();
    expect(await subjects(world.database)).to.deep.equal(['first', 'last']);
    await audit.flush();
    await world.close();
  });

  it('of each of two processes that died is written, though the database was away at first', async () => {
    const world = await openAccountWorld(engine);
    const directory = temporaryDirectory('cls-audit-');
    leave(directory, 'spool_a', 'of the first');
    leave(directory, 'spool_b', 'of the second');
    let away = true;
    const query = ((...words: Parameters<Database['query']>) =>
      away
        ? Promise.reject(new Error('away'))
        : world.database.query(...words)) as Database['query'];
    const audit = await openAuditLog(
      { ...world, database: { ...world.database, query } },
      directory,
      'all',
    );
    await audit.catchUp();
    expect(await subjects(world.database)).to.deep.equal([]);
    away = false;
    await audit.catchUp();
    expect(await subjects(world.database)).to.have.members(['of the first', 'of the second']);
    await audit.flush();
    await world.close();
  });

  it('of a process that died is written once its directory can be locked, as after a full disk', async () => {
    const world = await openAccountWorld(engine);
    const directory = temporaryDirectory('cls-audit-');
    const left = leave(directory, 'spool_of_the_dead', 'late');
    // The file that a lock writes cannot be written.
    mkdirSync(join(left, 'holder.json'));
    const audit = await openAuditLog(world, directory, 'all');
    await audit.catchUp();
    expect(await subjects(world.database)).to.deep.equal([]);
    rmdirSync(join(left, 'holder.json'));
    await audit.catchUp();
    expect(await subjects(world.database)).to.deep.equal(['late']);
    await audit.flush();
    await world.close();
  });

  it('of a process that lives is left to it', async () => {
    const world = await openAccountWorld(engine);
    const directory = temporaryDirectory('cls-audit-');
    const failing = { ...world.database, query: () => Promise.reject(new Error('away')) };
    const one = await openAuditLog({ ...world, database: failing as Database }, directory, 'all');
    one.record(event('of the first'));
    const other = await openAuditLog(world, directory, 'all');
    other.record(event('of the second'));
    await other.catchUp();
    expect(await subjects(world.database)).to.deep.equal(['of the second']);
    await other.flush();
    await one.flush();
    const next = await openAuditLog(world, directory, 'all');
    await next.catchUp();
    expect(await subjects(world.database)).to.deep.equal(['of the second', 'of the first']);
    await next.flush();
    await world.close();
  });
});

describeOnEngines('an event of the audit', (engine) => {
  it('keeps every field of an event, and a subject with half a character in it', async () => {
    const world = await openAccountWorld(engine);
    const audit = await openAuditLog(world);
    audit.record({
      type: 'sign_in.refused',
      subject: '\ud800@x "quoted", \\',
      clientId: 'app_1',
      address: '::1',
      requestId: 'req_1',
      reason: 'unknown_email',
      device: { browser: 'Firefox', system: 'Linux' },
      about: '{}',
      once: 'a name',
    });
    await audit.catchUp();
    const [row] = await world.database.query(
      `SELECT type, subject, client_id, address, request_id, reason, browser, system, about
       FROM audit_event WHERE at = $1`,
      [world.clock.now().toISOString()],
    );
    expect(row).to.deep.equal({
      type: 'sign_in.refused',
      subject: '\ufffd@x "quoted", \\',
      client_id: 'app_1',
      address: '::1',
      request_id: 'req_1',
      reason: 'unknown_email',
      browser: 'Firefox',
      system: 'Linux',
      about: '{}',
    });
    await audit.flush();
    await world.close();
  });

  it('gives up an event that the database can never take, and no other', async () => {
    const world = await openAccountWorld(engine);
    const directory = temporaryDirectory('cls-audit-');
    const audit = await sqlAuditLog(world.database, world.clock, silentLog, {
      directory,
      fsync: 'none',
    });
    for (const subject of ['before', 'with a \0 in it', 'after']) audit.record(event(subject));
    await audit.catchUp();
    expect(await subjects(world.database)).to.deep.equal(['before', 'after']);
    await audit.flush();
    await world.close();
  });
});
