import type { Clock } from '@cls/shared/clock';
import type { LogFault } from '@cls/shared/http/fault-log';
import type { Log } from '@cls/shared/log';
import type { Database } from '@cls/shared/sql/database';
import type { Middleware } from 'koa';
import type { AuditLog } from './audit/audit-log.ts';
import { sqlCompromisedClients } from './clients/sql-compromised-clients.ts';
import type { AccountServices } from './compose-accounts.ts';
import type { AuthServerConfig } from './config.ts';
import { type AnswerLeak, answerLeak } from './leaks/answer-leak.ts';
import { queueNotice } from './notices/sql-customer-notices.ts';
import { secretReports } from './secret-scanning/reports.ts';
import { scannerKeys } from './secret-scanning/scanner-keys.ts';

export interface LeakDeps {
  readonly config: AuthServerConfig;
  readonly database: Database;
  readonly accountServices: Pick<AccountServices, 'clientSecrets'>;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly logFault: LogFault;
}

/** What answers leaked secrets, and takes reports of them. */
export function composeLeaks(deps: LeakDeps): {
  readonly answerLeak: AnswerLeak;
  readonly secretReports: Middleware;
} {
  const { config, database, audit, clock, log, logFault } = deps;
  const { clientSecrets } = deps.accountServices;
  const compromisedClients = sqlCompromisedClients(database, clientSecrets.add);
  const answering = answerLeak({ compromisedClients, queueNotice, audit, clock });
  const { issuer, secretScanningKeysUrl: url } = config;
  const findKey = url === undefined ? undefined : scannerKeys(url, log);
  return {
    answerLeak: answering,
    secretReports: secretReports({
      ...{ findKey, identify: clientSecrets.identify, answerLeak: answering },
      ...{ issuer, log, logFault },
    }),
  };
}
