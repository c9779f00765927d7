import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import type { Unresolved } from '../account-management/erase-person.ts';
import type { AsOperator } from './operator.ts';

const UNRESOLVED: Readonly<Record<Unresolved, string>> = {
  not_erased: 'is no erased account: cls-auth accounts list shows who an account is',
  not_kept:
    'was erased without AUDIT_IDENTITY_KEY, or before AUDIT_RETENTION_DAYS: nobody can say who it was',
  no_key: 'can be resolved only with AUDIT_IDENTITY_KEY, which is not set',
};

/** `cls-auth audit resolve`: who an erased account was. */
export function addResolveCommand(audit: Command, asOperator: AsOperator): void {
  audit
    .command('resolve <account-id>')
    .description('say who an erased account was; needs AUDIT_IDENTITY_KEY, and is audited itself')
    .action(async (id: string, _: unknown, command: Command) => {
      const identity = await asOperator(async (operator) => {
        const found = await operator.erasure.identityOf(id);
        if ('unresolved' in found) {
          throw new CommandRefused(`${id} ${UNRESOLVED[found.unresolved]}`);
        }
        operator.audit.record({ type: 'audit.identity_resolved', subject: id });
        return found;
      });
      const { email, name, customer, erasedAt } = identity;
      const who = name === undefined ? email : `${name} <${email}>`;
      const text = `${id} was ${who} of ${customer}, erased ${erasedAt}`;
      printer(command).result({ id, ...identity }, text);
    });
}
