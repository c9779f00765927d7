import type { Context } from 'koa';
import type { ChangeName } from '../account-management/change-name.ts';
import type { ChangePassword } from '../account-management/change-password.ts';
import type { securityLog } from '../account-management/security-log.ts';
import type { Account } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { MfaPolicy } from '../accounts/mfa-policy.ts';
import type { PasswordRules } from '../accounts/password-rules.ts';
import type { ManageFactors } from '../factors/manage-factors.ts';
import type { RecoveryCodes } from '../factors/recovery-codes.ts';
import type { Provider } from '../library/oidc.ts';
import type { SessionLifetimeSettings } from '../library/session-lifetime.ts';
import type { CustomerRecords } from '../organisations/customer.ts';
import type { Integrations } from '../organisations/integrations.ts';
import type { UpstreamSignIn } from '../organisations/sign-in-upstream.ts';
import type { SessionName } from '../sessions/account-access.ts';
import type { AccountApplications } from '../sessions/account-applications.ts';
import type { AccountSessions } from '../sessions/account-sessions.ts';
import type { RememberedDevices } from '../sessions/remembered-devices.ts';
import type { ProofDeps } from '../sign-in/prove.ts';
import type { SecondStep } from '../sign-in/second-step.ts';
import type { EnrolmentDeps } from './enrol.ts';

export interface AccountPagesDeps extends EnrolmentDeps, ProofDeps {
  readonly issuer: string;
  readonly scopeBase: string;
  readonly mfaPolicy: MfaPolicy;
  readonly sessions: SessionLifetimeSettings;
  readonly records: AccountRecords;
  readonly customers: CustomerRecords;
  readonly passwordRules: PasswordRules;
  readonly changeName: ChangeName;
  readonly changePassword: ChangePassword;
  readonly manageFactors: ManageFactors;
  readonly recoveryCodes: RecoveryCodes;
  readonly secondStep: SecondStep;
  readonly accountSessions: AccountSessions;
  readonly rememberedDevices: RememberedDevices;
  readonly accountApplications: AccountApplications;
  readonly upstreamSignIn: UpstreamSignIn;
  readonly integrations: Integrations;
  readonly securityLog: ReturnType<typeof securityLog>;
}

/** The person who is signed in in this browser. */
export interface Visitor {
  readonly account: Account;
  readonly session: SessionName;
  /** When the person last signed in, whole seconds since the epoch. */
  readonly signedInAtS: number;
  /** Whether the person proved a second factor then. */
  readonly mfa: boolean;
  /** Seconds until the session ends, if nothing prolongs it. */
  readonly endsInS: number;
}

/** One request for an account page. */
export interface AccountPageContext extends Visitor {
  readonly provider: Provider;
  readonly deps: AccountPagesDeps;
  readonly ctx: Context;
}

export type { Form } from '../web/page.ts';
