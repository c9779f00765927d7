import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../packages/testing/dist/src/servers.js';
import { startProxy } from '../proxy.mjs';

const AUTHS = ['auth-1', 'auth-2'];
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const SECONDS = [30, -30, 300, -300];

/** The process sees another time of day; what it measures by goes on as it is. */
function clockOf(seconds) {
  return {
    LD_PRELOAD: FAKETIME,
    FAKETIME: `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

const clock = (name, seconds) => ({
  name: `clock-${name}-${seconds < 0 ? 'behind' : 'ahead'}-${Math.abs(seconds)}`,
  title: `the clock of ${name} ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead'}`,
  missing: existsSync(FAKETIME) ? undefined : 'libfaketime',
  // A person's token of 75 seconds would be over at once; this is the default.
  needs: { env: { ACCOUNT_TOKEN_TTL: '3600' } },
  holdMs: 5_000,
  // A token from a clock that is ahead by more than the tolerance is refused, as documented; the
  // explorer then says that the installation is at fault, also on the first page after a sign-in.
  allows:
    Math.abs(seconds) > 30
      ? [
          '403 token_invalid',
          '502 Balances cannot be read with your sign-in',
          '502 in a sign-in: the sign-in ended at',
        ]
      : [],
  break: (world) => world.restart(name, { env: clockOf(seconds) }),
  heal: (world) => world.restart(name),
});

export const ENVIRONMENT = [
  ...SECONDS.map((seconds) => clock('auth-1', seconds)),
  ...SECONDS.map((seconds) => clock('api-1', seconds)),
  {
    name: 'mail-hangs',
    title: 'the mail server hangs: it takes connections and says nothing',
    async break(world) {
      const server = await startProxy([]);
      server.set('silent');
      const env = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_OUTBOX: '' };
      for (const name of AUTHS) await world.restart(name, { env });
      return server;
    },
    async heal(world, server, load) {
      const invited = await load.invite(5);
      for (const name of AUTHS) await world.restart(name);
      server.close();
      const slow = invited.filter((ms) => ms > 5_000);
      if (slow.length > 0)
        throw new Error(`an invitation waited ${slow[0]} ms for the mail server`);
    },
  },
  {
    name: 'audit-disk-full',
    title: 'the disk of the audit spool full',
    needs: { disks: true },
    break: ({ disks }) => disks.audit.fill(),
    heal: ({ disks }) => disks.audit.empty(),
  },
  {
    name: 'audit-disk-full-kill',
    title:
      'the disk of the audit spool full, both auth-servers killed with events waiting, and started again in vain',
    needs: { disks: true },
    holdMs: 0,
    async break(world) {
      const { disks, postgres } = world;
      const locked = postgres.current.query(
        'BEGIN; LOCK TABLE audit_event; SELECT pg_sleep(3); COMMIT',
        'cls_auth',
      );
      await sleep(2_000);
      disks.audit.fill();
      for (const name of AUTHS) await world.stop(name, 'SIGKILL');
      const waiting = bytesBelow(disks.audit.folder);
      if (waiting === 0) throw new Error('no event waits for the table');
      await locked;
      for (const name of [...AUTHS, ...AUTHS]) {
        const child = await world.start(name, { ready: false, ends: true });
        await once(child, 'exit');
        await world.stop(name);
      }
    },
    async heal(world) {
      world.disks.audit.empty();
      await world.startMissing();
    },
    /** The two that run, and nothing of those that did not start or that ended. */
    check: ({ disks }) =>
      eventually(async () => {
        const left = readdirSync(disks.audit.folder).length;
        if (left !== AUTHS.length) throw new Error(`${left} folders of events`);
        return [];
      }).catch(({ message }) => [message]),
  },
  {
    name: 'log-disk-full',
    title: 'the disk of the logs full',
    needs: { disks: true },
    break: ({ disks }) => disks.log.fill(),
    heal: ({ disks }) => disks.log.empty(),
  },
  {
    short: true,
    name: 'key-rotation',
    title: 'a key rotation (stage, promote) and an import of 150 deals',
    holdMs: 0,
    async break(world, load) {
      const keys = (...words) => world.tool('cls-auth', ['keys', ...words]);
      for (const { kid } of (await keys('list')).filter(({ state }) => state === 'retiring')) {
        await keys('remove', kid, '--early');
      }
      await keys('stage');
      // Longer than the APIs take to read the key set.
      await Promise.all([sleep(4_000), load.importDeals(150)]);
      await keys('promote', '--early');
    },
  },
];

/** Of the events that wait below the folder of spools. */
function bytesBelow(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.jsonl'));
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
