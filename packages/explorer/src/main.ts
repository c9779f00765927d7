import { createLog } from '@cls/shared/log';
import { runService } from '@cls/shared/service/run-service';
import { startExplorer } from './compose.ts';
import { parseConfig } from './config.ts';

await runService(() => {
  const config = parseConfig(process.env);
  return startExplorer(config, createLog('explorer', config.logLevel));
});
