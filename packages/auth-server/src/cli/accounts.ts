import { randomBytes } from 'node:crypto';
import { CommandRefused, printer, table, UsageError } from '@cls/shared/cli/command-line';
import { isUniqueViolation } from '@cls/shared/sql/database';
import type { Command } from 'commander';
import { type Account, canonicalEmail } from '../accounts/account.ts';
import { hashPassword, passwordFault } from '../accounts/password.ts';
import { newTotpEnrolment } from '../mfa/totp.ts';
import { type AsOperator, type Operator, parsePermissions, requireCustomer } from './operator.ts';
import { readPassword } from './read-password.ts';

interface PasswordOptions {
  readonly passwordStdin?: true;
  readonly generatePassword?: true;
}
interface CreateOptions extends PasswordOptions {
  readonly customer: string;
  readonly permission: string[];
}

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/;

/** `cls-auth accounts …`: people, their passwords and second factors. */
export function addAccountCommands(program: Command, asOperator: AsOperator): void {
  const accounts = program.command('accounts').description('people, who sign in with a password');

  withPasswordOptions(accounts.command('create <email>'))
    .description('create an account')
    .requiredOption('--customer <id>', 'the customer the person belongs to')
    .requiredOption('--permission <name...>', 'what the person may do')
    .action(async (email: string, options: CreateOptions, command: Command) => {
      if (!EMAIL.test(email)) throw new CommandRefused('expected an e-mail address');
      const permissions = parsePermissions(options.permission);
      const password = await choosePassword(options);
      const { customer } = options;
      const passwordHash = await hashPassword(password);
      const id = await asOperator(async (operator) => {
        await requireCustomer(operator, customer);
        const made = await createOne(operator, { email, customer, permissions, passwordHash });
        operator.audit.record({ type: 'account.created', subject: made });
        return made;
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
        one.secondFactor ? 'totp' : '',
        one.disabled ? 'disabled' : '',
      ]);
      const header = ['e-mail', 'id', 'customer', 'permissions', 'second factor', 'status'];
      printer(command).result(found, table(header, rows));
    });

  withPasswordOptions(accounts.command('replace-password <email>'))
    .description('set a new password, and lift a block after too many failures')
    .action(async (email: string, options: PasswordOptions, command: Command) => {
      const password = await choosePassword(options);
      const passwordHash = await hashPassword(password);
      const account = await asOperator(async (operator) => {
        const found = await requireAccount(operator, email);
        await operator.accounts.replacePassword(found.id, passwordHash);
        await operator.throttle.succeeded([{ kind: 'account-password', id: found.email }]);
        operator.audit.record({ type: 'account.password_replaced', subject: found.id });
        return found;
      });
      const document = { id: account.id, email: account.email };
      print(command, document, options, password, `replaced the password of ${account.email}`);
    });

  accounts
    .command('enrol-totp <email>')
    .description('enrol a second factor (TOTP), replacing the present one; shown once')
    .action(async (email: string, _: unknown, command: Command) => {
      const { account, enrolment } = await asOperator(async (operator) => {
        const found = await requireAccount(operator, email);
        await operator.keys.assertOpens(); // Or the service could not open what we seal here.
        const made = newTotpEnrolment(new URL(operator.issuer).host, found.email);
        await operator.totpFactors.enrol(found.id, made.secret);
        await operator.throttle.succeeded([{ kind: 'account-otp', id: found.id }]);
        operator.audit.record({ type: 'account.totp_enrolled', subject: found.id });
        return { account: found, enrolment: made };
      });
      const { secret: totpSecret, uri } = enrolment;
      const document = { id: account.id, email: account.email, totpSecret, uri };
      printer(command).result(document, `secret  ${totpSecret}\nURI     ${uri}\nNot shown again.`);
    });

  accounts
    .command('remove-totp <email>')
    .description('remove the second factor')
    .action(async (email: string, _: unknown, command: Command) => {
      const account = await asOperator(async (operator) => {
        const found = await requireAccount(operator, email);
        await operator.totpFactors.remove(found.id);
        operator.audit.record({ type: 'account.totp_removed', subject: found.id });
        return found;
      });
      const document = { id: account.id, email: account.email };
      printer(command).result(document, `removed the second factor of ${account.email}`);
    });

  for (const [word, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    accounts
      .command(`${word} <email>`)
      .description(`${word} an account`)
      .action(async (email: string, _: unknown, command: Command) => {
        const account = await asOperator(async (operator) => {
          const found = await requireAccount(operator, email);
          await operator.accounts.setDisabled(found.id, disabled);
          operator.audit.record({ type: `account.${word}d`, subject: found.id });
          return found;
        });
        const document = { id: account.id, email: account.email, disabled };
        printer(command).result(document, `${word}d ${account.email}`);
      });
  }
}

function withPasswordOptions(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from standard input')
    .option('--generate-password', 'make a password and show it once');
}

/** Never from the command line itself, where other users and the shell's history see it. */
async function choosePassword(options: PasswordOptions): Promise<string> {
  if (options.generatePassword && options.passwordStdin) {
    throw new UsageError('choose --password-stdin or --generate-password, not both');
  }
  if (options.generatePassword) return randomBytes(18).toString('base64url');
  const password = await readPassword(options.passwordStdin === true);
  const fault = passwordFault(password);
  if (fault !== undefined) throw new CommandRefused(fault);
  return password;
}

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

async function requireAccount(operator: Operator, email: string): Promise<Account> {
  const account = await operator.accounts.findByEmail(email);
  if (account === undefined) throw new CommandRefused(`there is no account ${email}`);
  return account;
}
