import type { Clock } from '@cls/shared/clock';
import type { Metrics } from '@cls/shared/metrics/metrics';
import { aesGcmSealer } from '@cls/shared/seal';
import type { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import type { PasswordVerifier } from './accounts/password.ts';
import { sqlAccountLinks } from './accounts/sql-account-links.ts';
import { sqlAccountDirectory, sqlAccounts } from './accounts/sql-accounts.ts';
import { auditKeptSince } from './audit/sql-audit-months.ts';
import { sqlAuditReader } from './audit/sql-audit-reader.ts';
import { sqlApplications } from './clients/sql-applications.ts';
import { sqlClientSecretHashes } from './clients/sql-client-secret-hashes.ts';
import { sqlClientSecrets } from './clients/sql-client-secrets.ts';
import { sqlServiceAccounts } from './clients/sql-service-accounts.ts';
import { recoveryKeyOf } from './crypto/recovery-key.ts';
import { sqlFactors } from './factors/sql-factors.ts';
import { sqlPasskeys } from './factors/sql-passkeys.ts';
import { sqlRecoveryCodes } from './factors/sql-recovery-codes.ts';
import { sqlTotpFactors } from './factors/sql-totp-factors.ts';
import { sqlCustomers } from './organisations/sql-customers.ts';
import { sqlUpstreamLinks, sqlUpstreamProviders } from './organisations/sql-upstream.ts';
import { sqlConsents } from './sessions/sql-consents.ts';
import { sqlRememberedDevices } from './sessions/sql-remembered-devices.ts';
import { sqlSessionStore } from './sessions/sql-session-store.ts';
import { countedThrottle } from './throttle/counted-throttle.ts';
import { sqlKnownAddresses } from './throttle/sql-known-addresses.ts';
import { sqlThrottle } from './throttle/sql-throttle.ts';
import { sqlTokenStatus } from './token-status/sql-token-status.ts';

export interface RecordDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Seals TOTP and upstream secrets, and keys the hashes of recovery codes. */
  readonly keyEncryptionKey: Secret;
  /** Opens what `keyEncryptionKey` does not, while one replaces the other. */
  readonly previousKeyEncryptionKey?: Secret | undefined;
  /** Days that audit events are kept; 0, the default, for ever. */
  readonly auditRetentionDays?: number | undefined;
}

/** What is kept of people and clients, in the service's own database; for the operator's tool too. */
export function composeRecords({
  database,
  clock,
  keyEncryptionKey,
  previousKeyEncryptionKey,
  auditRetentionDays = 0,
}: RecordDeps) {
  const sealer = aesGcmSealer(keyEncryptionKey, undefined, previousKeyEncryptionKey);
  const secretHashes = sqlClientSecretHashes(database, sealer);
  const clientSecrets = sqlClientSecrets(database, secretHashes);
  return {
    tokenStatus: sqlTokenStatus(database),
    secretHashes,
    clientSecrets,
    serviceAccounts: sqlServiceAccounts(database, clientSecrets),
    records: sqlAccounts(database),
    links: sqlAccountLinks(database, clock),
    customers: sqlCustomers(database),
    applications: sqlApplications(database, clientSecrets),
    sessionStore: sqlSessionStore(database),
    throttle: sqlThrottle(database, clock),
    factors: sqlFactors(database),
    totpFactors: sqlTotpFactors(database, sealer, clock),
    upstreamProviders: sqlUpstreamProviders(database, sealer),
    upstreamLinks: sqlUpstreamLinks(database),
    auditReader: sqlAuditReader(database, () => auditKeptSince(clock, auditRetentionDays)),
    sealer,
  };
}

export interface StoreDeps extends RecordDeps {
  readonly passwords: PasswordVerifier;
  readonly metrics: Metrics;
}

export type Stores = ReturnType<typeof composeStores>;

/** The same for the service, with what it alone asks for. */
export function composeStores(deps: StoreDeps) {
  const { database, passwords, clock, keyEncryptionKey, previousKeyEncryptionKey, metrics } = deps;
  const keys = [keyEncryptionKey, previousKeyEncryptionKey].filter((key) => key !== undefined);
  const records = composeRecords(deps);
  return {
    ...records,
    accounts: sqlAccountDirectory(database, passwords),
    rememberedDevices: sqlRememberedDevices(database),
    consents: sqlConsents(database),
    throttle: countedThrottle(records.throttle, metrics),
    knownAddresses: sqlKnownAddresses(database, clock),
    passkeys: sqlPasskeys(database),
    recoveryCodes: sqlRecoveryCodes(database, keys.map(recoveryKeyOf), records.sealer),
  };
}
