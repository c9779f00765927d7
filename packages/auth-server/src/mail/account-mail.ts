import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';

/** Each change to an account that its owner gets a message about. */
export type SecurityChange =
  | 'password_changed'
  | 'factor_added'
  | 'factor_removed'
  | 'factors_reset'
  | 'recovery_codes_replaced'
  | 'recovery_code_used'
  | 'application_allowed'
  | 'device_connected'
  | 'organisation_linked'
  | 'account_disabled'
  | 'account_enabled'
  | 'permissions_changed'
  | 'sessions_ended';

/** How somebody signed in; `organisation`: at the organisation's own provider. */
export type SignedInBy = 'password' | 'passkey' | 'organisation';

/**
 * Messages to one person. Each call returns at once: the message is sent soon, tried again when
 * it cannot be, and a failure is in the operator's log, never in the answer.
 */
export interface AccountMail {
  /** @param name of the factor, application or organisation that it was about, or its permissions. */
  changed(account: Account, change: SecurityChange, name: string, actor: Actor): void;
  newDevice(account: Account, signedInBy: SignedInBy, actor: Actor): void;
  /** @param token the one-time secret of the link. */
  passwordReset(account: Account, token: string, validForS: number, actor: Actor): void;
  invitation(
    account: Account,
    organisation: string,
    token: string,
    expiresAt: Date,
    actor: Actor,
  ): void;
  /** For a person who signs in at the organisation's own provider. */
  organisationInvitation(account: Account, organisation: string, actor: Actor): void;
  /** For a person who has an account with another organisation and cannot have a second one. */
  invitationElsewhere(account: Account, organisation: string, actor: Actor): void;
}
