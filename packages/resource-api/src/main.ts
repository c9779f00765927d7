import { createLog } from '@cls/shared/log';
import { runService } from '@cls/shared/service/run-service';
import { startResourceApi } from './compose.ts';
import { parseConfig } from './config.ts';

await runService(() => {
  const config = parseConfig(process.env);
  return startResourceApi(config, createLog('resource-api', config.logLevel));
});
