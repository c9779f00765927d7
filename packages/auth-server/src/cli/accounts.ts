import { randomBytes } from 'node:crypto';
import { API_PERMISSIONS } from '@cls/shared/access-token';
import { CommandRefused, printer, table, UsageError } from '@cls/shared/cli/command-line';
import { isUniqueViolation } from '@cls/shared/sql/database';
import type { Command } from 'commander';
import { canonicalEmail } from '../accounts/account.ts';
import { hashPassword } from '../accounts/password.ts';
import {
  PASSWORD_LENGTH_MAX,
  type PasswordFault,
  passwordFault,
} from '../accounts/password-rules.ts';
import { allGuesses } from '../throttle/guess.ts';
import { addFactorCommands } from './account-factors.ts';
import { addAdministrationCommands } from './administer-accounts.ts';
import {
  type AsOperator,
  type Operator,
  parsePermissions,
  requireAccount,
  requireCustomer,
  requireEmail,
} from './operator.ts';
import { readPassword } from './read-password.ts';

interface PasswordOptions {
  readonly passwordStdin?: true;
  readonly generatePassword?: true;
}
interface CreateOptions extends PasswordOptions {
  readonly customer: string;
  readonly permission: string[];
}

/** `cls-auth accounts …`: people, their passwords and second factors. */
export function addAccountCommands(program: Command, asOperator: AsOperator): void {
  const accounts = program.command('accounts').description('people, who sign in with a password');

  withPasswordOptions(accounts.command('create <email>'))
    .description('create an account')
    .requiredOption('--customer <id>', 'the customer the person belongs to')
    .requiredOption(
      '--permission <name...>',
      `what the person may do: ${API_PERMISSIONS.join(', ')}`,
    )
    .action(async (email: string, options: CreateOptions, command: Command) => {
      requireEmail(email);
      const permissions = parsePermissions(options.permission, API_PERMISSIONS);
      const entered = await enterPassword(options);
      const { customer } = options;
      const { id, password } = await asOperator(async (operator) => {
        await requireCustomer(operator, customer);
        const password = choosePassword(entered, operator, [email, customer]);
        const passwordHash = await hashPassword(password);
        const made = await createOne(operator, { email, customer, permissions, passwordHash });
        operator.audit.record({ type: 'account.created', subject: made });
        return { id: made, password };
      });
      const canonical = canonicalEmail(email);
      const document = { id, email: canonical, customer, permissions };
      print(command, document, options, password, `created account ${canonical} (${id})`);
    });

  accounts
    .command('list')
    .description('list accounts')
    .action(async (_: unknown, command: Command) => {
      const found = await asOperator((operator) => operator.accounts.list());
      const rows = found.map((one) => [
        one.email,
        one.id,
        one.customer,
        one.permissions.join(' '),
        one.secondFactor ? 'yes' : '',
        one.disabled ? 'disabled' : '',
      ]);
      const header = ['e-mail', 'id', 'customer', 'permissions', 'second factor', 'status'];
      const documents = found.map(({ passwordVersion: _, ...one }) => one);
      printer(command).result(documents, table(header, rows));
    });

  withPasswordOptions(accounts.command('replace-password <email>'))
    .description('set a new password, lift a block after too many failures, and end all sessions')
    .action(async (email: string, options: PasswordOptions, command: Command) => {
      const entered = await enterPassword(options);
      const { account, password } = await asOperator(async (operator) => {
        const found = await requireAccount(operator, email);
        const password = choosePassword(entered, operator, [email, found.customer]);
        const passwordHash = await hashPassword(password);
        await operator.accounts.replacePassword(found.id, passwordHash);
        await operator.throttle.succeeded(allGuesses(found, 'password'));
        await operator.access.endAll(found.id);
        operator.tell('account.password_replaced', found);
        return { account: found, password };
      });
      const document = { id: account.id, email: account.email };
      print(command, document, options, password, `replaced the password of ${account.email}`);
    });

  addFactorCommands(accounts, asOperator);
  addAdministrationCommands(accounts, asOperator);
}

function withPasswordOptions(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from standard input')
    .option('--generate-password', 'make a password and show it once');
}

/** Never from the command line itself, where other users and the shell's history see it. */
async function enterPassword(options: PasswordOptions): Promise<string | undefined> {
  if (options.generatePassword && options.passwordStdin) {
    throw new UsageError('choose --password-stdin or --generate-password, not both');
  }
  return options.generatePassword ? undefined : readPassword(options.passwordStdin === true);
}

/** The password that was entered, if it may be set; a random one where none was. */
function choosePassword(
  entered: string | undefined,
  { passwordRules }: Operator,
  context: readonly string[],
): string {
  if (entered === undefined) return randomBytes(18).toString('base64url');
  const fault = passwordFault(entered, passwordRules, context);
  if (fault !== undefined) throw new CommandRefused(FAULTS[fault.code](passwordRules.lengthMin));
  return entered;
}

const FAULTS: Readonly<Record<PasswordFault['code'], (lengthMin: number) => string>> = {
  password_short: (lengthMin) => `a password has at least ${lengthMin} characters`,
  password_long: () => `a password has at most ${PASSWORD_LENGTH_MAX} characters`,
  password_common: () => 'this password is on a list of common ones, or is made of them',
  password_personal: () => 'this password is little more than the e-mail address or a known name',
};

/** Only a password that we made is shown. */
function print(
  command: Command,
  document: object,
  { generatePassword }: PasswordOptions,
  password: string,
  text: string,
): void {
  const shown = `${text}\npassword  ${password}\nIt is not shown again.`;
  if (generatePassword) printer(command).result({ ...document, password }, shown);
  else printer(command).result(document, text);
}

async function createOne(
  operator: Operator,
  account: Parameters<Operator['accounts']['create']>[0],
): Promise<string> {
  try {
    return await operator.accounts.create(account);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new CommandRefused(`there is an account ${canonicalEmail(account.email)} already`);
  }
}
