import type { Clock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import type { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { administerAccounts } from './account-management/administer.ts';
import { background } from './account-management/background.ts';
import { changePassword } from './account-management/change-password.ts';
import { acceptInvitation, invite } from './account-management/invite.ts';
import { resetPassword } from './account-management/reset-password.ts';
import { securityLog } from './account-management/security-log.ts';
import { commonPasswords } from './accounts/common-passwords.ts';
import type { MfaPolicy } from './accounts/mfa-policy.ts';
import type { PasswordVerifier } from './accounts/password.ts';
import { passwordLengthMin } from './accounts/password-rules.ts';
import { sqlAccountLinks } from './accounts/sql-account-links.ts';
import { sqlAccountDirectory, sqlAccounts } from './accounts/sql-accounts.ts';
import type { AuditLog } from './audit/audit-log.ts';
import { sqlAuditReader } from './audit/sql-audit-reader.ts';
import { sqlApplications } from './clients/sql-applications.ts';
import { keyedHash } from './crypto/keyed-hash.ts';
import { aesGcmSealer } from './crypto/seal.ts';
import { manageFactors } from './factors/manage-factors.ts';
import { passkeys } from './factors/passkeys.ts';
import { recoveryCodes } from './factors/recovery-codes.ts';
import { sqlFactors } from './factors/sql-factors.ts';
import { sqlPasskeys } from './factors/sql-passkeys.ts';
import { sqlRecoveryCodes } from './factors/sql-recovery-codes.ts';
import { sqlTotpFactors } from './factors/sql-totp-factors.ts';
import { totpEnrolments } from './factors/totp-enrolment.ts';
import { webAuthn } from './factors/webauthn.ts';
import type { AccountMail } from './mail/account-mail.ts';
import { openidClient } from './organisations/openid-client.ts';
import { upstreamSignIn } from './organisations/sign-in-upstream.ts';
import { sqlCustomers } from './organisations/sql-customers.ts';
import { sqlUpstreamLinks, sqlUpstreamProviders } from './organisations/sql-upstream.ts';
import { accountApplications } from './sessions/account-applications.ts';
import { accountSessions } from './sessions/account-sessions.ts';
import { sqlConsents } from './sessions/sql-consents.ts';
import { sqlSignedIn } from './sessions/sql-signed-in.ts';
import { accountAccess } from './sessions/state-account-access.ts';
import { noteDevice } from './sign-in/note-device.ts';
import { secondStep } from './sign-in/second-step.ts';
import type { StateStore } from './state/state-store.ts';
import { knownDevices } from './throttle/known-devices.ts';
import { sqlKnownAddresses } from './throttle/sql-known-addresses.ts';
import { sqlThrottle } from './throttle/sql-throttle.ts';

export interface AccountSettings {
  readonly issuer: string;
  readonly mfaPolicy: MfaPolicy;
  readonly production: boolean;
  /** Seals TOTP secrets, and keys the hashes of recovery codes. */
  readonly keyEncryptionKey: Secret;
  /** Signs the cookie of known devices. */
  readonly cookieKey: Secret;
}

export interface AccountPorts {
  readonly database: Database;
  readonly state: StateStore;
  readonly passwords: PasswordVerifier;
  readonly audit: AuditLog;
  readonly mail: AccountMail;
  readonly clock: Clock;
  readonly log: Log;
}

/** The name that authenticators show. */
const RELYING_PARTY = 'CLS';

/** Everything that people do with their accounts and that is done to them. */
export async function composeAccounts(settings: AccountSettings, ports: AccountPorts) {
  const { database, state, passwords, audit, mail, clock, log } = ports;
  const { issuer, mfaPolicy, keyEncryptionKey, cookieKey } = settings;
  const notices = { audit, mail };
  const passwordRules = {
    lengthMin: passwordLengthMin(mfaPolicy),
    isListed: await commonPasswords(),
  };
  const accounts = sqlAccountDirectory(database, passwords);
  const records = sqlAccounts(database);
  const customers = sqlCustomers(database);
  const links = sqlAccountLinks(database, clock);
  const signedIn = sqlSignedIn(database);
  const access = accountAccess(state, signedIn);
  const consents = sqlConsents(database);
  const throttle = sqlThrottle(database, clock);
  const devices = knownDevices(keyedHash(cookieKey, 'known devices'), clock);
  const knownAddresses = sqlKnownAddresses(database, clock);
  const factors = sqlFactors(database);
  const sealer = aesGcmSealer(keyEncryptionKey);
  const providers = sqlUpstreamProviders(database, sealer);
  const totpFactors = sqlTotpFactors(database, sealer, clock);
  const hashCode = keyedHash(keyEncryptionKey, 'recovery codes');
  const codes = recoveryCodes(sqlRecoveryCodes(database, hashCode), notices);
  const keys = passkeys({
    ...{ ...notices, factors, accounts, state },
    passkeys: sqlPasskeys(database),
    recoveryCodes: codes,
    webAuthn: webAuthn(issuer, RELYING_PARTY),
  });
  const auditReader = sqlAuditReader(database);
  const later = background(log);
  const guessing = { throttle, devices };
  const newPasswords = { passwords, passwordRules };
  return {
    ...{
      accounts,
      records,
      customers,
      throttle,
      devices,
      knownAddresses,
      passwordRules,
      access,
      signedIn,
      consents,
    },
    secondFactor: totpFactors,
    accountSessions: accountSessions({ ...notices, access, signedIn }),
    accountApplications: accountApplications({
      ...{ ...notices, access, consents },
      applications: sqlApplications(database),
    }),
    manageFactors: manageFactors({ ...notices, factors, mfaPolicy }),
    totpEnrolments: totpEnrolments({
      ...{ ...notices, factors, totpFactors, state, clock, issuer },
      recoveryCodes: codes,
    }),
    passkeys: keys,
    recoveryCodes: codes,
    secondStep: secondStep({
      ...{ ...guessing, factors },
      totp: totpFactors,
      recoveryCodes: codes,
      passkeys: keys,
    }),
    changePassword: changePassword({
      ...{ ...notices, ...guessing, ...newPasswords, accounts, records, access },
    }),
    resetPassword: resetPassword({
      ...{ ...notices, ...guessing, ...newPasswords, accounts, records, access, links },
      background: later,
    }),
    invite: invite({ ...notices, customers, records, links, providers }),
    acceptInvitation: acceptInvitation({
      ...{ ...notices, ...newPasswords, accounts, customers, links, throttle },
    }),
    administer: administerAccounts({ ...notices, records, factors, links, access, throttle }),
    upstreamSignIn: upstreamSignIn({
      ...{ ...notices, issuer, accounts, records, customers, access, state, log },
      client: openidClient(!settings.production),
      providers,
      upstreamLinks: sqlUpstreamLinks(database),
    }),
    noteDevice: noteDevice({ ...notices, devices, knownAddresses, records }),
    securityLog: securityLog(auditReader, audit),
    /** Resolves when what was begun in the background has ended. */
    settle: () => later.settle(),
  };
}
