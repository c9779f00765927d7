import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireServer } from '@cls/testing/engines';
import { type PostgresInstance, startPostgresInstance } from '@cls/testing/postgres-instance';
import {
  findBinary,
  freePort,
  postgresUser,
  startRedis,
  temporaryDirectory,
} from '@cls/testing/servers';
import { expect } from 'chai';

/** As docs/guides/deployment.md has it: "TLS to the stores, with a CA of your own". */
describe('stores with certificates of a CA of one’s own', () => {
  const folder = temporaryDirectory('cls-ca-');
  const at = (name: string) => join(folder, name);
  let server: PostgresInstance;
  let redisPort: number;
  before(async function () {
    requireServer(this, 'openssl', findBinary('openssl'));
    const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' });
    const key = (name: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', at(`${name}.key`)];
    openssl(
      'req',
      '-x509',
      ...key('ca'),
      '-subj',
      '/CN=Our CA',
      '-days',
      '2',
      '-out',
      at('ca.crt'),
    );
    openssl('req', ...key('server'), '-subj', '/CN=localhost', '-out', at('server.csr'));
    writeFileSync(at('names'), 'subjectAltName=DNS:localhost');
    const signed = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2'];
    const files = ['-in', at('server.csr'), '-extfile', at('names'), '-out', at('server.crt')];
    openssl('x509', '-req', ...signed, ...files);
    chmodSync(folder, 0o755);
    chmodSync(at('server.key'), 0o600);
    const owner = postgresUser();
    if (owner !== undefined) chownSync(at('server.key'), owner.uid, owner.gid);
    const settings = [
      'ssl=on',
      `ssl_cert_file=${at('server.crt')}`,
      `ssl_key_file=${at('server.key')}`,
    ];
    const found = await startPostgresInstance({ settings });
    requireServer(this, 'PostgreSQL', found);
    server = found;
    await server.createDatabase('book');
    redisPort = await freePort();
    const tls = ['--tls-port', `${redisPort}`, '--tls-auth-clients', 'no', '--tls-ca-cert-file'];
    const certificate = ['--tls-cert-file', at('server.crt'), '--tls-key-file', at('server.key')];
    requireServer(this, 'Redis', await startRedis([...tls, at('ca.crt'), ...certificate]));
  });
  after(() => server?.remove());

  /** In a process of its own: Node reads the CA when it starts. */
  const run = (script: string, ca: string | undefined) => {
    const source = (name: string) => JSON.stringify(new URL(`../src/${name}.js`, import.meta.url));
    const imports = `import { postgresDatabase } from ${source('sql/postgres')};
      import { askRedisNode } from ${source('check/redis-node')};
      import { reasonOf } from ${source('reason')}; import { Secret } from ${source('secret')};`;
    const { stdout } = spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `${imports} try { ${script} } catch (error) { console.log(reasonOf(error)); }`,
      ],
      { encoding: 'utf8', env: { ...process.env, ...(ca && { NODE_EXTRA_CA_CERTS: ca }) } },
    );
    return stdout.trim();
  };
  const postgres = (query: string, ca?: string, host = 'localhost') =>
    run(
      `const url = new Secret('postgres://cls@${host}:${server.port}/book?${query}');
       const database = postgresDatabase({ url, poolSize: 1, statementTimeoutMs: 20000,
         applicationName: 'x', onError: () => undefined });
       const [row] = await database.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
       console.log(row.ssl); await database.close();`,
      ca,
    );
  const redis = (ca?: string) =>
    run(
      `const node = { host: 'localhost', port: ${redisPort} };
       console.log((await askRedisNode(node, { tls: true }, [['PING']]))[0]);`,
      ca,
    );

  it('are reached with the CA in NODE_EXTRA_CA_CERTS, or for PostgreSQL in sslrootcert', () => {
    expect(postgres('sslmode=verify-full', at('ca.crt'))).to.equal('true');
    expect(postgres(`sslmode=verify-full&sslrootcert=${at('ca.crt')}`)).to.equal('true');
    expect(redis(at('ca.crt'))).to.equal('PONG');
  });

  it('are refused without it, with what to do', () => {
    for (const said of [postgres('sslmode=verify-full'), postgres('sslmode=require'), redis()]) {
      expect(said).to.include('certificate').and.include('NODE_EXTRA_CA_CERTS');
    }
  });

  it('are refused under a name that is not in the certificate', () => {
    const said = postgres('sslmode=verify-full', at('ca.crt'), '127.0.0.1');
    expect(said).to.include('127.0.0.1').and.not.include('NODE_EXTRA_CA_CERTS');
  });
});
