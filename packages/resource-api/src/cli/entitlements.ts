import { CUSTOMER_ID } from '@cls/shared/access-token';
import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions } from '@cls/shared/cli/options';
import { refuseTaken } from '@cls/shared/cli/refuse-taken';
import type { Command } from 'commander';
import { z } from 'zod';
import {
  type DealSelection,
  ENTITLEMENT_ROLES,
  type EntitlementRule,
  type NewEntitlement,
} from '../access/entitlement.ts';
import type { AsOperator, Operator } from './operator.ts';
import { requireCustomer } from './require-customer.ts';

const GRANT = z
  .object({
    customer: z.string().regex(CUSTOMER_ID, 'expected a customer id'),
    role: z.enum(ENTITLEMENT_ROLES, `expected one of ${ENTITLEMENT_ROLES.join(', ')}`),
    lender: z.string().optional(),
    deal: z.string().optional(),
    borrower: z.string().optional(),
    country: z
      .string()
      .regex(/^[A-Z0-9]{2}$/, 'expected a two-character code such as IN')
      .optional(),
    all: z.literal(true).optional(),
    newCustomer: z.boolean().default(false),
  })
  .refine(
    ({ role, lender }) => (role === 'lender') === (lender !== undefined),
    '--lender goes with the role lender, and only with it',
  )
  .transform(({ customer, role, lender: lenderId, newCustomer, ...rest }, context) => {
    const { deal, borrower, country, all } = rest;
    const selections: readonly DealSelection[] = [
      ...(all ? [{ allDeals: true } as const] : []),
      ...(deal === undefined ? [] : [{ dealId: deal }]),
      ...(borrower === undefined ? [] : [{ borrowerId: borrower }]),
      ...(country === undefined ? [] : [{ country }]),
    ];
    const [deals, ...more] = selections;
    if (deals !== undefined && more.length === 0) {
      return { wanted: { customer, role, lenderId, deals }, newCustomer };
    }
    const message = 'give one of --deal, --borrower, --country and --all';
    context.issues.push({ code: 'custom', message, input: rest });
    return z.NEVER;
  });
const RULE = z.string().regex(/^\d{1,18}$/, 'expected a rule’s number from the list');

/** `cls-api entitlements …`: which customer sees which deals, and in which role. */
export function addEntitlementCommands(program: Command, asOperator: AsOperator): void {
  const entitlements = program
    .command('entitlements')
    .description('which customer sees which deals, and in which role');

  entitlements
    .command('grant')
    .description('grant deals to a customer; deals imported later are covered too')
    .requiredOption('--customer <id>', 'the customer, as in its callers’ tokens')
    .requiredOption('--role <role>', ENTITLEMENT_ROLES.join(', '))
    .option('--lender <party>', 'role lender: the party whose share the customer sees')
    .option('--deal <id>', 'one deal')
    .option('--borrower <party>', 'the deals of a borrower')
    .option('--country <code>', 'the deals of borrowers of a country')
    .option('--all', 'every deal')
    .option(
      '--new-customer',
      'grant even if auth-server does not know the customer yet, or cannot be asked',
    )
    .action(async (options: object, command: Command) => {
      const { wanted, newCustomer } = readOptions(GRANT, options);
      const rule = await asOperator(async (operator) => {
        if (!newCustomer) await requireCustomer(operator, wanted.customer, 'grant');
        return grantOne(operator, wanted);
      });
      printer(command).result(rule, `granted ${rule.deals} deal(s) to ${rule.customer}`);
    });

  addListCommand(entitlements, {
    description: 'list what was granted',
    load: ({ customer }: { customer?: string }) =>
      asOperator((operator) => operator.entitlements.list(customer)),
    columns: ['rule', 'customer', 'role', 'lender', 'selection', 'deals'],
  }).option('--customer <id>', 'only of this customer');

  entitlements
    .command('revoke <rule>')
    .description('take a grant back, by its number in the list')
    .action(async (given: string, _: unknown, command: Command) => {
      const rule = readOptions(RULE, given);
      const done = await asOperator((operator) => operator.entitlements.revoke(rule));
      if (!done) throw new CommandRefused(`there is no rule ${rule}`);
      printer(command).result({ rule, revoked: true }, `revoked rule ${rule}`);
    });
}

async function grantOne(operator: Operator, wanted: NewEntitlement): Promise<EntitlementRule> {
  const grant = () => operator.entitlements.grant(wanted);
  const rule = await refuseTaken('this was granted already', grant);
  if (rule === undefined) throw new CommandRefused('the deal or party is not in the book');
  return rule;
}
