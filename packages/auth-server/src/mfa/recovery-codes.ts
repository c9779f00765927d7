import type { Account } from '../accounts/account.ts';
import type { Requester } from '../accounts/requester.ts';
import { type NoticeParts, notice } from '../accounts/security-notice.ts';
import { whenAnswered } from '../provider/state/answering.ts';
import {
  canonicalRecoveryCode,
  newRecoveryCodes,
  type RecoveryCodeCount,
  type RecoveryCodeRecords,
} from './recovery-code.ts';

/** Recovery codes of an account; the use cases behind the pages. */
export interface RecoveryCodes {
  count(account: Account): Promise<RecoveryCodeCount>;
  /** New ones in place of the old, shown this once; the owner is told. */
  replace(account: Account, by: Requester): Promise<readonly string[]>;
  /** The first ones, together with a factor; undefined when there are some. */
  addFirst(account: Account): Promise<readonly string[] | undefined>;
  /** True once per code, and again for the same attempt while that has no answer; the owner is told. */
  use(account: Account, code: string, attempt: string, by: Requester): Promise<boolean>;
}

export function recoveryCodes(records: RecoveryCodeRecords, parts: NoticeParts): RecoveryCodes {
  return {
    count: (account) => records.count(account.id),
    async replace(account, by) {
      const codes = newRecoveryCodes();
      await records.replace(account.id, codes);
      notice(parts, 'account.recovery_codes_replaced', account, by);
      return codes;
    },
    async addFirst(account) {
      const codes = newRecoveryCodes();
      return (await records.addFirst(account.id, codes)) ? codes : undefined;
    },
    async use(account, text, attempt, by) {
      const code = canonicalRecoveryCode(text);
      if (code === undefined || !(await records.use(account.id, code, attempt))) return false;
      await whenAnswered(() => records.settle(account.id, attempt));
      notice(parts, 'account.recovery_code_used', account, by);
      return true;
    },
  };
}
