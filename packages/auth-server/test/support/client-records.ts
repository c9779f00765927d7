import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { sqlApplications } from '../../src/clients/sql-applications.ts';
import { sqlClientSecretHashes } from '../../src/clients/sql-client-secret-hashes.ts';
import { sqlClientSecrets } from '../../src/clients/sql-client-secrets.ts';
import { sqlServiceAccounts } from '../../src/clients/sql-service-accounts.ts';

/** As the services of tests seal. */
export const KEY = 'A'.repeat(43);

export function clientSecrets(database: Database) {
  return sqlClientSecrets(database, sqlClientSecretHashes(database, aesGcmSealer(new Secret(KEY))));
}

export function applicationRecords(database: Database) {
  return sqlApplications(database, clientSecrets(database));
}

export function serviceAccountRecords(database: Database) {
  return sqlServiceAccounts(database, clientSecrets(database));
}
