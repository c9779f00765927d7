import { createLog } from '@cls/shared/log';
import { openTracing } from '@cls/shared/service/open-tracing';
import { runService } from '@cls/shared/service/run-service';
import { startExplorer } from './compose.ts';
import { parseConfig } from './config.ts';

const MANIFEST = new URL('../../package.json', import.meta.url);

await runService(
  () => parseConfig(process.env),
  async (config) => {
    const tracing = await openTracing(config.tracesEndpoint, 'explorer', MANIFEST);
    const log = createLog('explorer', config.logLevel, tracing?.logFields);
    tracing?.reportTo(log);
    return startExplorer(config, log, tracing);
  },
);
