import type { Account } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import { asPersonName } from '../accounts/display-name.ts';
import type { Actor } from '../audit/actor.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';

export interface ChangeNameProblem {
  readonly field: 'name';
  readonly code: 'name_not_valid';
}

/** Changes the name that applications get for the person; an empty one removes it. */
export type ChangeName = (
  account: Account,
  text: string,
  actor: Actor,
) => Promise<ChangeNameProblem | undefined>;

export interface ChangeNameDeps extends AuditAndNotifyDeps {
  readonly records: Pick<AccountRecords, 'rename'>;
}

export function changeName(deps: ChangeNameDeps): ChangeName {
  return async (account, text, actor) => {
    const name = text.trim() === '' ? undefined : asPersonName(text);
    if (name === undefined && text.trim() !== '') return { field: 'name', code: 'name_not_valid' };
    if (name === account.name) return undefined;
    await deps.records.rename(account.id, name);
    auditAndNotify(deps, 'account.renamed', account, actor);
    return undefined;
  };
}
