import { reasonOf } from '../reason.ts';
import { plaintextConnections } from '../service/plaintext-connections.ts';
import { parseRedisUrl, type RedisAddress } from '../service/redis-address.ts';
import type { ServiceEnvironment } from '../service/service-environment.ts';
import { type Finding, findingsOf } from './finding.ts';
import { askRedisNode, type RedisNode, type Reply } from './redis-node.ts';

const { ok, warning, failed, skipped } = findingsOf('redis');
const VERSION_MIN = 6.2;
/** Of `maxmemory`, from where writes may soon be refused. */
const FULL = 0.9;

export interface RedisNeeds {
  /** What happens when a key is evicted. */
  readonly evictionLoses: string;
  /** Whether the service refuses a Redis that may evict. */
  readonly mustNotEvict: boolean;
  /** What happens when Redis restarts with nothing on its disk. */
  readonly restartLoses: string;
}

/** Each node of the Redis that the service uses, one after the other. */
export async function checkRedis(
  config: Pick<ServiceEnvironment, 'database' | 'redisUrl'>,
  needs: RedisNeeds,
): Promise<readonly Finding[]> {
  if (config.redisUrl === undefined) {
    return [skipped('reachable', 'REDIS_URL is not set', 'nothing, if one replica is enough')];
  }
  try {
    const address = parseRedisUrl(config.redisUrl.expose());
    const { nodes, findings } = await dataNodes(address);
    const perNode = await Promise.all(nodes.map((node) => checkNode(node, address, needs)));
    return [...findings, ...perNode.flat(), ...transport(config)];
  } catch (error) {
    return [failed('reachable', reasonOf(error), REACH)];
  }
}

const REACH = 'check host, port and password in REDIS_URL, that the node runs, and the firewall';

interface Found {
  readonly nodes: readonly (RedisNode & { readonly mustBeMaster: boolean })[];
  readonly findings: readonly Finding[];
}

async function dataNodes(address: RedisAddress): Promise<Found> {
  if (address.topology === 'sentinel') return ofSentinels(address);
  if (address.topology === 'cluster') return ofCluster(address);
  return { nodes: address.nodes.map((node) => ({ ...node, mustBeMaster: true })), findings: [] };
}

async function ofSentinels({ nodes, tls, master = '' }: RedisAddress): Promise<Found> {
  const answers = await Promise.all(
    nodes.map(async (node) => {
      try {
        const commands = [
          ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master],
          ['SENTINEL', 'CKQUORUM', master],
        ];
        const [at, quorum] = await askRedisNode(node, { tls }, commands);
        return { node, at, quorum };
      } catch (error) {
        return { node, error };
      }
    }),
  );
  const findings = answers.map(({ node, at, quorum, error }) => {
    const name = `sentinel ${nameOf(node)}`;
    if (error !== undefined) return failed(name, reasonOf(error), REACH);
    if (!Array.isArray(at)) {
      return failed(
        name,
        `it knows no master ${master}`,
        'check the name after the hosts in REDIS_URL',
      );
    }
    return quorum instanceof Error
      ? warning(
          name,
          quorum.message,
          'without a quorum nothing fails over: start the other sentinels',
        )
      : ok(name, `the master is ${at.join(':')}`);
  });
  const known = answers.find(({ at }) => Array.isArray(at))?.at;
  const [host, port] = Array.isArray(known) ? known : [];
  const node = { host: `${host}`, port: Number(port), mustBeMaster: true };
  return { nodes: known === undefined || known === null ? [] : [node], findings };
}

