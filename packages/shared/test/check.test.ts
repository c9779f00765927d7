import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { requireServer } from '@cls/testing/engines';
import {
  freePort,
  startRedis,
  startRedisCluster,
  startRedisSentinels,
  temporaryDirectory,
} from '@cls/testing/servers';
import { expect } from 'chai';
import { clockFinding } from '../src/check/check-clock.ts';
import { checkDirectory } from '../src/check/check-directory.ts';
import { checkMail } from '../src/check/check-mail.ts';
import { checkRedis } from '../src/check/check-redis.ts';
import { type Finding, findingsOf } from '../src/check/finding.ts';
import { listening } from '../src/http/listening.ts';
import { Secret } from '../src/secret.ts';

const EMBEDDED = { kind: 'embedded', directory: '/nowhere' } as const;
const NEEDS = { evictionLoses: 'codes live again', mustNotEvict: true, restartLoses: 'they end' };

const check = (url: string, needs = NEEDS) =>
  checkRedis({ database: EMBEDDED, redisUrl: new Secret(url) }, needs);

/** Until the process is gone, a connection to it may still open. */
async function killed(process: ChildProcess | undefined): Promise<void> {
  if (process === undefined) throw new Error('there is no such process');
  const exited = once(process, 'exit');
  process.kill('SIGKILL');
  await exited;
}

/** `result check: found` of what is not in order. */
function troubles(findings: readonly Finding[]): readonly string[] {
  for (const { result, todo } of findings) expect(todo !== undefined).to.equal(result !== 'ok');
  return findings
    .filter(({ result }) => result !== 'ok')
    .map(({ result, check: name, found }) => `${result} ${name}: ${found}`);
}

describe('check of Redis', () => {
  it('finds one in order that keeps its keys and its file', async function () {
    const redis = await startRedis(['--appendonly', 'yes']);
    requireServer(this, 'redis-server', redis);
    expect(troubles(await check(redis.url))).to.deep.equal([]);
  });

  it('names what is wrong with one: eviction, persistence, memory', async function () {
    const limits = ['--maxmemory', '2mb', '--maxmemory-policy', 'allkeys-lru'];
    const redis = await startRedis([...limits, '--repl-backlog-size', '1mb']);
    requireServer(this, 'redis-server', redis);
    const name = new URL(redis.url).host;
    const found = troubles(await check(redis.url));
    expect(found).to.include(`failed ${name} eviction: allkeys-lru`);
    expect(found).to.include(`warning ${name} persistence: no append-only file`);
    const [lenient] = troubles(await check(redis.url, { ...NEEDS, mustNotEvict: false }));
    expect(lenient).to.equal(`warning ${name} eviction: allkeys-lru`);
  });

  it('tells a wrong password and a missing one from a server that is down', async function () {
    const redis = await startRedis(['--requirepass', 'hidden-word', '--appendonly', 'yes']);
    requireServer(this, 'redis-server', redis);
    const { host } = new URL(redis.url);
    const [missing] = troubles(await check(redis.url));
    const [wrong] = troubles(await check(`redis://:other-word@${host}`));
    expect(missing).to.match(/^failed .*NOAUTH/);
    expect(wrong)
      .to.match(/^failed .*WRONGPASS/)
      .and.not.to.contain('other-word');
    expect(troubles(await check(`redis://:hidden-word@${host}`))).to.deep.equal([]);
    const [down] = troubles(await check(`redis://:hidden-word@127.0.0.1:${await freePort()}`));
    expect(down)
      .to.match(/^failed .*ECONNREFUSED/)
      .and.not.to.contain('hidden-word');
  });

  it('refuses a replica where a master is needed', async function () {
    const master = await startRedis();
    requireServer(this, 'redis-server', master);
    const { hostname, port } = new URL(master.url);
    const replica = await startRedis(['--replicaof', hostname, port]);
    const found = troubles(await check(replica?.url ?? ''));
    expect(found.join('\n')).to.match(/^failed .* writes: it is a replica/m);
  });

  it('gives up on a server that does not answer', async () => {
    const silent: Server = createServer(() => undefined);
    const port = await listening(silent as never, { host: '127.0.0.1', port: 0 });
    const found = troubles(await check(`redis://127.0.0.1:${port}`));
    silent.close();
    expect(found).to.deep.equal([`failed 127.0.0.1:${port}: it does not answer`]);
  });

  it('looks at each node of a cluster, and says which one is down', async function () {
    const cluster = await startRedisCluster(['--appendonly', 'yes']);
    requireServer(this, 'redis-server', cluster);
    const healthy = await check(cluster.url);
    expect(troubles(healthy)).to.deep.equal([]);
    expect(healthy.filter(({ check: name }) => name.endsWith(' eviction'))).to.have.length(6);
    const [dead] = cluster.replicas;
    await killed(dead?.process);
    const { host } = new URL(dead?.url ?? '');
    const found = troubles(await check(cluster.url));
    expect(found.join('\n')).to.match(new RegExp(`^failed ${host}: .*ECONNREFUSED.*$`));
  });

  it('asks each Sentinel for the master, and looks at that', async function () {
    const watched = await startRedisSentinels();
    requireServer(this, 'redis-server', watched);
    const healthy = await check(watched.url);
    expect(healthy.filter(({ found }) => found.startsWith('the master is'))).to.have.length(3);
    expect(troubles(healthy).every((one) => one.includes('persistence'))).to.equal(true);
    await killed(watched.sentinels[0]);
    const found = troubles(await check(watched.url)).filter((one) => !one.includes('persistence'));
    expect(found.join('\n')).to.match(/^failed sentinel /);
    const unknown = watched.url.replace(/\/main$/, '/other');
    expect(troubles(await check(unknown)).join('\n')).to.contain('it knows no master other');
  });

  it('says so where Redis is not used, and where the URL is wrong', async () => {
    const [none] = await checkRedis({ database: EMBEDDED, redisUrl: undefined }, NEEDS);
    expect(none?.result).to.equal('skipped');
    const found = troubles(await check('redis+sentinel://:hidden-word@a:1'));
    expect(found[0]).to.match(/^failed reachable: .*name of its master/);
    expect(found[0]).not.to.contain('hidden-word');
  });
});

