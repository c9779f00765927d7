import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasPrevious, PREVIOUS, previousBuild } from '../previous-build.mjs';
import { SERVICES } from '../world.mjs';

const root = resolve(import.meta.dirname, '..', '..', '..');
const SOME_LOAD_MS = 4_000;

export const UPGRADE = [
  {
    name: 'upgrade-and-back',
    title: `an upgrade from ${PREVIOUS.release}, taken back, and made again: each replica replaced in turn`,
    missing: hasPrevious()
      ? undefined
      : `commit ${PREVIOUS.commit} of release ${PREVIOUS.release} in git`,
    // A busy machine answers late, and this drill allows no 503 for that.
    needs: { build: 'previous', env: { REDIS_TIMEOUT_MS: '10000' } },
    ends: 'world',
    holdMs: 0,
    async break(world, load) {
      for (const build of [root, previousBuild(), root]) {
        // First, because the tools of a build want its schema. Nothing is migrated back.
        if (build === root) await world.migrate(build);
        world.useBuild(build);
        // The explorer asks the API for what is new: it comes last, and goes back first.
        for (const name of build === root ? SERVICES : SERVICES.toReversed()) {
          await world.restart(name);
          await sleep(1_000);
        }
        await sleep(SOME_LOAD_MS);
      }
      world.refusedOfUpgrade = load.history.filter(({ outcome }) => outcome === 'refused');
    },
    /** Nobody notices: not even 503 is right here. */
    async check(world) {
      const faults = world.refusedOfUpgrade.map(({ kind, reason }) => `${kind}: ${reason}`);
      for (const tool of ['cls-auth', 'cls-api']) {
        await world.tool(tool, ['migrate', '--check']).catch(({ message }) => faults.push(message));
      }
      const { checks } = await world.tool('cls-api', ['reconcile', '--points', '1']);
      const broken = checks.filter(({ breakCount }) => breakCount > 0);
      return [...faults, ...broken.map(({ invariant }) => `broken: ${invariant}`)];
    },
  },
];
