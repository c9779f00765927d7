import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import { whenAnswered } from '../state/answering.ts';
import { oneTimeState } from '../state/one-time-state.ts';
import type { StateStore } from '../state/state-store.ts';
import {
  canonicalRecoveryCode,
  newRecoveryCodes,
  type RecoveryCodeCount,
  type RecoveryCodeRecords,
} from './recovery-code.ts';

/** Recovery codes of an account; the use cases behind the pages. */
export interface RecoveryCodes {
  count(account: Account): Promise<RecoveryCodeCount>;
  /**
   * New ones in place of the old, shown this once. Sends the owner a message.
   *
   * @param keep called before they count.
   */
  replace(
    account: Account,
    actor: Actor,
    keep?: (codes: readonly string[]) => Promise<void>,
  ): Promise<readonly string[]>;
  /** Whether these are the account's, used or not. */
  areCurrent(account: Account, codes: readonly string[]): Promise<boolean>;
  /** What is kept of the first ones. */
  hashesOf(account: Account, codes: readonly string[]): readonly string[];
  /** True once per code, and again for the same attempt until it is answered. Sends the owner a message. */
  use(account: Account, code: string, attempt: string, actor: Actor): Promise<boolean>;
}

export function recoveryCodes(
  records: RecoveryCodeRecords,
  deps: AuditAndNotifyDeps,
): RecoveryCodes {
  return {
    count: (account) => records.count(account.id),
    async replace(account, actor, keep = async () => undefined) {
      const codes = newRecoveryCodes();
      await keep(codes);
      await records.replace(account.id, codes);
      auditAndNotify(deps, 'account.recovery_codes_replaced', account, actor);
      return codes;
    },
    areCurrent: (account, codes) => records.areCurrent(account.id, codes),
    hashesOf: (account, codes) => records.hashesOf(account.id, codes),
    async use(account, text, attempt, actor) {
      const code = canonicalRecoveryCode(text);
      if (code === undefined || !(await records.use(account.id, code, attempt))) return false;
      await whenAnswered(() => records.settle(account.id, attempt));
      const [hash] = records.hashesOf(account.id, [code]);
      auditAndNotify(deps, 'account.recovery_code_used', account, actor, undefined, hash);
      return true;
    },
  };
}

/** Recovery codes that the person has not confirmed to have saved. */
export interface NewCodes {
  readonly accountId: string;
  readonly codes: readonly string[];
  readonly createdAtMs: number;
}

const TTL_S = 600;

const newCodes = (state: StateStore) => oneTimeState<NewCodes>(state, 'NewRecoveryCodes');

/**
 * Kept for the session or interaction in which they are made, sealed under it, before they count:
 * a person sees them again after any failure, after sending the form twice, and after Back.
 */
export async function keepNewCodes(
  state: StateStore,
  binding: string,
  { id: accountId }: Account,
  codes: readonly string[],
): Promise<void> {
  const kept: NewCodes = { accountId, codes, createdAtMs: Date.now() };
  await newCodes(state).put(binding, kept, TTL_S);
}

/** Undefined also when they do not count: making them failed, or others have come since. */
export async function newCodesOf(
  state: StateStore,
  recoveryCodes: Pick<RecoveryCodes, 'areCurrent'>,
  binding: string,
  account: Account,
): Promise<NewCodes | undefined> {
  const kept = await newCodes(state).look(binding);
  if (kept?.accountId !== account.id) return undefined;
  return (await recoveryCodes.areCurrent(account, kept.codes)) ? kept : undefined;
}

export function dropNewCodes(state: StateStore, binding: string): Promise<void> {
  return newCodes(state).drop(binding);
}
