import './library/reliances/console-notices.ts'; // First: it takes what the library says while it is loaded.

import { createLog } from '@cls/shared/log';
import { openDatabase } from '@cls/shared/service/open-database';
import { openTracing } from '@cls/shared/service/open-tracing';
import { runService } from '@cls/shared/service/run-service';
import { startAuthServer } from './compose.ts';
import { parseConfig } from './config.ts';
import { logNotices } from './library/reliances/console-notices.ts';

const MANIFEST = new URL('../../package.json', import.meta.url);

await runService(
  () => parseConfig(process.env),
  async (config) => {
    const tracing = await openTracing(config.tracesEndpoint, 'auth-server', MANIFEST);
    const log = createLog('auth-server', config.logLevel, tracing?.logFields);
    tracing?.reportTo(log);
    logNotices(log);
    return startAuthServer(config, log, openDatabase, tracing);
  },
);
