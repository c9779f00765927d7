import { CommandRefused } from '@cls/shared/cli/command-line';
import { createLog, silentLog } from '@cls/shared/log';
import type { Secret } from '@cls/shared/secret';
import { openDatabaseAsOperator, ownerLocation } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { readSchema } from '@cls/shared/sql/migrate';
import { sqlTaskRuns } from '@cls/shared/sql/task-runs';
import { targetFault } from '@cls/shared/webhook/webhook-target';
import { sqlEntitlements } from '../access/sql-entitlements.ts';
import { sqlBilling } from '../billing/sql-billing.ts';
import { sqlBookRestores } from '../chain/sql-book-restores.ts';
import { sqlLedgerChain } from '../chain/sql-ledger-chain.ts';
import { sqlWholeBook } from '../chain/sql-whole-book.ts';
import { parseConfig } from '../config.ts';
import { MIGRATIONS } from '../database/migrations.ts';
import { sqlFxRates } from '../fx/sql-fx-rates.ts';
import { sqlImportProfiles } from '../import/jobs/sql/sql-import-profiles.ts';
import { sqlBook } from '../import/sql/sql-book.ts';
import { sqlJournals } from '../journal-file/sql/sql-journals.ts';
import { openWebhookSealer } from '../notices/open-webhook-sealer.ts';
import { sqlNoticeContacts } from '../notices/sql-notice-contacts.ts';
import { sqlNotices } from '../notices/sql-notices.ts';
import { sqlRetirements } from '../notices/sql-retirements.ts';
import { sqlDirectory } from '../parties/sql-directory.ts';
import { sqlPartyNames } from '../parties/sql-party-names.ts';
import { sqlPeriods } from '../periods/sql-periods.ts';
import { sqlReadLog } from '../reads/sql-read-log.ts';
import { sqlReconciler } from '../reconcile/sql/sql-reconciler.ts';
import { redisVersionUsage } from '../usage/redis-version-usage.ts';
import { sqlVersionUsage } from '../usage/sql-version-usage.ts';
import { sumUsage, type UsageReader } from '../usage/sum-usage.ts';
import type { AsOperator } from './operator.ts';

/** Works through a running service where one holds the embedded store. */
export const asOperator: AsOperator = async (work, { mayCreate = false, owner = false } = {}) => {
  const config = parseConfig(process.env);
  const log = createLog('cls-api', 'silent');
  const schema = readSchema(MIGRATIONS);
  const location = owner ? ownerLocation(config.database) : config.database;
  const database = await openDatabaseAsOperator(location, 'cls-api', log, schema, mayCreate);
  try {
    return await work({
      book: sqlBook(database),
      importProfiles: sqlImportProfiles(database),
      journals: sqlJournals(database),
      billing: sqlBilling(database),
      entitlements: sqlEntitlements(database),
      directory: sqlDirectory(database),
      reconciler: sqlReconciler(database),
      chain: sqlLedgerChain(database),
      wholeBook: sqlWholeBook(database),
      restores: sqlBookRestores(database),
      periods: sqlPeriods(database),
      fxRates: sqlFxRates(database),
      partyNames: sqlPartyNames(database),
      usage: usageOf(database, config.redisUrl),
      reads: sqlReadLog(database),
      contacts: sqlNoticeContacts(database),
      notices: sqlNotices(database),
      retirements: sqlRetirements(database),
      taskRuns: sqlTaskRuns(database),
      webhooks: {
        targetFault: (target) => targetFault(target, config.notices),
        sealer: () => openWebhookSealer(config),
      },
    });
  } finally {
    await database.close();
  }
};

/** Without Redis the database counts; with it, what could not be sent there at a stop. */
function usageOf(database: Database, redisUrl: Secret | undefined): UsageReader {
  const counts = sqlVersionUsage(database);
  if (redisUrl === undefined) return counts;
  const read = async <T>(ask: (reader: UsageReader) => Promise<T>): Promise<T> => {
    const { connectRedis } = await import('../access/redis-connection.ts');
    const redis = connectRedis(redisUrl, silentLog);
    try {
      await redis.ready().catch(() => {
        throw new CommandRefused('Redis at REDIS_URL does not answer');
      });
      return await ask(
        sumUsage(
          counts,
          redisVersionUsage(redis, () => new Date()),
        ),
      );
    } finally {
      await redis.stop();
    }
  };
  return {
    since: (day) => read((reader) => reader.since(day)),
    summarize: (...asked) => read((reader) => reader.summarize(...asked)),
  };
}
