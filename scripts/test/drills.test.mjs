// The short drills (docs/guides/drills.md): what is broken under load is answered rightly, and recovers.
import { expect } from 'chai';
import { requireServer } from '../../packages/testing/dist/src/engines.js';
import { postgresServer, redisServer } from '../../packages/testing/dist/src/servers.js';
import { DRILLS } from '../drills/list/index.mjs';
import { NGINX } from '../drills/nginx.mjs';
import { runDrill } from '../drills/run-drill.mjs';
import { startWorld } from '../drills/world.mjs';

/**
 * A quarter of the load of `npm run drills`: what it takes is most of what this test takes. Each kind of request is
 * under way at the fault all the same, and asked again after it.
 */
const PACE = 4;

describe('two replicas of each service under load', function () {
  this.timeout(600_000);
  let world;
  before(async function () {
    requireServer(this, 'nginx', NGINX);
    requireServer(this, 'PostgreSQL', await postgresServer());
    requireServer(this, 'Redis', await redisServer());
    world = await startWorld({ hosted: true });
  });
  after(() => world?.close());

  for (const drill of DRILLS.filter(({ short }) => short)) {
    it(`lose nothing, answer rightly and recover: ${drill.title}`, async () => {
      const { faults, reasons } = await runDrill(world, { ...drill, holdMs: 1_000, pace: PACE });
      expect(faults, reasons.join('\n')).to.deep.equal([]);
    });
  }
});
