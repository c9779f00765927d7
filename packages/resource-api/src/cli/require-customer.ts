import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CommandRefused } from '@cls/shared/cli/command-line';
import type { Operator } from './operator.ts';

/** Beside this package where both services are installed together, which need not be. */
const CLS_AUTH = fileURLToPath(
  new URL('../../../../auth-server/bin/cls-auth.mjs', import.meta.url),
);

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
  const customers = await knownCustomers().catch(({ message: why }: Error) => {
    throw new CommandRefused(
      `no rule names the customer ${customer} yet, and auth-server could not be asked whether the customer exists (${why}); to ${deed} anyway, add --new-customer`,
    );
  });
  if (customers.includes(customer)) return;
  throw new CommandRefused(
    `there is no customer ${customer}: auth-server has ${customers.join(', ') || 'none'}; create it with cls-auth customers create, or ${deed} now with --new-customer and create it later`,
  );
}

/**
 * The customers of auth-server, by its own tool, which has this process's environment. Rejects with
 * why the tool does not answer.
 */
function knownCustomers(): Promise<readonly string[]> {
  if (!existsSync(CLS_AUTH)) {
    return Promise.reject(new Error('cls-auth is not installed beside this tool'));
  }
  const words = [CLS_AUTH, 'customers', 'list', '--json'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, words, (error, stdout, stderr) => {
      if (error !== null)
        return reject(new Error(`cls-auth: ${inOneLine(stderr) || error.message}`));
      resolve((JSON.parse(stdout) as readonly { readonly id: string }[]).map(({ id }) => id));
    });
  });
}

/** A configuration has a line for each fault. */
function inOneLine(text: string): string {
  const [first = '', ...faults] = text
    .trim()
    .split('\n')
    .map((line) => line.trim());
  return faults.length === 0 ? first : `${first} ${faults.join('; ')}`;
}
