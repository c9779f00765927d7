import { CommandRefused } from '@cls/shared/cli/command-line';
import { createLog, silentLog } from '@cls/shared/log';
import type { Secret } from '@cls/shared/secret';
import { openDatabaseAsOperator, ownerLocation } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { readSchema } from '@cls/shared/sql/migrate';
import { sqlTaskRuns } from '@cls/shared/sql/task-runs';
import { connectRedis } from '../access/redis-connection.ts';
import { parseConfig } from '../config.ts';
import { openWebhookSealer } from '../notices/open-webhook-sealer.ts';
import { targetFault } from '../notices/webhook-target.ts';
import { MIGRATIONS } from '../store/migrations.ts';
import { sqlBilling } from '../store/sql-billing.ts';
import { sqlBook } from '../store/sql-book.ts';
import { sqlBookRestores } from '../store/sql-book-restores.ts';
import { sqlDirectory } from '../store/sql-directory.ts';
import { sqlEntitlements } from '../store/sql-entitlements.ts';
import { sqlFxRates } from '../store/sql-fx-rates.ts';
import { sqlJournals } from '../store/sql-journals.ts';
import { sqlLedgerChain } from '../store/sql-ledger-chain.ts';
import { sqlNoticeContacts } from '../store/sql-notice-contacts.ts';
import { sqlNotices } from '../store/sql-notices.ts';
import { sqlPartyNames } from '../store/sql-party-names.ts';
import { sqlPeriods } from '../store/sql-periods.ts';
import { sqlReadLog } from '../store/sql-read-log.ts';
import { sqlReconciler } from '../store/sql-reconciler.ts';
import { sqlRetirements } from '../store/sql-retirements.ts';
import { sqlVersionUsage } from '../store/sql-version-usage.ts';
import { sqlWholeBook } from '../store/sql-whole-book.ts';
import { redisVersionUsage } from '../usage/redis-version-usage.ts';
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