describe('check of the rest', () => {
  const at = (aheadS: number, uncertainS = 0) =>
    clockFinding(findingsOf('x'), { aheadS, uncertainS, toleranceS: 30 }).result;

  it('takes a clock as far off as tokens may be, and warns before', () => {
    expect([at(0.2), at(-0.9), at(5), at(-29), at(31), at(-400)]).to.deep.equal([
      ...['ok', 'ok', 'warning', 'warning', 'failed', 'failed'],
    ]);
    expect(at(31, 2), 'measured over a slow connection').to.equal('warning');
  });

  it('speaks with a mail server up to the credentials, and quotes none', async () => {
    const server = createServer((socket) => {
      socket.write('220 mail\r\n');
      socket.on('data', (part) => {
        const word = part.toString('latin1').slice(0, 4);
        if (word === 'EHLO') socket.write('250-mail\r\n250 AUTH PLAIN\r\n');
        else if (word === 'AUTH') socket.write('535 no\r\n');
        else socket.write('250 ok\r\n');
      });
    });
    const port = await listening(server as never, { host: '127.0.0.1', port: 0 });
    const settings = { mailOutbox: '/x', mailFrom: 'a@b.example' };
    const checked = async (url: string, production: boolean) =>
      troubles(await checkMail({ ...settings, smtpUrl: new Secret(url), production }));
    const open = `smtp://127.0.0.1:${port}`;
    expect(await checked(open, false)).to.deep.equal([]);
    const [refused] = await checked(`smtp://cls:hidden-word@127.0.0.1:${port}`, false);
    expect(refused)
      .to.match(/^failed server: .*535/)
      .and.not.to.contain('hidden-word');
    const [plain] = await checked(open, true);
    expect(plain, 'no STARTTLS').to.match(/^failed server: /);
    server.close();
    const [down] = await checked(`smtp://127.0.0.1:${await freePort()}`, false);
    expect(down).to.match(/^failed server: .*ECONNREFUSED/);
  });

  it('says of a directory on a full disk that nothing can be written, and to make room', () => {
    const directory = temporaryDirectory('cls-check-');
    const module = new URL('../src/check/check-directory.js', import.meta.url);
    const script = `import { checkDirectory } from '${module}';
      console.log(JSON.stringify(checkDirectory('audit', 'directory', '${directory}')));`;
    // As if the disk were one block large: the shell ignores the signal, and so does what it becomes.
    const limited = `trap '' XFSZ; ulimit -f 1; exec "$0" "$@"`;
    const words = ['-c', limited, process.execPath, '--input-type=module', '-e', script];
    const finding = JSON.parse(execFileSync('sh', words, { encoding: 'utf8' }));
    expect(finding).to.include({ result: 'failed', todo: 'make room on its disk' });
    expect(finding.found).to.match(/cannot be written: .*EFBIG/);
    expect(readdirSync(directory)).to.deep.equal([]);
  });

  it('takes a directory that is still to be made, and refuses one that cannot be', () => {
    expect(checkDirectory('audit', 'directory', '/tmp/not/there/yet').result).to.equal('ok');
    expect(checkDirectory('audit', 'directory', '/etc/hostname/cls').result).to.equal('failed');
  });
});
