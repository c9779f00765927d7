// What people were signed in with: refresh tokens, and sessions of the explorer.
const ENDED_SIGN_INS = ['invalid_grant', 'signed out'];

export const REDIS = [
  {
    name: 'redis-restart',
    title: 'Redis restarted (append-only file)',
    holdMs: 0,
    async break({ redis }) {
      await redis.stop('SIGTERM');
      await redis.start();
    },
  },
  {
    name: 'redis-crash',
    title: 'Redis crashed (`kill -9`, append-only file)',
    break: ({ redis }) => redis.stop('SIGKILL'),
    heal: ({ redis }) => redis.start(),
  },
  {
    name: 'redis-freeze',
    title: 'Redis frozen (SIGSTOP) for eight seconds',
    holdMs: 8_000,
    break: ({ redis }) => redis.signal('SIGSTOP'),
    heal: ({ redis }) => redis.signal('SIGCONT'),
  },
  {
    name: 'redis-slow',
    title: 'Redis slow: 600 ms for each command',
    needs: { redis: 'proxied' },
    holdMs: 6_000,
    break: ({ redis }) => redis.proxy.delay(600),
    heal: ({ redis }) => redis.proxy.delay(0),
  },
  {
    short: true,
    name: 'redis-full',
    title: 'Redis out of memory (`noeviction`)',
    break: ({ redis }) => redis.command('config', 'set', 'maxmemory', '1'),
    heal: ({ redis }) => redis.command('config', 'set', 'maxmemory', '0'),
  },
  {
    name: 'redis-flushed',
    title: 'Redis flushed: people sign in again, as documented',
    // The operator's command says that every sign-in ends.
    allows: ENDED_SIGN_INS,
    forgets: 'sign-ins',
    holdMs: 0,
    break: ({ redis }) => redis.command('flushall'),
  },
  {
    name: 'redis-sentinel',
    title: 'Redis Sentinel: the master killed',
    needs: { redis: 'sentinel' },
    ends: 'world',
    // What the old master had not replicated is lost, as documented.
    allows: ENDED_SIGN_INS,
    forgets: 'sign-ins',
    async break({ redis }) {
      redis.master.process.kill('SIGKILL');
    },
  },
  {
    name: 'redis-cluster',
    title: 'Redis Cluster: one of three masters killed',
    needs: { redis: 'cluster' },
    ends: 'world',
    allows: ENDED_SIGN_INS,
    forgets: 'sign-ins',
    async break({ redis }) {
      redis.masters[0].process.kill('SIGKILL');
    },
  },
];
