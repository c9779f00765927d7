/** What an administrator does to somebody's account; behind `cls-auth` and any admin API. */
import type { FactorRecords } from '../mfa/factor.ts';
import { allGuesses } from '../throttle/guess.ts';
import type { Throttle } from '../throttle/throttle.ts';
import type { Account } from './account.ts';
import type { AccountAccess } from './account-access.ts';
import type { AccountLinks } from './account-link.ts';
import type { AccountRecords } from './account-records.ts';
import type { Requester } from './requester.ts';
import { type NoticeParts, notice } from './security-notice.ts';

export interface AdministerAccounts {
  /** Ends its sessions, tokens and links at once; the owner is told. */
  disable(account: Account, by: Requester): Promise<void>;
  enable(account: Account, by: Requester): Promise<void>;
  /** Removes every factor and recovery code and lifts their blocks; the owner is told. */
  resetFactors(account: Account, by: Requester): Promise<void>;
  endSessions(account: Account, by: Requester): Promise<void>;
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
  };
}
