import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '../world.mjs';

const each = (make) => SERVICES.map(make);

export const PROCESSES = [
  ...each((name) => ({
    short: name === 'auth-1',
    name: `kill-${name}`,
    title: `\`kill -9\` of ${name}`,
    break: (world) => world.stop(name, 'SIGKILL'),
    heal: (world) => world.startMissing(),
  })),
  ...each((name) => ({
    name: `term-${name}`,
    title: `SIGTERM of ${name}`,
    break: (world) => world.stop(name),
    heal: (world) => world.startMissing(),
  })),
  {
    short: true,
    name: 'rolling-restart',
    title: 'each replica restarted, one right after the other',
    break: (world) => world.restartEach(),
  },
  ...['auth-1', 'api-1', 'explorer-1'].map((name) => ({
    name: `freeze-${name}`,
    title: `${name} frozen (SIGSTOP) for six seconds`,
    holdMs: 6_000,
    break: (world) => world.childOf(name).kill('SIGSTOP'),
    heal: (world) => world.childOf(name).kill('SIGCONT'),
  })),
  {
    name: 'all-killed',
    title: 'all six killed at once (`kill -9`)',
    async break(world) {
      await Promise.all(SERVICES.map((name) => world.stop(name, 'SIGKILL')));
      await sleep(500);
    },
    heal: (world) => world.startMissing(),
  },
];
