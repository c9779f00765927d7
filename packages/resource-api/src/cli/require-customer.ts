import { CommandRefused } from '@cls/shared/cli/command-line';
import { knownCustomers } from './known-customers.ts';
import type { Operator } from './operator.ts';

/**
 * A mistyped customer would get what is meant for another, and the right customer nothing. A customer
 * that has a rule is known. For others, ask the operator's tool of auth-server: the services share
 * no store.
 *
 * @param deed what the command is about to do, such as `grant`.
 * @throws {CommandRefused}
 */
export async function requireCustomer(
  { entitlements }: Pick<Operator, 'entitlements'>,
  customer: string,
  deed: string,
): Promise<void> {
  if ((await entitlements.list(customer)).length > 0) return;
  const answer = await knownCustomers();
  if ('unknown' in answer) {
    throw new CommandRefused(
      `no rule names the customer ${customer} yet, and auth-server could not be asked whether the customer exists (${answer.unknown}); to ${deed} anyway, add --new-customer`,
    );
  }
  if (answer.customers.includes(customer)) return;
  throw new CommandRefused(
    `there is no customer ${customer}: auth-server has ${answer.customers.join(', ') || 'none'}; create it with cls-auth customers create, or ${deed} now with --new-customer and create it later`,
  );
}
