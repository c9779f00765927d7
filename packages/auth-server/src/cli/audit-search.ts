import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions, text, wholeNumber } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { ACCOUNT_ID, canonicalEmail } from '../accounts/account.ts';
import { AUDIT_EVENT_TYPES } from '../audit/audit-log.ts';
import type { AsOperator, Operator } from './operator.ts';
import { durationS } from './option-values.ts';

/** So long ago, or at that time; a day begins in UTC. */
const MOMENT = text((given) => {
  const agoS = durationS(given);
  if (agoS !== undefined) return new Date(Date.now() - agoS * 1_000);
  if (!/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(given)) return undefined;
  // `Date` takes 31 November for 1 December.
  if (!z.iso.date().safeParse(given.slice(0, 10)).success) return undefined;
  const at = new Date(given);
  return Number.isNaN(at.getTime()) ? undefined : at;
}, 'expected a time such as 2026-05-17T08:00:00Z, a day such as 2026-05-17, or how long ago: 90m, 24h, 7d');

const SEARCH_OPTIONS = z.object({
  account: z.string().optional(),
  client: z.string().optional(),
  address: z.string().optional(),
  type: z
    .array(
      z
        .string()
        .refine(
          isTypeOrGroup,
          'expected types such as token.refused or key.*: docs/reference/audit-events.md has them',
        ),
    )
    .optional(),
  since: MOMENT,
  until: MOMENT.optional(),
  limit: wholeNumber(1, 10_000),
});
const SEARCH = SEARCH_OPTIONS.refine(({ since, until }) => until === undefined || since < until, {
  path: ['until'],
  error: 'expected a time after --since, which is 30 days ago where it is not given',
});

/** A mistyped one would find nothing, as if nothing had happened. */
function isTypeOrGroup(given: string): boolean {
  return AUDIT_EVENT_TYPES.some((type) => given === type || given === `${type.split('.')[0]}.*`);
}

/** `cls-auth audit list`. */
export function addSearchCommand(audit: Command, asOperator: AsOperator): void {
  addListCommand(audit, {
    description: 'search the events by account, client, address, type and time, the newest first',
    load: async (options: object) => {
      const { account, client, address, type, since, until, limit } = readOptions(SEARCH, options);
      const found = await asOperator(async (operator) =>
        operator.auditReader.search(
          {
            ...(account === undefined ? {} : { subjects: await subjectsOf(operator, account) }),
            ...{ client, address, types: type, since, until },
          },
          limit,
        ),
      );
      return found.map(({ id, at, ...event }) => ({ id: `${id}`, at: at.toISOString(), ...event }));
    },
    columns: [
      ...(['at'] as const),
      ['event', 'type'],
      ['of', 'subject'],
      ['detail', ({ reason = '', about = '' }) => `${reason} ${about}`.trim()],
      ['client', 'clientId'],
      ['by or from', ({ actor, address = '' }) => actor ?? address],
    ],
  })
    .option(
      '--account <email-or-id>',
      'events of a person; with the e-mail address also what was tried with it',
    )
    .option('--client <id>', 'events of a service account or an application')
    .option('--address <ip>', 'events from this address')
    .option('--type <type...>', 'such as token.refused, or key.* for a group')
    .option('--since <time>', 'a time, a day, or how long ago', '30d')
    .option('--until <time>', 'the same')
    .option('--limit <number>', 'how many, up to 10000', '100');
}

async function subjectsOf({ accounts }: Operator, given: string): Promise<readonly string[]> {
  if (ACCOUNT_ID.test(given)) return [given];
  const account = await accounts.findByEmail(given);
  return [canonicalEmail(given), ...(account === undefined ? [] : [account.id])];
}
