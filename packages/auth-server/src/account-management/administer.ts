/**
 * What an administrator can do to a person's account. `cls-auth` and the administrators' API both
 * use it.
 */
import type { PersonPermission } from '@cls/shared/access-token';
import type { Account } from '../accounts/account.ts';
import type { AccountLinks } from '../accounts/account-link.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { Actor } from '../audit/actor.ts';
import type { FactorRecords } from '../factors/factor.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import type { AccountAccess } from '../sessions/account-access.ts';
import { endAround } from '../sessions/end-around.ts';
import { allGuesses } from '../throttle/guess.ts';
import type { Throttle } from '../throttle/throttle.ts';

export interface AdministerAccounts {
  /** Ends its sessions, tokens and links at once, and sends the owner a message. */
  disable(account: Account, actor: Actor): Promise<void>;
  /** Sends the owner a message. Does nothing when the account itself is not disabled. */
  enable(account: Account, actor: Actor): Promise<void>;
  /** Removes every factor and recovery code and lifts their blocks, and sends the owner a message. */
  resetFactors(account: Account, actor: Actor): Promise<void>;
  /** The name that applications get for the person; undefined removes it. */
  rename(account: Account, name: string | undefined, actor: Actor): Promise<void>;
  /** Ends all sessions, and sends the owner a message. */
  endSessions(account: Account, actor: Actor): Promise<void>;
  /**
   * Replaces the permissions of the account. When a permission is taken away, its sessions and
   * tokens end. When anything changes, the owner gets a message.
   *
   * @param addable permissions that the administrator may add.
   * @returns false, and changes nothing, when the administrator may not add one of them.
   */
  setPermissions(
    account: Account,
    permissions: readonly PersonPermission[],
    addable: readonly PersonPermission[],
    actor: Actor,
  ): Promise<boolean>;
}

export interface AdministerDeps extends AuditAndNotifyDeps {
  readonly records: AccountRecords;
  readonly factors: FactorRecords;
  readonly links: AccountLinks;
  readonly access: Pick<AccountAccess, 'endAll' | 'endLeft'>;
  readonly throttle: Throttle;
}

/**
 * A change is recorded before the sessions are ended: ending them may fail, and the change has been made.
 * The administrator does it again, which ends the rest and records it again.
 */
export function administerAccounts(deps: AdministerDeps): AdministerAccounts {
  const { records, factors, links, access, throttle } = deps;
  return {
    async disable(account, actor) {
      await records.setDisabled(account.id, true);
      auditAndNotify(deps, 'account.disabled', account, actor);
      await links.removeAll(account.id);
      await access.endAll(account.id);
    },
    async enable(account, actor) {
      if (!(await records.isDisabled(account.id))) return;
      await access.endLeft(account.id);
      await records.setDisabled(account.id, false);
      auditAndNotify(deps, 'account.enabled', account, actor);
    },
    async resetFactors(account, actor) {
      await factors.removeAll(account.id);
      auditAndNotify(deps, 'account.factors_reset', account, actor);
      await throttle.succeeded([...allGuesses(account, 'otp'), ...allGuesses(account, 'recovery')]);
      await access.endAll(account.id);
    },
    async endSessions(account, actor) {
      await access.endAll(account.id);
      auditAndNotify(deps, 'account.sessions_ended', account, actor);
    },
    async rename(account, name, actor) {
      await records.rename(account.id, name);
      auditAndNotify(deps, 'account.renamed', account, actor);
    },
    async setPermissions(account, permissions, addable, actor) {
      const takesFrom = (had: readonly PersonPermission[]) => exceeds(had, permissions);
      const refused = exceeds(permissions, [...account.permissions, ...addable]);
      let had: readonly PersonPermission[] | undefined = refused ? undefined : account.permissions;
      const end = async () => {
        if (had !== undefined && takesFrom(had)) await access.endAll(account.id);
      };
      const before = await endAround(end, async () => {
        had = await records.replacePermissions(account.id, permissions, addable);
        if (had !== undefined && (takesFrom(had) || exceeds(permissions, had))) {
          const about = permissions.join(' ');
          auditAndNotify(deps, 'account.permissions_changed', account, actor, about);
        }
        return had;
      });
      return before !== undefined;
    },
  };
}

function exceeds(some: readonly PersonPermission[], others: readonly PersonPermission[]): boolean {
  return some.some((one) => !others.includes(one));
}
