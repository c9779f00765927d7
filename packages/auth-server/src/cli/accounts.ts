import { randomBytes } from 'node:crypto';
import { PERSON_PERMISSIONS } from '@cls/shared/access-token';
import { printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions } from '@cls/shared/cli/options';
import { refuseTaken } from '@cls/shared/cli/refuse-taken';
import type { Command } from 'commander';
import { z } from 'zod';
import { type Account, canonicalEmail } from '../accounts/account.ts';
import { hashPassword } from '../accounts/password.ts';
import { allGuesses } from '../throttle/guess.ts';
import { addFactorCommands } from './account-factors.ts';
import { addAdministrationCommands } from './administer-accounts.ts';
import { addEraseCommand } from './erase-account.ts';
import { type AsOperator, refuseDeletion, requireAccount, requireCustomer } from './operator.ts';
import { EMAIL_ARGUMENT, NAME, personOptions } from './option-values.ts';

const CREATE = z.object(personOptions(PERSON_PERMISSIONS));

/** `cls-auth accounts …`: people, their passwords and second factors. */
export function addAccountCommands(program: Command, asOperator: AsOperator): void {
  const accounts = program.command('accounts').description('people, who sign in with a password');

  accounts
    .command('create <email>')
    .description('create an account for evaluation and tests; people are invited')
    .requiredOption(...GENERATE_PASSWORD)
    .requiredOption('--customer <id>', 'the customer the person belongs to')
    .option(...NAME)
    .requiredOption(
      '--permission <name...>',
      `what the person may do: ${PERSON_PERMISSIONS.join(', ')}`,
    )
    .action(async (given: string, options: object, command: Command) => {
      const email = readOptions(EMAIL_ARGUMENT, given);
      const { name, customer, permission: permissions } = readOptions(CREATE, options);
      const password = newPassword();
      const passwordHash = await hashPassword(password);
      const id = await asOperator(async (operator) => {
        await requireCustomer(operator, customer);
        const account = { email, name, customer, permissions, passwordHash };
        const create = () => operator.accounts.create(account);
        const made = await refuseTaken(
          `there is an account ${canonicalEmail(email)} already`,
          create,
        );
        operator.audit.record({ type: 'account.created', subject: made });
        return made;
      });
      const document = { id, email, name, customer, permissions };
      print(command, document, password, `created account ${email} (${id})`);
    });

  addListCommand(accounts, {
    description: 'list accounts',
    load: async () => (await asOperator((operator) => operator.accounts.list())).map(listed),
    columns: [
      ['e-mail', 'email'],
      'name',
      'id',
      'customer',
      ['permissions', ({ permissions }) => permissions.join(' ')],
      ['second factor', ({ secondFactor }) => (secondFactor ? 'yes' : '')],
      ['status', statusOf],
    ],
  });

  accounts
    .command('delete <email>')
    .description(
      'delete an account that nobody ever signed in to, for example after a mistyped invitation',
    )
    .action(async (email: string, _: unknown, command: Command) => {
      const account = await asOperator(async (operator) => {
        const found = await requireAccount(operator, email);
        const deleted = await operator.accounts.deleteUnused(found.id);
        refuseDeletion(found.email, deleted ? undefined : 'used');
        operator.audit.record({ type: 'account.deleted', subject: found.id, about: found.email });
        return found;
      });
      const document = { id: account.id, email: account.email, deleted: true };
      printer(command).result(document, `deleted ${account.email}`);
    });

  accounts
    .command('replace-password <email>')
    .requiredOption(...GENERATE_PASSWORD)
    .description('set a new password, lift a block after too many failures, and end all sessions')
    .action(async (email: string, _: unknown, command: Command) => {
      const password = newPassword();
      const passwordHash = await hashPassword(password);
      await asOperator(async (operator) => {
        const found = await requireAccount(operator, email);
        await operator.accounts.replacePassword(found.id, passwordHash);
        operator.tell('account.password_replaced', found);
        // Shown before the rest, which may fail: the password is set, and nobody knows the one before.
        const document = { id: found.id, email: found.email };
        print(command, document, password, `replaced the password of ${found.email}`);
        await operator.throttle.succeeded(allGuesses(found, 'password'));
        await operator.access.endAll(found.id);
      });
    });

  addFactorCommands(accounts, asOperator);
  addAdministrationCommands(accounts, asOperator);
  addEraseCommand(accounts, asOperator);
}

function listed({ passwordVersion: _, factorsVersion: __, ...one }: Account) {
  return one;
}

function statusOf({ disabled, pending, elsewhere }: ReturnType<typeof listed>): string {
  const words = [
    disabled && 'disabled',
    pending && 'pending',
    elsewhere && 'the person has an account elsewhere',
  ];
  return words.filter(Boolean).join(', ') || 'active';
}

/** Nobody types another's password. */
const GENERATE_PASSWORD = ['--generate-password', 'make a password and show it once'] as const;

function newPassword(): string {
  return randomBytes(18).toString('base64url');
}

function print(command: Command, document: object, password: string, text: string): void {
  const shown = `${text}\npassword  ${password}\nIt is not shown again.`;
  printer(command).result({ ...document, password }, shown);
}
