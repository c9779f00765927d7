import { resolve } from 'node:path';
import { PERSON_PERMISSIONS } from '@cls/shared/access-token';
import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { readOptions, wholeNumber } from '@cls/shared/cli/options';
import { LOCALES } from '@cls/shared/pages/browser';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { ACCOUNT_ID, type Account, canonicalEmail } from '../accounts/account.ts';
import { EMAIL_EXPECTED } from '../organisations/email-address.ts';
import { type AsOperator, type Operator, requireAccount } from './operator.ts';
import { EMAIL_ARGUMENT, NAME, NAME_OR_NONE, personOptions, someOf } from './option-values.ts';

const INVITE = z.object({
  ...personOptions(PERSON_PERMISSIONS),
  language: z.enum(LOCALES),
});
const RENAME = z.object({ name: NAME_OR_NONE });
const PERMIT = z.object({ permission: someOf(PERSON_PERMISSIONS) });
const EVENTS = z.object({ limit: wholeNumber(1, 1_000) });

/** `cls-auth accounts …`: what administrators do to people's accounts, as the admin API does. */
export function addAdministrationCommands(accounts: Command, asOperator: AsOperator): void {
  accounts
    .command('invite <email>')
    .description('make an account and send the person a link with which they set their password')
    .requiredOption('--customer <id>', 'the customer the person belongs to')
    .option(...NAME)
    .requiredOption(
      '--permission <name...>',
      `what the person may do: ${PERSON_PERMISSIONS.join(', ')}`,
    )
    .addOption(
      new Option('--language <code>', 'language of the message').choices(LOCALES).default('en'),
    )
    .action(async (given: string, options: object, command: Command) => {
      const email = readOptions(EMAIL_ARGUMENT, given);
      const { name, customer, ...rest } = readOptions(INVITE, options);
      const { permission: permissions, language: locale } = rest;
      const { account, expiresAt, outbox } = await asOperator(async (operator) => {
        const outcome = await operator.invite({ email, name, customer, permissions }, { locale });
        if ('refused' in outcome) {
          throw new CommandRefused(REFUSED_INVITATIONS[outcome.refused](email, customer));
        }
        return { ...outcome, outbox: operator.outbox };
      });
      const until = expiresAt?.toISOString() ?? null;
      const document = { ...identityOf(account), customer, permissions, expiresAt: until };
      const how = until === null ? `to sign in at ${customer}` : `the link is good until ${until}`;
      const text = `invited ${account.email} (${account.id}); ${how}`;
      const where = outbox === undefined ? '' : `\nthe message is a file in ${resolve(outbox)}`;
      printer(command).result(document, `${text}${where}`);
    });

  accounts
    .command('rename <email>')
    .description('change what applications call a person, or take the name away')
    .option(...NAME)
    .option('--no-name', 'remove the name')
    .action(async (email: string, options: object, command: Command) => {
      const { name } = readOptions(RENAME, options);
      const account = await asOperator(async (operator) => {
        const found = await requireAccount(operator, email);
        await operator.administer.rename(found, name, {});
        return found;
      });
      const document = { ...identityOf(account), name: name ?? null };
      printer(command).result(document, `${account.email} is ${name ?? 'without a name'} now`);
    });

  accounts
    .command('set-permissions <email>')
    .description('change what a person may do; where something is taken away, all sessions end')
    .requiredOption(
      '--permission <name...>',
      `all that the person may do from now on: ${PERSON_PERMISSIONS.join(', ')}`,
    )
    .action(async (email: string, options: object, command: Command) => {
      const { permission: permissions } = readOptions(PERMIT, options);
      const account = await asOperator(async (operator) => {
        const found = await requireAccount(operator, email);
        await operator.administer.setPermissions(found, permissions, PERSON_PERMISSIONS, {});
        return found;
      });
      const text = `${account.email} has ${permissions.join(' ')} from now on`;
      printer(command).result({ ...identityOf(account), permissions }, text);
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
    .command('events <email-or-id>')
    .description('list what happened on an account, the newest first')
    .option('--limit <number>', 'how many, up to 1000', '50')
    .action(async (given: string, options: object, command: Command) => {
      const { limit } = readOptions(EVENTS, options);
      const events = await asOperator(async (operator) => {
        // An erased account has its id alone.
        if (ACCOUNT_ID.test(given)) return operator.auditReader.eventsOf([given], { limit });
        const account = await operator.accounts.findByEmail(given);
        if (account === undefined) {
          printer(command).message(`there is no account ${given}: what was tried with the address`);
        }
        const subjects = [canonicalEmail(given), ...(account === undefined ? [] : [account.id])];
        return operator.auditReader.eventsOf(subjects, { limit });
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
        one.actor ?? one.address ?? '',
        [one.device?.browser, one.device?.system].filter((part) => part !== undefined).join(', '),
      ]);
      const header = ['at', 'event', 'detail', 'client', 'by or from', 'device'];
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
  email_invalid: () => EMAIL_EXPECTED,
  unknown_customer: (_: string, customer: string) =>
    `there is no customer ${customer}, or it is disabled; make one with: cls-auth customers create`,
  account_exists: (email: string) =>
    `there is an account ${canonicalEmail(email)} already; what it may do is changed with: cls-auth accounts set-permissions`,
} as const;

function identityOf({ id, email }: Account) {
  return { id, email };
}
