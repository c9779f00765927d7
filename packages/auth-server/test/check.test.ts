import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '@cls/shared/check/finding';
import { Secret } from '@cls/shared/secret';
import { postgresDatabase } from '@cls/shared/sql/postgres';
import { makeStore } from '@cls/testing/embedded-template';
import { postgres, requireServer } from '@cls/testing/engines';
import { startPostgresInstance } from '@cls/testing/postgres-instance';
import {
  eventually,
  freePort,
  type PostgresServer,
  postgresServer,
  temporaryDirectory,
} from '@cls/testing/servers';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { KEY, startTestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, relyingParty } from './support/relying-party.ts';
import { runTool } from './support/tool.ts';

type Found = Pick<Finding, 'part' | 'check' | 'result' | 'found' | 'todo'>;

async function check(env: Record<string, string>) {
  const { code, stdout, stderr } = await runTool(['check', '--json'], env);
  if (stdout === '') throw new Error(stderr);
  const document = JSON.parse(stdout) as { passed: boolean; findings: readonly Found[] };
  expect(code).to.equal(document.passed ? 0 : 1);
  const found = (part: string, name: string) => {
    const one = document.findings.find((each) => each.part === part && each.check === name);
    return one === undefined ? undefined : `${one.result}: ${one.found}`;
  };
  return { ...document, found };
}

const dataDir = () => join(temporaryDirectory('cls-check-'), 'data');

