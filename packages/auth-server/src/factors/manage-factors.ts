import type { Account } from '../accounts/account.ts';
import type { MfaPolicy } from '../accounts/mfa-policy.ts';
import type { Actor } from '../audit/actor.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import { type Factor, type FactorProblem, type FactorRecords, factorName } from './factor.ts';

/** A person's second factors; the use cases behind the pages. */
export interface ManageFactors {
  list(account: Account): Promise<readonly ListedFactor[]>;
  /** `form_stale` when there is no such factor (any more). */
  rename(
    account: Account,
    id: string,
    name: string,
    actor: Actor,
  ): Promise<{ readonly problem?: FactorProblem }>;
  /** `last_factor` under `MFA_POLICY=required`; `form_stale` when there is no such factor. */
  remove(account: Account, id: string, actor: Actor): Promise<{ readonly problem?: FactorProblem }>;
}

export interface ListedFactor extends Factor {
  /** False for the last one where the policy demands one. */
  readonly removable: boolean;
}

export interface ManageFactorsDeps extends AuditAndNotifyDeps {
  readonly factors: FactorRecords;
  readonly mfaPolicy: MfaPolicy;
}

export function manageFactors(deps: ManageFactorsDeps): ManageFactors {
  const keepOne = deps.mfaPolicy === 'required';
  return {
    async list(account) {
      const factors = await deps.factors.list(account.id);
      return factors.map((each) => ({ ...each, removable: !keepOne || factors.length > 1 }));
    },
    async rename(account, id, text, actor) {
      const name = factorName(text);
      if (name === undefined) return { problem: { field: 'name', code: 'name_required' } };
      const outcome = await deps.factors.rename(account.id, id, name);
      if (outcome === 'taken') return { problem: { field: 'name', code: 'name_taken' } };
      if (outcome === 'unknown') return { problem: { code: 'form_stale' } };
      auditAndNotify(deps, 'account.factor_renamed', account, actor, name);
      return {};
    },
    async remove(account, id, actor) {
      const removed = await deps.factors.remove(account.id, id, keepOne);
      if (removed === 'last') return { problem: { code: 'last_factor' } };
      if (removed === 'unknown') return { problem: { code: 'form_stale' } };
      const type = removed.kind === 'totp' ? 'account.totp_removed' : 'account.passkey_removed';
      auditAndNotify(deps, type, account, actor, removed.name);
      return {};
    },
  };
}