async function ofCluster(address: RedisAddress): Promise<Found> {
  const commands = [
    ['CLUSTER', 'INFO'],
    ['CLUSTER', 'NODES'],
  ];
  let last: unknown;
  for (const node of address.nodes) {
    try {
      const [info, list] = await askRedisNode(node, address, commands);
      if (typeof info !== 'string' || typeof list !== 'string') {
        last = info instanceof Error ? info : new Error('it is not a node of a cluster');
        continue;
      }
      return { nodes: nodesIn(list), findings: [clusterState(info)] };
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

function clusterState(info: string): Finding {
  const state = /^cluster_state:(\S+)/m.exec(info)?.[1];
  const slots = /^cluster_slots_ok:(\d+)/m.exec(info)?.[1];
  const found = `${state}, ${slots} of 16384 slots`;
  return state === 'ok' && slots === '16384'
    ? ok('cluster', found)
    : failed(
        'cluster',
        found,
        'start the masters that are down, or let a replica take over: redis-cli --cluster check',
      );
}

/** Lines of `CLUSTER NODES`: id, `host:port@bus[,name]`, flags, … */
function nodesIn(list: string): Found['nodes'] {
  return list
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([, at = '', flags = '']) => {
      const place = at.split('@', 1)[0] ?? '';
      const cut = place.lastIndexOf(':');
      const host = place.slice(0, cut);
      if (host === '' || flags.includes('noaddr')) return [];
      return [{ host, port: Number(place.slice(cut + 1)), mustBeMaster: false }];
    });
}

async function checkNode(
  node: Found['nodes'][number],
  address: RedisAddress,
  needs: RedisNeeds,
): Promise<readonly Finding[]> {
  const name = nameOf(node);
  let reply: Reply | undefined;
  try {
    [reply] = await askRedisNode(node, address, [['INFO']]);
  } catch (error) {
    return [failed(name, reasonOf(error), REACH)];
  }
  if (typeof reply !== 'string') {
    const found = reply instanceof Error ? reply.message : 'it does not answer INFO';
    return [failed(name, found, 'put the user and password into REDIS_URL; the user needs +info')];
  }
  const facts = factsOf(reply);
  const version = facts.get('redis_version') ?? '0';
  const findings = [
    Number.parseFloat(version) < VERSION_MIN
      ? failed(name, `Redis ${version}`, `upgrade to Redis ${VERSION_MIN} or newer`)
      : ok(name, `Redis ${version}, ${facts.get('role')}`),
  ];
  if (node.mustBeMaster && facts.get('role') !== 'master') {
    findings.push(
      failed(`${name} writes`, 'it is a replica', 'name the master, or use redis+sentinel://'),
    );
  }
  return [
    ...findings,
    eviction(name, facts, needs),
    persistence(name, facts, needs),
    ...memory(name, facts),
  ];
}

type Facts = ReadonlyMap<string, string>;

function eviction(
  name: string,
  facts: Facts,
  { evictionLoses, mustNotEvict }: RedisNeeds,
): Finding {
  const check = `${name} eviction`;
  const policy = facts.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return ok(check, policy);
  const todo = `set maxmemory-policy noeviction, in its configuration too: otherwise ${evictionLoses}`;
  return (mustNotEvict ? failed : warning)(check, policy, todo);
}

function persistence(name: string, facts: Facts, { restartLoses }: RedisNeeds): Finding {
  const check = `${name} persistence`;
  const appends = facts.get('aof_enabled') === '1';
  if (appends) {
    const broken = [facts.get('aof_last_write_status'), facts.get('aof_last_bgrewrite_status')];
    return broken.includes('err')
      ? failed(check, 'the append-only file cannot be written', 'look at its log and its disk')
      : ok(check, 'append-only file');
  }
  if (facts.get('rdb_last_bgsave_status') === 'err') {
    return failed(check, 'the last snapshot failed', 'look at its log and its disk');
  }
  return warning(
    check,
    'no append-only file',
    `set appendonly yes: otherwise after a restart ${restartLoses}`,
  );
}

function memory(name: string, facts: Facts): readonly Finding[] {
  const limit = Number(facts.get('maxmemory') ?? 0);
  const used = Number(facts.get('used_memory') ?? 0);
  if (limit === 0) return [];
  const found = `${Math.round((100 * used) / limit)} % of ${Math.round(limit / 2 ** 20)} MiB`;
  return used > FULL * limit
    ? [warning(`${name} memory`, found, 'raise maxmemory: when it is full, writes fail')]
    : [ok(`${name} memory`, found)];
}

function factsOf(info: string): Facts {
  const lines = info.split('\r\n').filter((line) => line.includes(':'));
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}

function transport(config: Pick<ServiceEnvironment, 'database' | 'redisUrl'>): readonly Finding[] {
  if (config.redisUrl?.expose().startsWith('rediss')) return [ok('TLS', 'encrypted')];
  return plaintextConnections(config).includes('Redis')
    ? [warning('TLS', 'not encrypted', 'use rediss:// in REDIS_URL')]
    : [ok('TLS', 'not encrypted, on this machine')];
}

function nameOf({ host, port }: RedisNode): string {
  return `${host}:${port}`;
}