describe('cls-auth check', () => {
  it('names every fault of the configuration, and looks no further', async () => {
    const env = {
      NODE_ENV: 'production',
      AUTH_PORT: 'x',
      REDIS_URL: 'hidden-word',
      CLS_DATA_DIR: dataDir(),
    };
    const { passed, findings } = await check(env);
    expect(passed).to.equal(false);
    const names = findings.map(({ check: name }) => name);
    expect(names).to.include.members(['AUTH_PORT', 'REDIS_URL', 'KEY_ENCRYPTION_KEY', 'ISSUER']);
    expect(new Set(findings.map(({ part, result }) => `${part} ${result}`))).to.have.keys([
      'configuration failed',
    ]);
    expect(JSON.stringify(findings)).not.to.contain('hidden-word');
  });

  it('warns of misspelt settings of this service, and of no other variable', async () => {
    const { passed, findings } = await check({
      ...{ AUTH_PROT: '1', AUTH_DATABSE_URL_FILE: 'x', AUTH_OTHER_THING: 'x', AUTH_PRT: '' },
      ...{ AUTH_PORT: '9', API_PROT: '1', EXPLORER_URL: 'http://localhost:1', CLS_TEST: '1' },
      ...{ CLS_DATA_DIR: dataDir(), ISSUER: 'http://localhost:1' },
    });
    expect(passed).to.equal(true);
    const warned = findings
      .filter(({ part, result }) => part === 'configuration' && result === 'warning')
      .map(({ check: name, todo = '' }) => `${name}: ${/[A-Z_]+(?=\?$)/.exec(todo)?.[0]}`);
    expect(warned).to.have.members([
      'AUTH_PROT: AUTH_PORT',
      'AUTH_DATABSE_URL_FILE: AUTH_DATABASE_URL_FILE',
      'AUTH_OTHER_THING: undefined',
    ]);
  });

  it('knows a setting that comes as a file', async () => {
    const file = join(temporaryDirectory('cls-url-'), 'url');
    writeFileSync(file, 'postgres://cls@127.0.0.1:1/cls');
    const { findings } = await check({ AUTH_DATABASE_URL_FILE: file, CLS_DATA_DIR: dataDir() });
    const parts = findings.filter(({ part }) => part === 'configuration');
    expect(parts.map(({ result }) => result)).to.deep.equal(['ok']);
  });

  it('makes nothing where there is nothing', async () => {
    const directory = dataDir();
    const { found } = await check({ CLS_DATA_DIR: directory });
    expect(found('database', 'store')).to.match(/^warning: there is no embedded store/);
    expect(existsSync(directory)).to.equal(false);
  });

  it('finds an embedded store in order, changes nothing, and prints one table', async () => {
    const env = { CLS_DATA_DIR: dataDir(), ISSUER: `http://localhost:${await freePort()}` };
    await makeStore(join(env.CLS_DATA_DIR, 'auth-server', 'database'), MIGRATIONS);
    await runTool(['keys', 'create'], env);
    const before = readdirSync(join(env.CLS_DATA_DIR, 'auth-server'));
    const { passed, found } = await check(env);
    expect(passed).to.equal(true);
    expect(found('database', 'migrations')).to.match(/^ok: all \d+ are applied/);
    expect(found('signing keys', 'active')).to.match(/^ok: \S+, 0 days/);
    expect(found('signing keys', 'sealed')).to.match(/^ok/);
    expect(found('key set', 'reachable')).to.match(/^warning: .*ECONNREFUSED/);
    expect(readdirSync(join(env.CLS_DATA_DIR, 'auth-server'))).to.deep.equal(before);
    const { stdout, code } = await runTool(['check'], env);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^result +part +check +found +what to do\n/);
    expect(stdout.trimEnd().split('\n').at(-1)).to.match(/^\d+ ok, \d+ warning, 0 failed/);
  });

  describe('on PostgreSQL', () => {
    let server: PostgresServer;
    let url: string;
    const env = (more: Record<string, string> = {}) => ({
      ...{ AUTH_DATABASE_URL: url, KEY_ENCRYPTION_KEY: KEY, CLS_DATA_DIR: dataDir() },
      ...more,
    });
    const asAdmin = async (sql: string, database = new URL(url).pathname.slice(1)) => {
      const admin = postgresDatabase({
        ...{ url: new Secret(server.adminUrl(database)), poolSize: 1, statementTimeoutMs: 10_000 },
        ...{ applicationName: 'test', onError: () => undefined },
      });
      await admin.execute(sql).finally(() => admin.close());
    };
    before(async function () {
      const started = await postgresServer();
      requireServer(this, 'PostgreSQL', started);
      server = started;
      url = await server.createDatabase();
    });

    it('tells a server that is down, and a database that is not there', async () => {
      const down = new URL(url);
      down.port = `${await freePort()}`;
      const away = await check(env({ AUTH_DATABASE_URL: down.href }));
      expect(away.found('database', 'reachable')).to.match(/^failed: .*ECONNREFUSED/);
      const other = await check(env({ AUTH_DATABASE_URL: `${url}_other` }));
      expect(other.found('database', 'reachable')).to.match(/^failed: .*does not exist/);
    });

    it('says that migrations are pending: a fault where the service does not apply them', async () => {
      const applies = await check(env());
      expect(applies.found('database', 'version')).to.match(/^ok: PostgreSQL \d+\.\d+/);
      expect(applies.found('database', 'migrations')).to.match(
        /^warning: \d+ pending, from 0029-baseline/,
      );
      expect(JSON.stringify(applies.findings)).not.to.contain('does not exist');
      expect(applies.passed).to.equal(true);
      const elsewhere = await check(env({ RUN_MIGRATIONS: '0' }));
      expect(elsewhere.found('database', 'migrations')).to.match(/^failed: /);
      const failures = elsewhere.findings.filter(({ result }) => result === 'failed');
      expect(failures.map(({ check: name }) => name)).to.deep.equal(['migrations']);
      await runTool(['migrate'], env());
      const after = await check(env({ RUN_MIGRATIONS: '0' }));
      expect(after.found('database', 'migrations')).to.match(/^ok/);
      expect(after.found('signing keys', 'active')).to.match(/^warning: there is none/);
      expect(after.found('database', 'clock')).to.match(/^ok/);
      expect(after.found('database', 'connections')).to.match(/^ok: \d+ of \d+/);
      expect(after.passed).to.equal(true);
    });

    const production = () =>
      env({
        ...{ NODE_ENV: 'production', ISSUER: 'https://localhost:1', COOKIE_KEY: KEY },
        MAIL_OUTBOX: dataDir(),
      });

    it('warns in production of a role that owns the schema', async () => {
      const { found } = await check(production());
      expect(found('database', 'role')).to.match(/^warning: \S+ owns the schema/);
    });

    it('finds demo customers in production, which the start refuses', async () => {
      await runTool(['customers', 'create', 'demo', '--name', 'Demo', '--demo'], env());
      const refused = await check(production());
      expect(refused.found('customers', 'demo')).to.equal(
        'failed: the database holds demo customers (demo)',
      );
      expect(refused.passed).to.equal(false);
      await runTool(['customers', 'disable', 'demo'], env());
      const { found } = await check(production());
      expect(found('customers', 'demo')).to.match(/^ok: /);
    });

    it('finds a role that was granted nothing', async () => {
      const name = `r${Date.now()}`;
      await asAdmin(`CREATE ROLE ${name} LOGIN; GRANT SELECT ON schema_migration TO ${name}`);
      const other = new URL(url);
      other.username = name;
      const { found } = await check(env({ AUTH_DATABASE_URL: other.href }));
      expect(found('database', 'role')).to.equal(`ok: ${name} does not own the schema`);
      expect(found('database', 'grants')).to.match(/^failed: this role may not use account/);
    });

    it('finds signing keys that are old, left over, or sealed with another key', async () => {
      await runTool(['keys', 'create'], env());
      await runTool(['keys', 'stage'], env());
      await asAdmin(`UPDATE signing_key SET created_at = now() - interval '200 days'`);
      const { found } = await check(env());
      expect(found('signing keys', 'active')).to.match(/^warning: \S+, 200 days/);
      expect(found('signing keys', 'staged')).to.match(/^warning: /);
      await runTool(['keys', 'promote'], env());
      await asAdmin(`UPDATE signing_key SET retired_at = now() - interval '9 days'
        WHERE state = 'retiring'`);
      const later = await check(env({ KEY_ENCRYPTION_KEY: 'B'.repeat(43) }));
      expect(later.found('signing keys', 'retiring')).to.match(/^warning: \S+, 9 days/);
      expect(later.found('signing keys', 'sealed')).to.match(/^failed: /);
    });

    it('does not ask to remove the new key in the first step of its replacement', async () => {
      await runTool(['keys', 'create'], env());
      const { found } = await check(env({ PREVIOUS_KEY_ENCRYPTION_KEY: 'C'.repeat(43) }));
      expect(found('signing keys', 'previous key')).to.equal(
        'ok: opens no value: remove PREVIOUS_KEY_ENCRYPTION_KEY if it is the old key, keep it if it is the new one',
      );
    });

    it('says how many connections the service opens, and the service opens so many', async () => {
      const service = await startTestAuthServer(postgres);
      const location = service.config.database;
      if (location.kind !== 'postgres') throw new Error('not a PostgreSQL location');
      const { found } = await check(
        env({
          AUTH_DATABASE_URL: location.url.expose(),
          AUTH_DATABASE_POOL_SIZE: `${location.poolSize}`,
        }),
      );
      const said = /opens up to (\d+)$/.exec(found('database', 'connections') ?? '')?.[1];
      const party = await relyingParty(service, { confidential: false });
      const { url: start } = await authorizationUrl(party);
      const visit = () => fetch(start, { redirect: 'manual' });
      let most = 0;
      await eventually(async () => {
        await Promise.all([
          ...Array.from({ length: 30 }, visit),
          fetch(`${service.issuer}/readyz`),
        ]);
        const rows = await service.database.query(
          `SELECT pid FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'cls-auth-server'`,
        );
        most = Math.max(most, rows.length);
        expect(most).to.be.at.least(location.poolSize + 6);
      });
      await service.stop();
      expect(said).to.equal(`${most}`);
    });

    it('finds a database that takes no writes', async () => {
      const database = new URL(url).pathname.slice(1);
      await asAdmin(
        `ALTER DATABASE ${database} SET default_transaction_read_only = on`,
        'postgres',
      );
      const { found } = await check(env());
      expect(found('database', 'writes')).to.equal('failed: it is read-only');
    });

    it('looks at each host of a primary and its standby: down, two primaries, commits that wait', async function () {
      const primary = await startPostgresInstance();
      requireServer(this, 'PostgreSQL', primary);
      const standby = await primary.startStandby();
      const [one, two] = [primary, standby].map(({ port }) => `127.0.0.1:${port}`);
      const pair = env({ AUTH_DATABASE_URL: `postgres://cls@${one},${two}/postgres` });
      const look = async () => {
        const { found } = await check(pair);
        return [found('database', 'hosts'), found('database', 'writes')];
      };
      const writes = 'ok: it takes writes';
      expect(await look()).to.deep.equal([`ok: ${one} primary, ${two} standby`, writes]);
      await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await primary.query('SELECT pg_reload_conf()');
      await standby.stop('crash');
      const [down, waits] = await look();
      expect(down).to.match(
        new RegExp(`^warning: ${one} primary, ${two} is not reached: .*REFUSED`),
      );
      expect(waits).to.match(/^failed: commits wait for a standby/);
      await standby.start();
      await standby.promote();
      const [several] = await look();
      expect(several).to.equal(`failed: several primaries: ${one} primary, ${two} primary`);
      await primary.remove();
      await standby.remove();
    });

    it('finds a database that a newer build has migrated', async () => {
      url = await server.createDatabase();
      await runTool(['migrate'], env());
      await asAdmin(`INSERT INTO schema_migration VALUES (9001, '9001-later.sql', 'x', now())`);
      const { found } = await check(env());
      expect(found('database', 'migrations')).to.match(/^(failed|warning): .*9001/);
    });
  });
});
