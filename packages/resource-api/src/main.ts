import { systemClock } from '@cls/shared/clock';
import { createLog } from '@cls/shared/log';
import { openTracing } from '@cls/shared/service/open-tracing';
import { runService } from '@cls/shared/service/run-service';
import { productVersions, startResourceApi } from './compose.ts';
import { parseConfig } from './config.ts';

const MANIFEST = new URL('../../package.json', import.meta.url);

await runService(
  () => parseConfig(process.env),
  async (config) => {
    const tracing = await openTracing(config.tracesEndpoint, 'resource-api', MANIFEST);
    const log = createLog('resource-api', config.logLevel, tracing?.logFields);
    tracing?.reportTo(log);
    return startResourceApi(config, log, systemClock, productVersions, tracing);
  },
);
