import type { Clock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import type { Metrics } from '@cls/shared/metrics/metrics';
import type { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { administerAccounts } from './account-management/administer.ts';
import { createBackgroundTasks } from './account-management/background-tasks.ts';
import { changeName } from './account-management/change-name.ts';
import { changePassword } from './account-management/change-password.ts';
import { acceptInvitation, invite } from './account-management/invite.ts';
import { resetPassword } from './account-management/reset-password.ts';
import { securityLog } from './account-management/security-log.ts';
import { commonPasswords } from './accounts/common-passwords.ts';
import type { PasswordVerifier } from './accounts/password.ts';
import { type PasswordRules, passwordLengthMin } from './accounts/password-rules.ts';
import type { AuditLog } from './audit/audit-log.ts';
import { manageSecrets } from './clients/manage-secrets.ts';
import { composeStores, type Stores } from './compose-stores.ts';
import type { AuthServerConfig } from './config.ts';
import { keyedHash } from './crypto/digest.ts';
import { manageFactors } from './factors/manage-factors.ts';
import { passkeys } from './factors/passkeys.ts';
import { recoveryCodes } from './factors/recovery-codes.ts';
import { totpEnrolments } from './factors/totp-enrolment.ts';
import { webAuthn } from './factors/webauthn.ts';
import type { AccountMail } from './mail/account-mail.ts';
import { openidClient } from './organisations/openid-client.ts';
import { upstreamSignIn } from './organisations/sign-in-upstream.ts';
import type { AccountAccess } from './sessions/account-access.ts';
import { accountApplications } from './sessions/account-applications.ts';
import { accountSessions } from './sessions/account-sessions.ts';
import { rememberedDevices } from './sessions/remembered-devices.ts';
import { accountAccess } from './sessions/state-account-access.ts';
import { recordDevice } from './sign-in/record-device.ts';
import { secondStep } from './sign-in/second-step.ts';
import type { StateStore } from './state/state-store.ts';
import { type KnownDevices, knownDevices } from './throttle/known-devices.ts';

export interface AccountSettings
  extends Pick<
    AuthServerConfig,
    'issuer' | 'mfaPolicy' | 'production' | 'rememberDeviceS' | 'upstreamTimeoutS'
  > {
  /** Days that audit events are kept; 0, the default, for ever. */
  readonly auditRetentionDays?: number;
  /** The name that authenticators show. */
  readonly product?: string;
  /** Seals TOTP secrets, and keys the hashes of recovery codes. */
  readonly keyEncryptionKey: Secret;
  readonly previousKeyEncryptionKey?: Secret | undefined;
  /** Signs the cookie of known devices, and makes the secrets of remembered ones. */
  readonly cookieKey: Secret;
  /** Its known devices are still known. */
  readonly previousCookieKey?: Secret | undefined;
}

export interface AccountPorts {
  readonly database: Database;
  readonly state: StateStore;
  readonly passwords: PasswordVerifier;
  readonly audit: AuditLog;
  readonly mail: AccountMail;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export type AccountServices = Awaited<ReturnType<typeof composeAccounts>>;

/** Everything that people do with their accounts and that is done to them. */
export async function composeAccounts(settings: AccountSettings, ports: AccountPorts) {
  const { mfaPolicy, keyEncryptionKey, previousKeyEncryptionKey, cookieKey } = settings;
  const { database, state, passwords, audit, clock, metrics } = ports;
  const stores = composeStores({
    ...{ database, passwords, clock, keyEncryptionKey, previousKeyEncryptionKey, metrics },
    auditRetentionDays: settings.auditRetentionDays,
  });
  const { accounts, records, customers, throttle, knownAddresses, sessionStore, consents } = stores;
  const access = accountAccess(state, sessionStore, stores.tokenStatus);
  const { previousCookieKey: before } = settings;
  const devices = knownDevices(
    keyedHash(cookieKey, 'known devices'),
    clock,
    before && keyedHash(before, 'known devices'),
  );
  const isListed = await commonPasswords();
  const passwordRules = { lengthMin: passwordLengthMin(mfaPolicy), isListed };
  const factors = composeFactors(settings, ports, stores);
  return {
    accounts,
    records,
    customers,
    throttle,
    devices,
    knownAddresses,
    passwordRules,
    access,
    sessionStore,
    consents,
    applications: stores.applications,
    serviceAccounts: stores.serviceAccounts,
    secretHashes: stores.secretHashes,
    tokenStatus: stores.tokenStatus,
    clientSecrets: stores.clientSecrets,
    manageSecrets: manageSecrets({ secrets: stores.clientSecrets, audit }),
    auditReader: stores.auditReader,
    upstreamProviders: stores.upstreamProviders,
    secondFactor: stores.totpFactors,
    manageFactors: factors.manageFactors,
    totpEnrolments: factors.totpEnrolments,
    passkeys: factors.passkeys,
    recoveryCodes: factors.recoveryCodes,
    ...composeSignIn(settings, ports, stores, { access, devices, factors }),
    rememberedDevices: rememberedDevices({
      audit,
      mail: ports.mail,
      clock,
      records: stores.rememberedDevices,
      lifeS: settings.rememberDeviceS,
      secretOf: keyedHash(cookieKey, 'remembered devices'),
    }),
    ...composeManagement(ports, stores, { access, devices, passwordRules }),
    securityLog: securityLog(stores.auditReader, audit),
  };
}

type Factors = ReturnType<typeof composeFactors>;

function composeFactors(
  { issuer, mfaPolicy, product = 'CLS' }: AccountSettings,
  { audit, mail, state, clock }: AccountPorts,
  stores: Stores,
) {
  const { factors, totpFactors, accounts } = stores;
  const codes = recoveryCodes(stores.recoveryCodes, { audit, mail });
  return {
    recoveryCodes: codes,
    manageFactors: manageFactors({ audit, mail, factors, mfaPolicy }),
    totpEnrolments: totpEnrolments({
      audit,
      mail,
      factors,
      totpFactors,
      recoveryCodes: codes,
      state,
      clock,
      issuer: product,
    }),
    passkeys: passkeys({
      audit,
      mail,
      factors,
      accounts,
      state,
      passkeys: stores.passkeys,
      recoveryCodes: codes,
      webAuthn: webAuthn(issuer, product),
    }),
  };
}

interface SignInDeps {
  readonly access: AccountAccess;
  readonly devices: KnownDevices;
  readonly factors: Factors;
}

function composeSignIn(
  { issuer, production, upstreamTimeoutS }: AccountSettings,
  { audit, mail, state, log }: AccountPorts,
  stores: Stores,
  { access, devices, factors }: SignInDeps,
) {
  const { accounts, records, customers, throttle, knownAddresses } = stores;
  return {
    secondStep: secondStep({
      throttle,
      devices,
      factors: stores.factors,
      secondFactor: stores.totpFactors,
      recoveryCodes: factors.recoveryCodes,
      passkeys: factors.passkeys,
    }),
    upstreamSignIn: upstreamSignIn({
      audit,
      mail,
      issuer,
      accounts,
      records,
      customers,
      access,
      state,
      log,
      client: openidClient(!production, upstreamTimeoutS),
      providers: stores.upstreamProviders,
      upstreamLinks: stores.upstreamLinks,
    }),
    recordDevice: recordDevice({ audit, mail, devices, knownAddresses, records }),
  };
}

interface ManagementDeps {
  readonly access: AccountAccess;
  readonly devices: KnownDevices;
  readonly passwordRules: PasswordRules;
}

function composeManagement(
  { audit, mail, passwords, log }: AccountPorts,
  stores: Stores,
  { access, devices, passwordRules }: ManagementDeps,
) {
  const { accounts, records, customers, links, factors, throttle, sessionStore, consents } = stores;
  const { applications, upstreamProviders: providers } = stores;
  const backgroundTasks = createBackgroundTasks(log);
  return {
    accountSessions: accountSessions({ audit, mail, access, sessionStore }),
    accountApplications: accountApplications({ audit, mail, access, consents, applications }),
    changeName: changeName({ audit, mail, records }),
    changePassword: changePassword({
      audit,
      mail,
      accounts,
      records,
      access,
      throttle,
      devices,
      passwords,
      passwordRules,
    }),
    resetPassword: resetPassword({
      audit,
      mail,
      accounts,
      records,
      access,
      links,
      backgroundTasks,
      throttle,
      devices,
      passwords,
      passwordRules,
    }),
    invite: invite({ audit, mail, customers, records, links, providers }),
    acceptInvitation: acceptInvitation({
      audit,
      mail,
      accounts,
      customers,
      links,
      throttle,
      passwords,
      passwordRules,
    }),
    administer: administerAccounts({ audit, mail, records, factors, links, access, throttle }),
    /** Resolves when what was begun in the background has ended. */
    settle: () => backgroundTasks.settle(),
  };
}
