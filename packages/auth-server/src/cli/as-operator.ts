import { systemClock } from '@cls/shared/clock';
import { developmentSecret } from '@cls/shared/development-secret';
import { createLog } from '@cls/shared/log';
import { migrate, readMigrations } from '@cls/shared/sql/migrate';
import { openDatabaseAsOperator } from '@cls/shared/sql/open-database';
import { commonPasswords } from '../accounts/common-passwords.ts';
import { passwordLengthMin } from '../accounts/password-rules.ts';
import { parseConfig } from '../config.ts';
import { aesGcmSealer } from '../keys/seal.ts';
import { MIGRATIONS } from '../store/migrations.ts';
import { sqlAccounts } from '../store/sql-accounts.ts';
import { sqlApplications } from '../store/sql-applications.ts';
import { sqlAuditLog } from '../store/sql-audit-log.ts';
import { sqlCustomers } from '../store/sql-customers.ts';
import { sqlServiceAccounts } from '../store/sql-service-accounts.ts';
import { sqlSigningKeyStore } from '../store/sql-signing-keys.ts';
import { sqlThrottle } from '../store/sql-throttle.ts';
import { sqlTotpFactors } from '../store/sql-totp-factors.ts';
import type { AsOperator } from './operator.ts';

/** Opens the records (through a running service where one holds them), and closes them again. */
export const asOperator: AsOperator = async (work) => {
  const config = parseConfig(process.env);
  const log = createLog('cls-auth', 'silent');
  const database = await openDatabaseAsOperator(config.database, 'cls-auth', log);
  try {
    await migrate(database, readMigrations(MIGRATIONS));
    const sealer = aesGcmSealer(
      config.keyEncryptionKey ?? developmentSecret(config.dataDir, 'key-encryption-key'),
    );
    const audit = sqlAuditLog(database, systemClock, createLog('cls-auth', 'error'));
    const result = await work({
      issuer: config.issuer,
      customers: sqlCustomers(database),
      serviceAccounts: sqlServiceAccounts(database),
      applications: sqlApplications(database),
      accounts: sqlAccounts(database),
      passwordRules: {
        lengthMin: passwordLengthMin(config.mfaPolicy),
        isListed: await commonPasswords(),
      },
      totpFactors: sqlTotpFactors(database, sealer, systemClock),
      throttle: sqlThrottle(database, systemClock),
      keys: sqlSigningKeyStore(database, sealer, config.signingKeyBits),
      audit,
    });
    await audit.flush();
    return result;
  } finally {
    await database.close();
  }
};
