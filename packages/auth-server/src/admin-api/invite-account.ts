import type { Invite } from '../account-management/invite.ts';
import type { Throttle } from '../throttle/throttle.ts';
import { presentInvitation } from './present.ts';
import { invitation, readGiven } from './read-body.ts';
import { callerDisabled, refusal, tooManyInvitations } from './refusals.ts';
import type { Handle } from './route.ts';

export interface InvitationDeps {
  readonly issuer: string;
  readonly invite: Invite;
  readonly throttle: Throttle;
}

/** Invites to the administrator's own customer, and to what the administrator may give. */
export function inviteAccount({ issuer, invite, throttle }: InvitationDeps): Handle {
  return async ({ customer, grantablePermissions, actor, request }) => {
    const given = await readGiven(invitation(grantablePermissions), request);
    const { email, name, permissions, language: locale } = given;
    const ofAddress = { kind: 'invitation', id: `${customer} ${email}` } as const;
    const ofCustomer = { kind: 'invitations-of-customer', id: customer } as const;
    const subjects = [ofAddress, ofCustomer];
    for (const [n, subject] of subjects.entries()) {
      const admission = await throttle.admit([subject]);
      if (admission.admitted) continue;
      await throttle.withdraw(subjects.slice(0, n)); // No message was sent.
      throw tooManyInvitations(subject === ofAddress ? 'address' : 'customer', admission);
    }
    const outcome = await invite(
      { email, name, customer, permissions },
      { ...actor, ...(locale === undefined ? {} : { locale }) },
      { discreet: true },
    );
    if ('refused' in outcome) {
      await throttle.withdraw(subjects); // No message was sent.
      // The address was read as one; the customer was enabled when the caller was let in.
      throw outcome.refused === 'account_exists' ? refusal('account_exists') : callerDisabled();
    }
    const { account, expiresAt } = outcome;
    return {
      location: `${issuer}/admin/v1/accounts/${account.id}`,
      body: presentInvitation(account, expiresAt),
    };
  };
}
