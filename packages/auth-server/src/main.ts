import { createLog } from '@cls/shared/log';
import { runService } from '@cls/shared/service/run-service';
import { startAuthServer } from './compose.ts';
import { parseConfig } from './config.ts';

await runService(() => {
  const config = parseConfig(process.env);
  return startAuthServer(config, createLog('auth-server', config.logLevel));
});
