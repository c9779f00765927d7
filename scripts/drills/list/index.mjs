/**
 * A drill: `name` and `title`; `needs` (which PostgreSQL and Redis, see stores.mjs); `break(world, load)`, and
 * `heal(world, kept, load)` with what `break` returned; `holdMs` between the two; `pace` of the load. `allows`
 * names answers that are right in this drill alone; `forgets: 'sign-ins'` where the documentation says that they
 * end. `check(world, load)` returns faults of its own. A drill about starts has `scenario(world)`, and no load. `ends: 'world'`: nothing else runs there afterwards. `short`:
 * part of the tests.
 */
import { ENVIRONMENT } from './environment.mjs';
import { POSTGRES } from './postgres.mjs';
import { PROCESSES } from './processes.mjs';
import { REDIS } from './redis.mjs';
import { RESTORES } from './restore.mjs';
import { SECRETS } from './secrets.mjs';
import { STARTS } from './starts.mjs';
import { UPGRADE } from './upgrade.mjs';

export const DRILLS = [
  ...PROCESSES,
  ...POSTGRES,
  ...REDIS,
  ...STARTS,
  ...ENVIRONMENT,
  ...SECRETS,
  ...RESTORES,
  ...UPGRADE,
];
