/** What an administrator does to somebody's account; behind `cls-auth` and any admin API. */
import type { ApiPermission } from '@cls/shared/access-token';
import type { Account } from '../accounts/account.ts';
import type { AccountLinks } from '../accounts/account-link.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { Requester } from '../audit/actor.ts';
import type { FactorRecords } from '../factors/factor.ts';
import { type NoticeParts, notice } from '../mail/security-notice.ts';
import type { AccountAccess } from '../sessions/account-access.ts';
import { allGuesses } from '../throttle/guess.ts';
import type { Throttle } from '../throttle/throttle.ts';

export interface AdministerAccounts {
  /** Ends its sessions, tokens and links at once, and sends the owner a message. */
  disable(account: Account, by: Requester): Promise<void>;
  /** Sends the owner a message. Does nothing to an account that is not disabled itself. */
  enable(account: Account, by: Requester): Promise<void>;
  /** Removes every factor and recovery code and lifts their blocks, and sends the owner a message. */
  resetFactors(account: Account, by: Requester): Promise<void>;
  /** What applications call the person from now on; undefined takes the name away. */
  rename(account: Account, name: string | undefined, by: Requester): Promise<void>;
  /** Ends all sessions, and sends the owner a message. */
  endSessions(account: Account, by: Requester): Promise<void>;
  /**
   * What the account may do from now on. Where something is taken away, its sessions and tokens end;
   * where it differs from before, the owner gets a message.
   *
   * @param addable what may be added to what the account has.
   * @returns false, and changes nothing, where more was to be added.
   */
  setPermissions(
    account: Account,
    permissions: readonly ApiPermission[],
    addable: readonly ApiPermission[],
    by: Requester,
  ): Promise<boolean>;
}

export interface AdministerParts extends NoticeParts {
  readonly records: AccountRecords;
  readonly factors: FactorRecords;
  readonly links: AccountLinks;
  readonly access: Pick<AccountAccess, 'endAll'>;
  readonly throttle: Throttle;
}

export function administerAccounts(parts: AdministerParts): AdministerAccounts {
  const { records, factors, links, access, throttle } = parts;
  return {
    async disable(account, by) {
      await records.setDisabled(account.id, true);
      await links.removeAll(account.id);
      await access.endAll(account.id);
      notice(parts, 'account.disabled', account, by);
    },
    async enable(account, by) {
      if (!(await records.isDisabled(account.id))) return;
      // Disabling may have failed half-way: what was signed in before must not come back.
      await access.endAll(account.id);
      await records.setDisabled(account.id, false);
      notice(parts, 'account.enabled', account, by);
    },
    async resetFactors(account, by) {
      await factors.removeAll(account.id);
      await access.endAll(account.id);
      await throttle.succeeded([...allGuesses(account, 'otp'), ...allGuesses(account, 'recovery')]);
      notice(parts, 'account.factors_reset', account, by);
    },
    async endSessions(account, by) {
      await access.endAll(account.id);
      notice(parts, 'account.sessions_ended', account, by);
    },
    async rename(account, name, by) {
      await records.rename(account.id, name);
      notice(parts, 'account.renamed', account, by);
    },
    async setPermissions(account, permissions, addable, by) {
      const takesFrom = (had: readonly ApiPermission[]) => exceeds(had, permissions);
      const refused = exceeds(permissions, [...account.permissions, ...addable]);
      // End sessions first too: if that fails, nothing is changed and the request can be repeated.
      if (!refused && takesFrom(account.permissions)) await access.endAll(account.id);
      const before = await records.replacePermissions(account.id, permissions, addable);
      if (before === undefined) return false;
      if (takesFrom(before)) await access.endAll(account.id);
      if (takesFrom(before) || exceeds(permissions, before)) {
        notice(parts, 'account.permissions_changed', account, by, permissions.join(' '));
      }
      return true;
    },
  };
}

function exceeds(some: readonly ApiPermission[], others: readonly ApiPermission[]): boolean {
  return some.some((one) => !others.includes(one));
}
