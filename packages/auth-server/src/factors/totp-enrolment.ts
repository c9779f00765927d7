/**
 * Adding an authenticator app (RFC 6238): the secret is shown, and counts only once a code made
 * from it came back. Until then it is pending, for ten minutes, and no factor.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '@cls/shared/clock';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import { oneTimeState } from '../state/one-time-state.ts';
import {
  type AddedFactor,
  type AddFactorDeps,
  addFactor,
  freeName,
  isThere,
  type PlannedFactor,
  planFactor,
} from './add-factor.ts';
import type { FactorProblem, FactorRecords } from './factor.ts';
import type { TotpFactorRecords } from './second-factor.ts';
import { matchTotpStep, newTotpEnrolment, type TotpEnrolment } from './totp.ts';

export interface PendingTotp extends TotpEnrolment {
  /** Names the enrolment in the page's address; useless in another session or account. */
  readonly id: string;
}

/** @param binding the session or interaction that it was begun in. */
export interface TotpEnrolments {
  begin(account: Account, binding: string): Promise<PendingTotp>;
  /** The same again, for a page that comes back; undefined when it is over. */
  pending(account: Account, binding: string, id: string): Promise<PendingTotp | undefined>;
  /** Whether the app has been added already, and its request is to be answered again. */
  isAdded(account: Account, binding: string, id: string): Promise<boolean>;
  /** `form_stale` when it is over, or was confirmed already. */
  confirm(
    account: Account,
    binding: string,
    id: string,
    form: { readonly code: string; readonly name: string },
    actor: Actor,
  ): Promise<AddedFactor | { readonly problem: FactorProblem }>;
}

export interface TotpEnrolmentDeps extends AuditAndNotifyDeps, AddFactorDeps {
  readonly factors: FactorRecords;
  readonly totpFactors: TotpFactorRecords;
  readonly clock: Clock;
  /** Shown beside the account in the app: the operator’s name. */
  readonly issuer: string;
}

const TTL_S = 600;

interface Pending extends TotpEnrolment, PlannedFactor {
  readonly accountId: string;
}

export function totpEnrolments(deps: TotpEnrolmentDeps): TotpEnrolments {
  const pendings = oneTimeState<Pending>(deps.state, 'TotpEnrolment');
  const key = (binding: string, id: string) => `${binding} ${id}`;
  const pending = async (account: Account, binding: string, id: string) => {
    const found = await pendings.look(key(binding, id));
    return found?.accountId === account.id ? found : undefined;
  };
  return {
    async begin(account, binding) {
      const id = randomBytes(32).toString('base64url');
      const { secret, uri } = newTotpEnrolment(deps.issuer, account.email);
      const value = { accountId: account.id, secret, uri, ...planFactor() };
      await pendings.put(key(binding, id), value, TTL_S);
      return { id, secret, uri };
    },
    async pending(account, binding, id) {
      const found = await pending(account, binding, id);
      return found && { id, secret: found.secret, uri: found.uri };
    },
    async isAdded(account, binding, id) {
      const found = await pending(account, binding, id);
      return found !== undefined && isThere(deps.factors, account, found);
    },
    async confirm(account, binding, id, { code, name: text }, actor) {
      const found = await pending(account, binding, id);
      if (found === undefined) return { problem: { code: 'form_stale' } };
      const name = await freeName(deps.factors, account.id, text, found.factorId);
      if (typeof name === 'object') return { problem: name };
      if (code.trim() === '') return { problem: { field: 'code', code: 'code_required' } };
      const step = matchTotpStep(found.secret, code, deps.clock.now());
      if (step === undefined) return { problem: { field: 'code', code: 'code_wrong' } };
      if ((await pendings.take(key(binding, id))) === undefined)
        return { problem: { code: 'form_stale' } };
      const planned = { ...found, name, proof: { method: 'totp' } } as const;
      const added = await addFactor(deps, account, binding, planned, (factor) =>
        deps.totpFactors.add(account.id, factor, found.secret, step),
      );
      if ('problem' in added) return added;
      auditAndNotify(
        deps,
        'account.totp_enrolled',
        account,
        actor,
        added.factor.name,
        found.factorId,
      );
      return added;
    },
  };
}
