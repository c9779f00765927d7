import { randomBytes } from 'node:crypto';
import { API_PERMISSIONS } from '@cls/shared/access-token';
import { CommandRefused, printer, table, UsageError } from '@cls/shared/cli/command-line';
import { isUniqueViolation } from '@cls/shared/sql/database';
import type { Command } from 'commander';
import { type Account, canonicalEmail } from '../accounts/account.ts';
import { hashPassword } from '../accounts/password.ts';
import {
  PASSWORD_LENGTH_MAX,
  type PasswordFault,
  passwordFault,
} from '../accounts/password-rules.ts';
import { DEFAULT_TOTP_NAME } from '../mfa/second-factor.ts';
import { newTotpEnrolment } from '../mfa/totp.ts';
import { allGuesses } from '../throttle/guess.ts';
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
        one.secondFactor ? 'totp' : '',
        one.disabled ? 'disabled' : '',
      ]);
      const header = ['e-mail', 'id', 'customer', 'permissions', 'second factor', 'status'];
      printer(command).result(found, table(header, rows));
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
        await operator.administer.endSessions(found, {});
        operator.tell('account.password_replaced', found);
        return { account: found, password };
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
        await operator.throttle.succeeded(allGuesses(found, 'otp'));
        operator.tell('account.totp_enrolled', found, DEFAULT_TOTP_NAME);
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
        operator.tell('account.totp_removed', found, DEFAULT_TOTP_NAME);
        return found;
      });
      const document = { id: account.id, email: account.email };
      printer(command).result(document, `removed the second factor of ${account.email}`);
    });

  accounts
    .command('invite <email>')
    .description('make an account and send the person a link with which they set their password')
    .requiredOption('--customer <id>', 'the customer the person belongs to')
    .requiredOption('--permission <name...>', 'what the person may do')
    .action(async (email: string, options: CreateOptions, command: Command) => {
      const permissions = parsePermissions(options.permission, API_PERMISSIONS);
      const { customer } = options;
      const { account, expiresAt } = await asOperator(async (operator) => {
        const outcome = await operator.invite({ email, customer, permissions }, {});
        if ('refused' in outcome) {
          throw new CommandRefused(REFUSED_INVITATIONS[outcome.refused](email, customer));
        }
        return outcome;
      });
      const until = expiresAt.toISOString();
      const document = { ...identityOf(account), customer, permissions, expiresAt: until };
      const text = `invited ${account.email} (${account.id}); the link is good until ${until}`;
      printer(command).result(document, text);
    });

  for (const { words, about, done, act } of ADMINISTRATION) {
    accounts
      .command(`${words} <email>`)
      .description(about)
      .action(async (email: string, _: unknown, command: Command) => {
        const account = await asOperator(async (operator) => {
          const found = await requireAccount(operator, email);
          await act(operator.administer, found);
          return requireAccount(operator, email);
        });
        const { disabled, secondFactor } = account;
        const document = { ...identityOf(account), disabled, secondFactor };
        printer(command).result(document, `${done} ${account.email}`);
      });
  }

  accounts
    .command('events <email>')
    .description('list what happened on an account, the newest first')
    .option('--limit <number>', 'how many at the most, up to 1000', '50')
    .action(async (email: string, { limit }: { limit: string }, command: Command) => {
      const count = /^[1-9]\d{0,3}$/.test(limit) ? Number(limit) : Number.NaN;
      if (!(count <= 1_000))
        throw new UsageError('--limit: expected a whole number from 1 to 1000');
      const events = await asOperator(async (operator) => {
        const account = await operator.accounts.findByEmail(email);
        const subjects = [canonicalEmail(email), ...(account === undefined ? [] : [account.id])];
        return operator.auditReader.eventsOf(subjects, { limit: count });
      });
      const documents = events.map(({ id, at, ...event }) => ({
        id: `${id}`,
        at: at.toISOString(),
        ...event,
      }));
      const rows = documents.map((one) => [
        one.at,
        one.type,
        [one.reason, one.about].filter((part) => part !== undefined).join(' '),
        one.clientId ?? '',
        one.address ?? '',
        [one.device?.browser, one.device?.system].filter((part) => part !== undefined).join(', '),
      ]);
      const header = ['at', 'event', 'detail', 'client', 'address', 'device'];
      printer(command).result(documents, table(header, rows));
    });
}

const ADMINISTRATION: readonly {
  readonly words: string;
  readonly about: string;
  readonly done: string;
  readonly act: (administer: Operator['administer'], account: Account) => Promise<void>;
}[] = [
  {
    words: 'disable',
    about: 'disable an account; its sessions and tokens end at once',
    done: 'disabled',
    act: (administer, account) => administer.disable(account, {}),
  },
  {
    words: 'enable',
    about: 'enable an account',
    done: 'enabled',
    act: (administer, account) => administer.enable(account, {}),
  },
  {
    words: 'reset-factors',
    about: 'remove every second factor and recovery code, and end all sessions',
    done: 'removed the second factors of',
    act: (administer, account) => administer.resetFactors(account, {}),
  },
  {
    words: 'end-sessions',
    about: 'end all sessions, grants and refresh tokens',
    done: 'ended the sessions of',
    act: (administer, account) => administer.endSessions(account, {}),
  },
];

const REFUSED_INVITATIONS = {
  email_invalid: () => 'expected an e-mail address',
  unknown_customer: (_: string, customer: string) =>
    `there is no customer ${customer}, or it is disabled; make one with: cls-auth customers create`,
  account_exists: (email: string) => `there is an account ${canonicalEmail(email)} already`,
} as const;

function identityOf({ id, email }: Account) {
  return { id, email };
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

async function requireAccount(operator: Operator, email: string): Promise<Account> {
  const account = await operator.accounts.findByEmail(email);
  if (account === undefined) throw new CommandRefused(`there is no account ${email}`);
  return account;
}
